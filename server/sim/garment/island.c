// Steps the garments of an island together, then computes their bones and the colliders on them.
#include "core/rotation.h"
#include "garment/group.h"
#include "garment/kernel_inputs.h"
#include "garment/self_collision.h"
#include "rig/rig.h"

#include <stdlib.h>
#include <string.h>

#define SETTLE_ROUNDS 32 // rounds that draw placed cloth with a closed seam together
#define CARRY_ROUNDS  16 // rounds that relax the cloth after a pose teleports

static bool place(SimGroup *group, const SimGroupTick *tick, const SimIsland *island, const bool *chosen,
                  bool skins);
static float *save(const SimGroup *group, const int *garments, int count);
static void put_back(const SimGroup *group, const int *garments, int count, const bool *chosen,
                     const float *saved);
static bool settle(SimGroup *group, const SimGroupTick *tick, const SimIsland *island, const bool *chosen);
static void draw_together(const SimGroup *group, const SimGroupTick *tick, const SimIsland *island,
                          int rounds);
static void sew(const SimGroup *group, const SimGroupTick *tick, const SimIsland *island, int substep);
static void run_phase(const SimGroup *group, const SimGroupTick *tick, const SimIsland *island,
                      SimPhase phase, int substep);
static void run_parts(const SimKernel *kernel, const SimKernelJob *job, SimPhase phase, int substep);
static void read_back_bones(SimGroup *group, const SimGroupTick *tick, int garment, const bool *chosen,
                            float dt);
static void follow_references(const SimGroup *group, const SimGroupTick *tick, const SimGroupGarment *garment,
                              int particle_count);
static bool show_nearer_references(const SimGroup *group, const SimGroupTick *tick, const SimKernelJob *job);
static size_t position_bytes(const SimGroup *group, const SimKernelJob *job);
static void end_tick(SimGroup *group, const SimGroupTick *tick, const SimIsland *island);
static void simulate(SimGroup *group, const SimGroupTick *tick, const SimIsland *island);
static void teleport(SimGroup *group, const SimGroupTick *tick, const SimIsland *island);
static void teleport_garment(SimGroup *group, int garment, int lane);
static void turn_of(const SimGroup *group, int garment, const SimPose *pose, int particle, versor out);
static void teleport_particle(const SimGarmentState *state, const SimGroup *group, int lane, int particle,
                              const versor turn);
static void read_vector(SimLane lane, int index, vec3 out);
static void turn_vector(SimLane lane, size_t number, const versor turn);
static void simulate_strips(SimStripGarment *strips, const SimKernelJob *lane);
static void restore_unstable(SimGroup *group, const SimGroupTick *tick, int garment);
static void restart_teleported(SimGroup *group, const SimGroupTick *tick, const SimIsland *island);

bool sim_island_place(SimGroup *group, const SimGroupTick *tick, const SimIsland *island,
                      const bool *chosen) {
    if (!place(group, tick, island, chosen, true)) return false;
    for (int i = 0; i < island->garment_count; i++)
        read_back_bones(group, tick, island->garments[i], chosen, 0.0f);
    return true;
}

void sim_island_step(SimGroup *group, const SimGroupTick *tick, const SimIsland *island) {
    simulate(group, tick, island);
    end_tick(group, tick, island);
}

void sim_island_step_skinned(SimGroup *group, const SimGroupTick *tick, const SimIsland *island) {
    for (int i = 0; i < island->garment_count; i++) {
        const SimGroupGarment *garment = &group->garments[island->garments[i]];
        SimKernelJob job = sim_kernel_job(group, tick, island->garments[i], 0);
        garment->kernel->skin(job.topology, job.skin_poses, job.state);
        follow_references(group, tick, garment, job.topology->particle_count);
        if (garment->strips) garment->strips->stale = true;
        garment->kernel->end(&job);
    }
    end_tick(group, tick, island);
}

// Draws the cloth to its references, which it reaches when until_skinned is over.
static void follow_references(const SimGroup *group, const SimGroupTick *tick, const SimGroupGarment *garment,
                              int particle_count) {
    const SimGarmentState *state = &garment->state;
    float keep[SIM_LANES] = {0};
    for (int lane = 0; lane < group->width; lane++) {
        const float left = group->characters[lane] ? group->characters[lane]->until_skinned : 0.0f;
        keep[lane] = sim_way_left(left, tick->dt);
        ((float *)state->conflicts)[lane] = 0.0f;
    }
    float *position = (float *)state->position, *velocity = (float *)state->velocity;
    const float *before = (const float *)state->reference0, *after = (const float *)state->reference1;
    for (int number = 0, i = 0; number < 3 * particle_count; number++)
        for (int lane = 0; lane < group->width; lane++, i++) {
            const float from = position[i];
            position[i] = after[i] + keep[lane] * (from - before[i]);
            velocity[i] = (position[i] - from) / tick->dt;
        }
}

