// One tick of up to 16 characters.
#include "group.h"

#include "drive.h"
#include "rotation.h"

#include <stdlib.h>
#include <string.h>

// A state's arrays lie in one block, so that it can be saved and put back whole.
static bool allocate_state(SimGroup *group, int garment) {
    const SimTopology *topology = &group->rig->garments[garment].topology;
    SimGarmentState *state = &group->states[garment];
    size_t particles = (size_t)topology->particle_count;
    size_t longest = (size_t)(topology->rows > topology->columns ? topology->rows : topology->columns) + 1;
    size_t vectors = 8 * particles, scalars = particles + 8 * longest;
    group->state_bytes[garment] = vectors * sizeof(SimLanes3) + scalars * sizeof(SimLanes);
    SimLanes3 *memory = sim_arena_take(&group->arena, group->state_bytes[garment], 1);
    if (!memory) return false;
    group->state_memory[garment] = memory;
    SimLanes3 **arrays[] = {&state->position,   &state->velocity,  &state->predicted, &state->reference0,
                            &state->reference1, &state->reference, &state->surface,   &state->air};
    for (size_t i = 0; i < 8; i++) *arrays[i] = memory + i * particles;
    state->contact = (SimLanes *)(memory + 8 * particles);
    state->line = state->contact + particles;
    return true;
}

// Free lanes are computed as well: they hold a body at rest that touches nothing.
static void fill_free_lanes(SimGroup *group, int substep_count) {
    SimTransform identity = SIM_TRANSFORM_IDENTITY, far = SIM_TRANSFORM_IDENTITY;
    far.position[1] = -1e4f;
    SimFabric fabric = sim_default_fabric();
    for (int lane = 0; lane < SIM_LANES; lane++) {
        for (int i = 0; i < group->rig->skin_bone_count; i++)
            sim_pose_to_lane(&identity, &group->skin_poses[i], lane);
        for (int s = 0; s < substep_count; s++) {
            for (int edge = 0; edge < 2; edge++)
                sim_pose_to_lane(&identity, &group->substeps[s].root[edge], lane);
            for (int i = 0; i <= group->rig->info.collider_count; i++)
                sim_pose_to_lane(&far, &group->substeps[s].colliders[i].pose, lane);
        }
        for (int g = 0; g < group->rig->info.garment_count; g++)
            sim_drive_fabric(&fabric, 1.0f / 240.0f, &group->fabrics[g], lane);
    }
    for (int g = 0; g < group->rig->info.garment_count; g++) {
        const SimTopology *topology = &group->rig->garments[g].topology;
        for (int p = 0; p < topology->particle_count; p++)
            for (int lane = 0; lane < SIM_LANES; lane++) {
                group->states[g].position[p].x[lane] = topology->rest[p][0];
                group->states[g].position[p].y[lane] = topology->rest[p][1];
                group->states[g].position[p].z[lane] = topology->rest[p][2];
            }
    }
}

SimGroup *sim_group_create(SimRig *rig, int substep_count) {
    SimGroup *group = aligned_alloc(64, (sizeof *group + 63) / 64 * 64);
    if (!group) return NULL;
    memset(group, 0, sizeof *group);
    SimArena *arena = &group->arena;
    size_t garments = (size_t)rig->info.garment_count;
    group->rig = rig;
    group->states = sim_arena_take(arena, garments, sizeof *group->states);
    group->state_memory = sim_arena_take(arena, garments, sizeof *group->state_memory);
    group->state_bytes = sim_arena_take(arena, garments, sizeof *group->state_bytes);
    group->fabrics = sim_arena_take(arena, garments, sizeof *group->fabrics);
    group->substeps = sim_arena_take(arena, (size_t)substep_count, sizeof *group->substeps);
    group->skin_poses = sim_arena_take(arena, (size_t)rig->skin_bone_count, sizeof *group->skin_poses);
    group->positions = sim_arena_take(arena, (size_t)rig->particle_count, sizeof *group->positions);
    group->unstable = sim_arena_take(arena, SIM_LANES * garments, sizeof *group->unstable);
    for (int s = 0; s < substep_count && !arena->failed; s++)
        group->substeps[s].colliders =
            sim_arena_take(arena, (size_t)rig->info.collider_count + 1, sizeof *group->substeps[s].colliders);
    for (int g = 0; g < rig->info.garment_count && !arena->failed; g++) allocate_state(group, g);
    if (arena->failed) {
        sim_group_destroy(group);
        return NULL;
    }
    fill_free_lanes(group, substep_count);
    return group;
}

