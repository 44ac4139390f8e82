// Copies between a garment in a lane and the same garment in strips.
#include "garment/strip_garment.h"

#include "core/issue.h"
#include "garment/group.h"

#include <math.h>
#include <string.h>

#define VECTOR SIM_NUMBERS(SimLanes3)
#define POSE   SIM_NUMBERS(SimLanesPose)
#define FABRIC SIM_NUMBERS(SimLaneFabric)

static float *alloc_lanes(SimArena *arena, size_t numbers);
static void exchange(const SimStripGarment *strips, void *lane, void *in_strips, size_t numbers, bool back);
static void spread(const void *lane, void *strips, size_t numbers);

SimStripGarment *sim_strip_garment_create(SimArena *arena, const SimTopology *topology,
                                          const SimKernel *kernel, int substep_count, int collider_count) {
    SimStripGarment *strips = sim_arena_alloc(arena, 1, sizeof *strips);
    if (!strips) return NULL;
    *strips =
        (SimStripGarment){.topology = topology,
                          .kernel = kernel,
                          .fabrics = alloc_lanes(arena, FABRIC * (size_t)substep_count),
                          .air = alloc_lanes(arena, SIM_NUMBERS(SimLaneAir)),
                          .substeps = sim_arena_alloc(arena, (size_t)substep_count, sizeof *strips->substeps),
                          .collider_count = collider_count,
                          .stale = true};
    strips->memory = sim_state_allocate(arena, topology, SIM_LANES, &strips->state, &strips->numbers);
    for (int s = 0; s < substep_count && !arena->failed; s++)
        strips->substeps[s] = (SimSubstep){
            .gravity = (SimLanes3 *)alloc_lanes(arena, VECTOR),
            .root_world = (SimLanesPose *)alloc_lanes(arena, POSE),
            .root = (SimLanesPose *)alloc_lanes(arena, 2 * POSE),
            .inertia = (SimInertialShare *)alloc_lanes(arena, SIM_NUMBERS(SimInertialShare)),
            .colliders =
                (SimColliderPose *)alloc_lanes(arena, (size_t)collider_count * SIM_NUMBERS(SimColliderPose)),
        };
    return arena->failed ? NULL : strips;
}

SimKernelJob sim_strip_garment_job(const SimStripGarment *strips, const SimKernelJob *lane, int substep) {
    SimKernelJob job = *lane;
    job.topology = strips->topology;
    job.fabric = (const SimLaneFabric *)(strips->fabrics + FABRIC * (size_t)substep * SIM_LANES);
    job.state = (SimGarmentState *)&strips->state;
    job.lane_air = (const SimLaneAir *)strips->air;
    job.substeps = strips->substeps;
    return job;
}

void sim_strip_garment_adopt(SimStripGarment *strips, const SimStripGarment *from) {
    strips->stale = !from || from->stale;
    if (strips->stale) return;
    SIM_ASSERT(strips->numbers == from->numbers);
    memcpy(strips->memory, from->memory, strips->numbers * SIM_LANES * sizeof(float));
}

void sim_strip_garment_leave(const SimStripGarment *strips, SimGarmentState *lane) {
    if (strips->stale) return;
    exchange(strips, lane->velocity, strips->state.velocity, VECTOR, true);
    exchange(strips, lane->damped_to, strips->state.damped_to, VECTOR, true);
    exchange(strips, lane->contact, strips->state.contact, 1, true);
}

void sim_strip_garment_begin(SimStripGarment *strips, const SimKernelJob *lane) {
    const SimGarmentState *from = lane->state;
    SimGarmentState *to = &strips->state;
    exchange(strips, from->reference0, to->reference0, VECTOR, false);
    exchange(strips, from->reference1, to->reference1, VECTOR, false);
    if (strips->stale) {
        exchange(strips, from->position, to->position, VECTOR, false);
        exchange(strips, from->velocity, to->velocity, VECTOR, false);
        exchange(strips, from->damped_to, to->damped_to, VECTOR, false);
        exchange(strips, from->contact, to->contact, 1, false);
        strips->stale = false;
    }
    spread(lane->fabric, strips->fabrics, FABRIC * (size_t)lane->substep_count);
    spread(from->recovery, to->recovery, 1);
    spread(lane->lane_air, strips->air, SIM_NUMBERS(SimLaneAir));
    for (int s = 0; s < lane->substep_count; s++) {
        const SimSubstep *drive = &lane->substeps[s], *out = &strips->substeps[s];
        spread(drive->gravity, out->gravity, VECTOR);
        spread(drive->root_world, out->root_world, POSE);
        spread(drive->root, out->root, 2 * POSE);
        spread(drive->inertia, out->inertia, SIM_NUMBERS(SimInertialShare));
        spread(drive->colliders, out->colliders,
               (size_t)strips->collider_count * SIM_NUMBERS(SimColliderPose));
    }
}

void sim_strip_garment_end(SimStripGarment *strips, const SimKernelJob *lane) {
    exchange(strips, lane->state->position, strips->state.position, VECTOR, true);
    const float *conflicts = (const float *)strips->state.conflicts;
    const float *unstable = (const float *)strips->state.unstable;
    float *all_conflicts = (float *)lane->state->conflicts, *any_unstable = (float *)lane->state->unstable;
    const float *top_speed_squared = (const float *)strips->state.top_speed_squared;
    const float *recovery = (const float *)strips->state.recovery;
    float *most_speed_squared = (float *)lane->state->top_speed_squared, least_recovery = 0.0f,
          most_recovery = 0.0f;
    *all_conflicts = *any_unstable = *most_speed_squared = 0.0f;
    for (int strip = 0; strip < SIM_LANES; strip++) {
        *all_conflicts += conflicts[strip];
        if (unstable[strip] > *any_unstable) *any_unstable = unstable[strip];
        if (top_speed_squared[strip] > *most_speed_squared) *most_speed_squared = top_speed_squared[strip];
        least_recovery = fminf(least_recovery, recovery[strip]);
        most_recovery = fmaxf(most_recovery, recovery[strip]);
    }
    // The garment recovers as long as any strip does.
    *(float *)lane->state->recovery = least_recovery < 0.0f ? least_recovery : most_recovery;
}

static float *alloc_lanes(SimArena *arena, size_t numbers) {
    return sim_arena_alloc(arena, numbers, SIM_LANES * sizeof(float));
}

// Copies numbers of each particle from the lane to its strip or back.
static void exchange(const SimStripGarment *strips, void *lane, void *in_strips, size_t numbers, bool back) {
    float *whole = lane, *cut = in_strips;
    size_t width = (size_t)strips->topology->columns, columns = width * SIM_LANES;
    size_t particles = (size_t)strips->topology->rows * columns;
    for (size_t p = 0; p < particles; p++) {
        size_t column = p % columns, place = p / columns * width + column % width;
        for (size_t i = 0; i < numbers; i++) {
            float *here = &whole[p * numbers + i];
            float *there = &cut[(place * numbers + i) * SIM_LANES + column / width];
            if (back)
                *here = *there;
            else
                *there = *here;
        }
    }
}

// Copies values of the whole garment to every strip.
static void spread(const void *lane, void *strips, size_t numbers) {
    const float *from = lane;
    float *to = strips;
    for (size_t i = 0; i < numbers * SIM_LANES; i++) to[i] = from[i / SIM_LANES];
}