// What is left to do once the cloth has moved.
static void end_tick(SimGroup *group, const SimGroupTick *tick, const SimIsland *island) {
    bool taken[SIM_LANES];
    for (int lane = 0; lane < group->width; lane++) taken[lane] = group->characters[lane] != NULL;
    for (int i = 0; i < island->garment_count; i++) {
        int garment = island->garments[i];
        const float *conflicts = (const float *)group->garments[garment].state.conflicts;
        for (int lane = 0; lane < group->width; lane++)
            if (taken[lane]) group->conflicts += (uint64_t)conflicts[lane];
        restore_unstable(group, tick, garment);
    }
    restart_teleported(group, tick, island);
    for (int i = 0; i < island->garment_count; i++) {
        int garment = island->garments[i];
        SimKernelJob job = sim_kernel_job(group, tick, garment, 0);
        const bool mixed = show_nearer_references(group, tick, &job);
        group->garments[garment].kernel->bones(&job, tick->dt); // bones, wrinkles
        read_back_bones(group, tick, garment, taken, tick->dt);
        if (mixed) memcpy(job.state->position, job.state->predicted, position_bytes(group, &job));
    }
}

// Cloth that is simulated again starts at references that may lie in bodies: bones come from there to where
// it is within SIM_RAMP_SECONDS. Its positions stay in `predicted`, which is not needed between two ticks.
// Returns whether there is such cloth.
static bool show_nearer_references(const SimGroup *group, const SimGroupTick *tick, const SimKernelJob *job) {
    float share[SIM_LANES] = {0};
    bool any = false;
    for (int lane = 0; lane < group->width; lane++) {
        const SimCharacter *character = group->characters[lane];
        if (!character || character->until_simulated <= 0.0f) continue;
        share[lane] = glm_smoothstep(0.0f, SIM_RAMP_SECONDS, character->until_simulated - tick->dt);
        any = true;
    }
    if (!any) return false;
    memcpy(job->state->predicted, job->state->position, position_bytes(group, job));
    float *position = (float *)job->state->position;
    const float *reference = (const float *)job->state->reference1;
    for (int number = 0, i = 0; number < 3 * job->topology->particle_count; number++)
        for (int lane = 0; lane < group->width; lane++, i++)
            position[i] += share[lane] * (reference[i] - position[i]);
    return true;
}

static size_t position_bytes(const SimGroup *group, const SimKernelJob *job) {
    return 3 * (size_t)(job->topology->particle_count * group->width) * sizeof(float);
}

// Puts the cloth of the chosen lanes at its references as they are.
static bool place(SimGroup *group, const SimGroupTick *tick, const SimIsland *island, const bool *chosen,
                  bool skins) {
    float *saved = save(group, island->garments, island->garment_count);
    if (!saved) return false;
    for (int i = 0; i < island->garment_count; i++) {
        const SimKernel *kernel = group->garments[island->garments[i]].kernel;
        SimKernelJob job = sim_kernel_job(group, tick, island->garments[i], 0);
        if (skins) kernel->skin(job.topology, job.skin_poses, job.state);
        kernel->place(&job);
        kernel->begin(&job);
    }
    put_back(group, island->garments, island->garment_count, chosen, saved);
    free(saved);
    return settle(group, tick, island, chosen);
}

// Saves the state of all lanes. The kernel places all lanes; put_back restores the others.
static float *save(const SimGroup *group, const int *garments, int count) {
    size_t numbers = 0;
    for (int i = 0; i < count; i++) numbers += group->garments[garments[i]].numbers;
    float *saved = malloc((numbers * (size_t)group->width + 1) * sizeof(float));
    float *at = saved;
    for (int i = 0; i < count && saved; i++) {
        const SimGroupGarment *garment = &group->garments[garments[i]];
        memcpy(at, garment->memory, garment->numbers * (size_t)group->width * sizeof(float));
        at += garment->numbers * (size_t)group->width;
    }
    return saved;
}