void sim_group_destroy(SimGroup *group) {
    if (!group) return;
    sim_arena_finish(&group->arena);
    free(group);
}

void sim_group_add(SimGroup *group, SimCharacter *character) {
    int lane = 0;
    while (group->characters[lane]) lane++;
    group->characters[lane] = character;
    group->count++;
    character->group = group;
    character->lane = lane;
}

void sim_group_remove(SimGroup *group, SimCharacter *character) {
    group->characters[character->lane] = NULL;
    group->count--;
    character->group = NULL;
}

void sim_group_copy_lane(const SimLanes3 *from, int count, int lane, float (*out)[3]) {
    for (int p = 0; p < count; p++) {
        out[p][0] = from[p].x[lane];
        out[p][1] = from[p].y[lane];
        out[p][2] = from[p].z[lane];
    }
}

static void skin_to_lane(SimGroup *group, const SimCharacter *character) {
    for (int i = 0; i < group->rig->skin_bone_count; i++) {
        int bone = group->rig->skin_bones[i];
        mat4 skin;
        glm_mat4_mul(character->model[bone], (vec4 *)group->rig->info.bones[bone].inverse_bind, skin);
        sim_matrix_to_lane((const vec4 *)skin, &group->skin_poses[i], character->lane);
    }
}

static void fabrics_to_lane(SimGroup *group, SimCharacter *character, float h) {
    for (int g = 0; g < group->rig->info.garment_count; g++) {
        SimFabricRamp *ramp = &character->fabrics[g];
        if (ramp->changed) sim_drive_fabric(&ramp->now, h, &group->fabrics[g], character->lane);
        ramp->changed = false;
    }
}

static SimKernelJob kernel_job(SimGroup *group, const SimGroupTick *tick, int garment) {
    return (SimKernelJob){.topology = &group->rig->garments[garment].topology,
                          .fabric = &group->fabrics[garment],
                          .state = &group->states[garment],
                          .substeps = group->substeps,
                          .substep_count = tick->substep_count,
                          .h = tick->dt / (float)tick->substep_count};
}

// Puts one garment of the chosen lanes at its references; the other lanes' state is saved and restored around
// it.
static bool place_garment(SimGroup *group, const SimGroupTick *tick, int garment, const bool *chosen) {
    SimGarmentState *state = &group->states[garment];
    size_t bytes = group->state_bytes[garment];
    float *saved = aligned_alloc(64, bytes);
    if (!saved) return false;
    float *now = group->state_memory[garment];
    memcpy(saved, now, bytes);
    SimKernelJob job = kernel_job(group, tick, garment);
    tick->kernel->place(&job);
    for (size_t i = 0; i < bytes / sizeof(float); i += SIM_LANES)
        for (size_t lane = 0; lane < SIM_LANES; lane++)
            if (!chosen[lane]) now[i + lane] = saved[i + lane];
    memset(&state->conflicts, 0, sizeof state->conflicts);
    free(saved);
    return true;
}

static void bones_of(SimGroup *group, SimCharacter *character, int garment, float dt) {
    const SimGarmentType *type = &group->rig->garments[garment];
    SimClothFrame *frames = character->frames + (type->first_bone - group->rig->posed_bone_count);
    const float(*positions)[3] = (const float(*)[3])group->positions;
    const mat4 *bones = (const mat4 *)character->model;
    sim_group_copy_lane(group->states[garment].position, type->info.particle_count, character->lane,
                        group->positions);
    if (dt > 0.0f)
        sim_cloth_frames_advance(type, positions, bones, dt, frames);
    else
        sim_cloth_frames_start(type, positions, bones, frames);
    sim_cloth_frames_matrices(type, positions, frames, character->model + type->first_bone);
}

