// One tick of up to 16 characters.
#include "garment/group.h"

#include "core/denormals.h"
#include "core/issue.h"
#include "core/rotation.h"
#include "garment/kernel_inputs.h"
#include "garment/self_collision.h"
#include "rig/rig.h"

#include <stdlib.h>
#include <string.h>

static void allocate_garment(SimGroup *group, int garment, const SimKernel *strip_kernel, int substep_count);
static void allocate_substeps(SimGroup *group, int substep_count);
static void fill_free_lane(SimGroup *group, int substep_count, int lane);
static void fill_lane(SimGroup *group, const SimGroupTick *tick, SimCharacter *character);
static void skin_to_lane(SimGroup *group, const SimCharacter *character);
static void step(SimGroup *group, const SimGroupTick *tick);

SimGroup *sim_group_create(SimRig *rig, const SimKernel *kernel, const SimKernel *strip_kernel,
                           int substep_count) {
    SIM_ASSERT(kernel->width == 1 || !rig->has_strips);
    SimGroup *group = calloc(1, sizeof *group);
    if (!group) return NULL;
    SimArena *arena = &group->arena;
    size_t garments = (size_t)rig->info.garment_count, lane = (size_t)kernel->width * sizeof(float);
    group->rig = rig;
    group->kernel = kernel;
    group->width = kernel->width;
    group->drive = sim_drive_of_width(kernel->width);
    group->garments = sim_arena_alloc(arena, garments, sizeof *group->garments);
    group->air = sim_arena_alloc(arena, SIM_NUMBERS(SimLaneAir), lane);
    group->skin_poses =
        sim_arena_alloc(arena, SIM_NUMBERS(SimLanesPose) * (size_t)rig->skin_bone_count, lane);
    group->roots = sim_arena_alloc(arena, (size_t)substep_count, sizeof *group->roots);
    group->seams = sim_arena_alloc(arena, (size_t)(rig->info.seam_count * substep_count), lane);
    group->self_collision = sim_self_collision_create(arena, rig, group->width);
    group->unstable = sim_arena_alloc(arena, SIM_LANES * garments, sizeof *group->unstable);
    for (int g = 0; g < rig->info.garment_count && !arena->failed; g++)
        allocate_garment(group, g, strip_kernel, substep_count);
    if (!arena->failed) allocate_substeps(group, substep_count);
    if (arena->failed) {
        sim_group_destroy(group);
        return NULL;
    }
    for (int i = 0; i < kernel->width; i++) fill_free_lane(group, substep_count, i);
    return group;
}