static void put_back(const SimGroup *group, const int *garments, int count, const bool *chosen,
                     const float *saved) {
    for (int i = 0; i < count; i++) {
        const SimGroupGarment *garment = &group->garments[garments[i]];
        if (garment->strips) garment->strips->stale = true;
        size_t width = (size_t)group->width;
        for (size_t k = 0; k < garment->numbers; k++, saved += width)
            for (size_t lane = 0; lane < width; lane++)
                if (!chosen[lane]) garment->memory[k * width + lane] = saved[lane];
    }
}

// Draws the cloth of closed seams together outside time, since it gapes at its references. Otherwise it
// would fly together in the first tick.
static bool settle(SimGroup *group, const SimGroupTick *tick, const SimIsland *island, const bool *chosen) {
    bool sewn[SIM_LANES] = {false}, any = false;
    for (int lane = 0; lane < group->width; lane++)
        for (int i = 0; i < island->seam_count && chosen[lane]; i++)
            if (group->characters[lane]->seams[island->seams[i]].closed) sewn[lane] = any = true;
    float *saved = any ? save(group, island->garments, island->garment_count) : NULL;
    if (!saved) return !any;
    draw_together(group, tick, island, SETTLE_ROUNDS);
    for (int i = 0; i < island->garment_count; i++) {
        const SimKernel *kernel = group->garments[island->garments[i]].kernel;
        SimKernelJob job = sim_kernel_job(group, tick, island->garments[i], 0);
        kernel->bones(&job, 0.0f);
        kernel->begin(&job); // conflicts of placing do not count
    }
    put_back(group, island->garments, island->garment_count, sewn, saved);
    free(saved);
    return true;
}

// Relaxes all lanes outside time.
static void draw_together(const SimGroup *group, const SimGroupTick *tick, const SimIsland *island,
                          int rounds) {
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < island->garment_count; i++) {
            SimKernelJob job = sim_kernel_job(group, tick, island->garments[i], 0);
            group->garments[island->garments[i]].kernel->relax(&job);
        }
        sew(group, tick, island, 0);
        run_phase(group, tick, island, SIM_PHASE_HARD, 0);
    }
    for (int i = 0; i < island->garment_count; i++) {
        SimKernelJob job = sim_kernel_job(group, tick, island->garments[i], 0);
        group->garments[island->garments[i]].kernel->come_to_rest(&job);
    }
}

static void sew(const SimGroup *group, const SimGroupTick *tick, const SimIsland *island, int substep) {
    for (int i = 0; i < island->seam_count; i++) {
        const SimSeam *seam = &group->rig->seams[island->seams[i]];
        SimKernelJob jobs[2];
        for (int end = 0; end < 2; end++)
            jobs[end] = sim_kernel_job(group, tick, seam->garments[end], substep);
        SimKernelSeam at_work = {
            .seam = seam,
            .jobs = {&jobs[0], &jobs[1]},
            .allowed = (const SimLanes *)sim_group_seam(group, island->seams[i], tick->substep_count)};
        group->kernel->sew(&at_work, substep);
    }
}

static void run_phase(const SimGroup *group, const SimGroupTick *tick, const SimIsland *island,
                      SimPhase phase, int substep) {
    for (int i = 0; i < island->garment_count; i++) {
        if (group->garments[island->garments[i]].strips) continue;
        SimKernelJob job = sim_kernel_job(group, tick, island->garments[i], substep);
        run_parts(group->garments[island->garments[i]].kernel, &job, phase, substep);
    }
}

static void run_parts(const SimKernel *kernel, const SimKernelJob *job, SimPhase phase, int substep) {
    const SimKernelParts *parts = &kernel->solvers[job->topology->mass_spring][phase];
    for (int i = 0; i < parts->count; i++) parts->parts[i].run(job, substep);
}

// Reads the chosen lanes' bones from the kernel and moves the colliders on them; with dt 0 without motion.
static void read_back_bones(SimGroup *group, const SimGroupTick *tick, int garment, const bool *chosen,
                            float dt) {
    const SimGarmentType *type = &group->rig->garments[garment];
    const SimGroupGarment *at = &group->garments[garment];
    mat4 *bones[SIM_LANES] = {NULL};
    for (int lane = 0; lane < group->width; lane++)
        if (chosen[lane]) bones[lane] = group->characters[lane]->model + type->first_bone;
    sim_cloth_bones_matrices(&type->topology, (const float *)at->state.position,
                             (const float *)at->state.frames, group->width, bones);
    for (int lane = 0; lane < group->width; lane++)
        if (chosen[lane]) sim_character_pose_garment_colliders(group->characters[lane], garment, dt);
    sim_fill_colliders(group, tick, garment);
}