bool sim_group_place(SimGroup *group, const SimGroupTick *tick) {
    bool chosen[SIM_LANES] = {false}, any = false;
    float h = tick->dt / (float)tick->substep_count;
    for (int lane = 0; lane < SIM_LANES; lane++) {
        SimCharacter *character = group->characters[lane];
        if (!character || !character->unplaced) continue;
        chosen[lane] = any = true;
        sim_character_pose(character, tick->environment, 0.0f);
        character->root_start = character->root;
        for (int g = 0; g < group->rig->info.garment_count; g++) character->fabrics[g].changed = true;
        fabrics_to_lane(group, character, h);
        skin_to_lane(group, character);
        sim_drive_lane(character, tick->wind, tick->environment, group->substeps, tick->substep_count, h,
                       lane);
    }
    if (!any) return true;
    for (int g = 0; g < group->rig->info.garment_count; g++) {
        SimGarmentState *state = &group->states[g];
        size_t bytes = (size_t)group->rig->garments[g].info.particle_count * sizeof *state->reference0;
        SimLanes3 *before = aligned_alloc(64, bytes);
        if (!before) return false;
        memcpy(before, state->reference0, bytes);
        tick->kernel->skin(&group->rig->garments[g].topology, group->skin_poses, state);
        memcpy(state->reference0, before, bytes);
        free(before);
        if (!place_garment(group, tick, g, chosen)) return false;
        for (int lane = 0; lane < SIM_LANES; lane++)
            if (chosen[lane]) bones_of(group, group->characters[lane], g, 0.0f);
    }
    for (int lane = 0; lane < SIM_LANES; lane++)
        if (chosen[lane]) group->characters[lane]->unplaced = false;
    return true;
}

// Garments that went non-finite go back to their references within the tick.
static void restore_unstable(SimGroup *group, const SimGroupTick *tick, int garment) {
    bool chosen[SIM_LANES] = {false}, any = false;
    for (int lane = 0; lane < SIM_LANES; lane++) {
        if (!group->characters[lane] || group->states[garment].unstable[lane] < 0.5f) continue;
        chosen[lane] = any = true;
        group->unstable[group->unstable_count].lane = lane;
        group->unstable[group->unstable_count++].garment = garment;
    }
    if (any) place_garment(group, tick, garment, chosen);
}

void sim_group_step(SimGroup *group, const SimGroupTick *tick) {
    const SimRig *rig = group->rig;
    float h = tick->dt / (float)tick->substep_count;
    group->conflicts = 0;
    group->unstable_count = 0;
    for (int lane = 0; lane < SIM_LANES; lane++) {
        SimCharacter *character = group->characters[lane];
        if (!character) continue;
        sim_character_ramp(character, tick->dt);
        sim_character_pose(character, tick->environment,
                           tick->dt); // clips, skeleton, twist, aim, position, colliders
        skin_to_lane(group, character);
        fabrics_to_lane(group, character, h);
        sim_drive_lane(character, tick->wind, tick->environment, group->substeps, tick->substep_count, h,
                       lane);
    }
    for (int g = 0; g < rig->info.garment_count; g++) {
        for (int lane = 0; lane < SIM_LANES; lane++)
            if (group->characters[lane])
                sim_drive_root(group->characters[lane], g, group->substeps, tick->substep_count, lane);
        SimKernelJob job = kernel_job(group, tick, g);
        tick->kernel->skin(job.topology, group->skin_poses, job.state); // references
        tick->kernel->step(&job);                                       // substeps
        restore_unstable(group, tick, g);
        for (int lane = 0; lane < SIM_LANES; lane++) {
            if (!group->characters[lane]) continue;
            group->conflicts += (uint64_t)group->states[g].conflicts[lane];
            bones_of(group, group->characters[lane], g, tick->dt);
        }
    }
    for (int lane = 0; lane < SIM_LANES; lane++)
        if (group->characters[lane]) group->characters[lane]->root_start = group->characters[lane]->root;
}