void sim_group_destroy(SimGroup *group) {
    if (!group) return;
    sim_arena_free(&group->arena);
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

int sim_level_substeps(const SimRig *rig, SimLevel level, int substep_count) {
    if (level == SIM_LEVEL_SKINNED) return 1;
    bool has_springs = false;
    for (int g = 0; g < rig->info.garment_count; g++)
        has_springs |= rig->garments[g].topology.mass_spring != 0;
    return level == SIM_LEVEL_REDUCED && !has_springs && substep_count > 1 ? substep_count / 2
                                                                           : substep_count;
}

void sim_group_set_level(SimGroup *group, SimLevel level) {
    SIM_ASSERT(group->width == 1);
    group->level = level;
    for (int g = 0; g < group->rig->info.garment_count; g++) group->characters[0]->fabrics[g].changed = true;
}

void sim_group_move(SimGroup *to, SimCharacter *character) {
    SimGroup *from = character->group;
    int before = character->lane;
    sim_group_remove(from, character);
    sim_group_add(to, character);
    for (int g = 0; g < to->rig->info.garment_count; g++) {
        const SimGroupGarment *source = &from->garments[g];
        for (size_t i = 0; i < source->numbers; i++)
            *sim_lane_at(sim_group_lane(to, to->garments[g].memory, character->lane), i).first =
                *sim_lane_at(sim_group_lane(from, source->memory, before), i).first;
        character->fabrics[g].changed = true;
    }
}

float sim_group_bone_number(const SimGroup *group, int garment, int bone, size_t number, int lane) {
    SimLane frames = sim_group_lane(group, group->garments[garment].state.frames, lane);
    return *sim_lane_at(frames, SIM_NUMBERS(SimBoneFrame) * (size_t)bone + number).first;
}

bool sim_group_place(SimGroup *group, const SimGroupTick *tick) {
    bool chosen[SIM_LANES] = {false}, any = false;
    for (int lane = 0; lane < group->width; lane++) {
        SimCharacter *character = group->characters[lane];
        if (!character || !character->unplaced) continue;
        chosen[lane] = any = true;
        sim_character_pose(character, tick->environment, 0.0f);
        character->root_start = character->root;
        for (int g = 0; g < group->rig->info.garment_count; g++) character->fabrics[g].changed = true;
        fill_lane(group, tick, character);
    }
    if (!any) return true;
    if (group->rig->info.garment_count > 0) sim_fill_colliders(group, tick, -1);
    for (int i = 0; i < group->rig->island_count; i++)
        if (!sim_island_place(group, tick, &group->rig->islands[i], chosen)) return false;
    for (int lane = 0; lane < group->width; lane++)
        if (chosen[lane]) group->characters[lane]->unplaced = false;
    return true;
}

void sim_group_step(SimGroup *group, const SimGroupTick *tick) {
    uint64_t mode = sim_flush_denormals();
    step(group, tick);
    sim_restore_denormals(mode);
}

static void allocate_garment(SimGroup *group, int garment, const SimKernel *strip_kernel, int substep_count) {
    const SimGarmentType *type = &group->rig->garments[garment];
    SimGroupGarment *out = &group->garments[garment];
    SimArena *arena = &group->arena;
    size_t lane = (size_t)group->width * sizeof(float);
    out->kernel = group->kernel->alone && !type->topology.alone ? &sim_kernel_scalar : group->kernel;
    out->memory = sim_state_allocate(arena, &type->topology, group->width, &out->state, &out->numbers);
    out->fabrics = sim_arena_alloc(arena, SIM_NUMBERS(SimLaneFabric) * (size_t)substep_count, lane);
    out->substeps = sim_arena_alloc(arena, (size_t)substep_count, sizeof *out->substeps);
    if (type->strips)
        out->strips = sim_strip_garment_create(arena, type->strips, strip_kernel, substep_count,
                                               group->rig->info.collider_count + 1);
}

// Gravity, colliders and the root in the world are shared by all garments.
static void allocate_substeps(SimGroup *group, int substep_count) {
    SimArena *arena = &group->arena;
    size_t lane = (size_t)group->width * sizeof(float);
    size_t colliders = (size_t)group->rig->info.collider_count + 1;
    for (int s = 0; s < substep_count && !arena->failed; s++) {
        SimSubstep shared = {
            .gravity = sim_arena_alloc(arena, SIM_NUMBERS(SimLanes3), lane),
            .root_world = sim_arena_alloc(arena, SIM_NUMBERS(SimLanesPose), lane),
            .colliders = sim_arena_alloc(arena, SIM_NUMBERS(SimColliderPose) * colliders, lane),
        };
        for (int g = 0; g < group->rig->info.garment_count && !arena->failed; g++) {
            group->garments[g].substeps[s] = shared;
            group->garments[g].substeps[s].root = sim_arena_alloc(arena, SIM_NUMBERS(SimLanesPose) * 2, lane);
            group->garments[g].substeps[s].inertia =
                sim_arena_alloc(arena, SIM_NUMBERS(SimInertialShare), lane);
        }
    }
}

// Free lanes are computed as well: they hold cloth at rest that touches nothing.
static void fill_free_lane(SimGroup *group, int substep_count, int lane) {
    SimTransform identity = SIM_TRANSFORM_IDENTITY, far = SIM_TRANSFORM_IDENTITY;
    far.position[1] = -1e4f;
    SimFabric fabric = sim_default_fabric();
    const size_t pose = SIM_NUMBERS(SimLanesPose);
    for (int i = 0; i < group->rig->skin_bone_count; i++)
        sim_pose_to_lane(&identity,
                         sim_lane_at(sim_group_lane(group, group->skin_poses, lane), pose * (size_t)i));
    for (int i = 0; i < group->rig->info.seam_count * substep_count; i++)
        *sim_lane_at(sim_group_lane(group, group->seams, lane), (size_t)i).first = -1.0f; // open
    for (int g = 0; g < group->rig->info.garment_count; g++) {
        SimGroupGarment *garment = &group->garments[g];
        const SimTopology *topology = &group->rig->garments[g].topology;
        for (int s = 0; s < substep_count; s++) {
            SimSubstepLane out = sim_substep_lane(&garment->substeps[s], group->width, lane);
            for (size_t edge = 0; edge < 2; edge++)
                sim_pose_to_lane(&identity, sim_lane_at(out.root, pose * edge));
            for (int i = 0; i <= group->rig->info.collider_count; i++)
                sim_pose_to_lane(&far, sim_lane_at(out.colliders, SIM_NUMBERS(SimColliderPose) * (size_t)i));
        }
        SimLane fabrics = sim_group_lane(group, garment->fabrics, lane);
        for (size_t s = 0; s < (size_t)substep_count; s++)
            sim_fill_fabric(&group->rig->garments[g], &fabric, 1.0f / 240.0f,
                            sim_lane_at(fabrics, SIM_NUMBERS(SimLaneFabric) * s));
        SimLane position = sim_group_lane(group, garment->state.position, lane);
        for (int i = 0; i < 3 * topology->particle_count; i++)
            *sim_lane_at(position, (size_t)i).first = topology->rest[i / 3][i % 3];
    }
}

// Fills one lane after another, since each character has memory of its own. The colliders follow in all
// lanes.
static void fill_lane(SimGroup *group, const SimGroupTick *tick, SimCharacter *character) {
    float h = tick->dt / (float)tick->substep_count;
    int width = group->width, lane = character->lane;
    skin_to_lane(group, character);
    sim_root_steps(&character->root_start, &character->root, tick->substep_count, group->roots);
    sim_weather_to_lane(tick->weather, &character->root_start, sim_group_lane(group, group->air, lane));
    if (group->rig->info.garment_count > 0)
        sim_fill_lane(tick->environment, group->roots, group->garments[0].substeps, tick->substep_count,
                      width, lane);
    for (int g = 0; g < group->rig->info.garment_count; g++)
        sim_fill_garment(character, g, group->roots, group->garments[g].substeps, tick->substep_count, h,
                         sim_group_lane(group, group->garments[g].fabrics, lane));
    for (int i = 0; i < group->rig->info.seam_count; i++)
        sim_fill_seam(&character->seams[i], tick->substep_count, h,
                      sim_group_lane(group, sim_group_seam(group, i, tick->substep_count), lane));
}

static void skin_to_lane(SimGroup *group, const SimCharacter *character) {
    for (int i = 0; i < group->rig->skin_bone_count; i++) {
        int bone = group->rig->skin_bones[i];
        mat4 skin;
        sim_matrix_multiply((const vec4 *)character->model[bone],
                            (const vec4 *)group->rig->inverse_rest[bone], skin);
        sim_matrix_to_lane((const vec4 *)skin,
                           sim_lane_at(sim_group_lane(group, group->skin_poses, character->lane),
                                       SIM_NUMBERS(SimLanesPose) * (size_t)i));
    }
}

static void step(SimGroup *group, const SimGroupTick *tick) {
    group->conflicts = 0;
    group->unstable_count = 0;
    for (int lane = 0; lane < group->width; lane++) {
        SimCharacter *character = group->characters[lane];
        if (!character) continue;
        // Clips, skeleton, twist, aim, position, colliders.
        sim_character_pose(character, tick->environment, tick->dt);
        fill_lane(group, tick, character);
    }
    if (group->rig->info.garment_count > 0) sim_fill_colliders(group, tick, -1);
    const bool skinned = group->level == SIM_LEVEL_SKINNED;
    for (int i = 0; i < group->rig->island_count; i++)
        (skinned ? sim_island_step_skinned : sim_island_step)(group, tick, &group->rig->islands[i]);
    for (int lane = 0; lane < group->width; lane++)
        if (group->characters[lane]) {
            sim_rest_update(group->characters[lane], tick);
            sim_character_end_tick(group->characters[lane], tick->dt);
        }
}