// Steps all garments substep by substep, so that a seam finds both of its sides at the same time.
static void simulate(SimGroup *group, const SimGroupTick *tick, const SimIsland *island) {
    for (int i = 0; i < island->garment_count; i++) {
        SimKernelJob job = sim_kernel_job(group, tick, island->garments[i], 0);
        group->garments[island->garments[i]].kernel->skin(
            job.topology, (const SimLanesPose *)group->skin_poses, job.state); // references
    }
    teleport(group, tick, island);
    for (int i = 0; i < island->garment_count; i++) {
        SimKernelJob job = sim_kernel_job(group, tick, island->garments[i], 0);
        group->garments[island->garments[i]].kernel->begin(&job);
    }
    const bool meets_itself = group->level == SIM_LEVEL_FULL;
    if (meets_itself) sim_self_collision_begin(group, tick, island);
    for (int substep = 0; substep < tick->substep_count; substep++) {
        run_phase(group, tick, island, SIM_PHASE_SOFT, substep);
        sew(group, tick, island, substep);
        run_phase(group, tick, island, SIM_PHASE_HARD, substep);
        if (meets_itself) sim_self_collision_step(group, tick, island, substep);
    }
    for (int i = 0; i < island->garment_count; i++) {
        SimKernelJob job = sim_kernel_job(group, tick, island->garments[i], 0);
        const SimGroupGarment *garment = &group->garments[island->garments[i]];
        if (garment->strips)
            simulate_strips(garment->strips, &job);
        else
            garment->kernel->end(&job);
    }
    if (meets_itself) sim_self_collision_end(group, tick, island);
}

// Moves the cloth along with a pose that teleports, at rest.
static void teleport(SimGroup *group, const SimGroupTick *tick, const SimIsland *island) {
    bool chosen[SIM_LANES] = {false}, any = false;
    for (int lane = 0; lane < group->width; lane++)
        if (group->characters[lane] && group->characters[lane]->pose.teleports) chosen[lane] = any = true;
    float *saved = any ? save(group, island->garments, island->garment_count) : NULL;
    if (!saved) return;
    for (int i = 0; i < island->garment_count; i++)
        for (int lane = 0; lane < group->width; lane++)
            if (chosen[lane]) teleport_garment(group, island->garments[i], lane);
    draw_together(group, tick, island, CARRY_ROUNDS);
    put_back(group, island->garments, island->garment_count, chosen, saved);
    free(saved);
}

static void teleport_garment(SimGroup *group, int garment, int lane) {
    const SimTopology *topology = &group->rig->garments[garment].topology;
    const SimGarmentState *state = &group->garments[garment].state;
    const SimPose *pose = &group->characters[lane]->pose;
    versor turn;
    for (int p = 0; p < topology->particle_count; p++) {
        turn_of(group, garment, pose, p, turn);
        teleport_particle(state, group, lane, p, turn);
    }
    for (int i = 0; i < topology->bone_count; i++) {
        const SimLane frame =
            sim_lane_at(sim_group_lane(group, state->frames, lane), SIM_NUMBERS(SimBoneFrame) * (size_t)i);
        turn_of(group, garment, pose, topology->bones[i].pivot, turn);
        turn_vector(frame, SIM_NUMBER(SimBoneFrame, x), turn);
        turn_vector(frame, SIM_NUMBER(SimBoneFrame, y), turn);
        turn_vector(frame, SIM_NUMBER(SimBoneFrame, z), turn);
    }
}

// The weighted mean of a particle's bones' turns, on the hemisphere of the first one.
static void turn_of(const SimGroup *group, int garment, const SimPose *pose, int particle, versor out) {
    const SimTopology *topology = &group->rig->garments[garment].topology;
    const int *bones = topology->skin_bones + SIM_INFLUENCES * particle;
    const float *weights = topology->skin_weights + SIM_INFLUENCES * particle;
    const float *first = pose->turned[group->rig->skin_bones[bones[0]]];
    glm_vec4_zero(out);
    for (int i = 0; i < SIM_INFLUENCES; i++) {
        const float *turn = pose->turned[group->rig->skin_bones[bones[i]]];
        const float side = glm_quat_dot((float *)first, (float *)turn) < 0.0f ? -weights[i] : weights[i];
        glm_vec4_muladds((float *)turn, side, out);
    }
    glm_quat_normalize(out);
}

static void teleport_particle(const SimGarmentState *state, const SimGroup *group, int lane, int particle,
                              const versor turn) {
    vec3 position, before, after;
    const SimLane positions = sim_group_lane(group, state->position, lane);
    read_vector(positions, particle, position);
    read_vector(sim_group_lane(group, state->reference0, lane), particle, before);
    read_vector(sim_group_lane(group, state->reference1, lane), particle, after);
    glm_vec3_sub(position, before, position);
    sim_quat_rotate(turn, position, position);
    glm_vec3_add(position, after, position);
    const size_t number = SIM_NUMBERS(SimLanes3) * (size_t)particle;
    sim_vector_to_lane(position, sim_lane_at(positions, number));
    sim_vector_to_lane(after, sim_lane_at(sim_group_lane(group, state->reference0, lane), number));
    sim_vector_to_lane(after, sim_lane_at(sim_group_lane(group, state->reference, lane), number));
}

static void read_vector(SimLane lane, int index, vec3 out) {
    for (int i = 0; i < 3; i++) out[i] = *sim_lane_at(lane, (size_t)(3 * index + i)).first;
}

static void turn_vector(SimLane lane, size_t number, const versor turn) {
    vec3 vector;
    const SimLane at = sim_lane_at(lane, number);
    read_vector(at, 0, vector);
    sim_quat_rotate(turn, vector, vector);
    sim_vector_to_lane(vector, at);
}

// A garment in strips has no seams: its substeps run by themselves.
static void simulate_strips(SimStripGarment *strips, const SimKernelJob *lane) {
    const SimKernel *kernel = strips->kernel;
    sim_strip_garment_begin(strips, lane);
    SimKernelJob job = sim_strip_garment_job(strips, lane, 0);
    kernel->begin(&job);
    for (int substep = 0; substep < job.substep_count; substep++) {
        job = sim_strip_garment_job(strips, lane, substep);
        for (SimPhase phase = 0; phase < SIM_PHASES; phase++) run_parts(kernel, &job, phase, substep);
    }
    kernel->end(&job);
    sim_strip_garment_end(strips, lane);
}

// Puts garments that are out of bounds back to their references within the tick and closes their seams again.
static void restore_unstable(SimGroup *group, const SimGroupTick *tick, int garment) {
    bool chosen[SIM_LANES] = {false}, any = false;
    const float *unstable = (const float *)group->garments[garment].state.unstable;
    for (int lane = 0; lane < group->width; lane++) {
        SimCharacter *character = group->characters[lane];
        if (!character || (unstable[lane] < 0.5f && character->overflowed < 0)) continue;
        chosen[lane] = any = true;
        group->unstable[group->unstable_count].lane = lane;
        group->unstable[group->unstable_count].garment = garment;
        group->unstable[group->unstable_count++].cause = sim_cause_find(group, garment, lane);
        for (int i = 0; i < group->rig->info.seam_count; i++) {
            const int *sewn = group->rig->seams[i].garments;
            if (sewn[0] == garment || sewn[1] == garment) character->seams[i].left = SIM_RAMP_SECONDS;
        }
    }
    float *saved = any ? save(group, &garment, 1) : NULL;
    if (!saved) return;
    SimKernelJob job = sim_kernel_job(group, tick, garment, 0);
    group->garments[garment].kernel->place(&job);
    put_back(group, &garment, 1, chosen, saved);
    free(saved);
}

// Restarts the cloth at its references after SIM_TELEPORT_RESET.
static void restart_teleported(SimGroup *group, const SimGroupTick *tick, const SimIsland *island) {
    bool chosen[SIM_LANES] = {false}, any = false;
    for (int lane = 0; lane < group->width; lane++) {
        SimCharacter *character = group->characters[lane];
        if (!character || character->teleport != SIM_TELEPORT_RESET) continue;
        chosen[lane] = any = true;
        for (int i = 0; i < island->garment_count; i++)
            character->root_motions[island->garments[i]] = (SimRootMotion){0};
    }
    if (any) place(group, tick, island, chosen, false);
}
