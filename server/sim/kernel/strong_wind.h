// Strong wind moves light cloth by centimetres in a substep. One pass of contacts and lengths cannot undo
// that, so both passes repeat STRONG_WIND_ROUNDS times. Garments with a closed seam are excluded: each
// round would open it.
#pragma once

#include "kernel/collide/fused.h"
#include "kernel/collide/max_distance.h"

#define STRONG_WIND_CHANGE 2.0f // m/s, change of a particle's velocity by the air in a substep
#define STRONG_WIND_ROUNDS 2    // before the last pass of each substep

// 1 in lanes without strong wind.
LANES_INLINE lanes calm_lanes(const SimKernelJob *job) {
    lanes strongest = {0};
    for (int i = 0; i < batches_of(job->topology->particle_count); i++) {
        lanes3 change = own3(job->state->air, batch_among(job->topology->particle_count, i));
        strongest = maximum(strongest, dot3(change, change));
    }
    mask stormy = more(greatest(strongest), splat(STRONG_WIND_CHANGE * STRONG_WIND_CHANGE)) &
                  less(in_lanes(*job->state->sewn), splat(0.5f));
#ifdef SIM_STRIPS
    if (any(stormy)) return (lanes){0}; // all lanes are one garment
#endif
    return select_lanes(stormy, (lanes){0}, splat(1.0f));
}

// Overwrites state->air, which the substep no longer needs, with the positions to keep in calm lanes.
static void hold_in_strong_wind(const SimKernelJob *job, int substep) {
    const SimTopology *topology = job->topology;
    if (job->air->still || topology->columns == 1 || !topology->virtual_count) return;
    const lanes calm = calm_lanes(job);
    if (!any(less(calm, splat(0.5f)))) return;
#ifdef SIM_ALONE
    sim_scalar_hold_in_strong_wind(job, substep);
#else
    SimGarmentState *state = job->state;
    const lanes conflicts = *state->conflicts;
    for (int p = 0; p < topology->particle_count; p++) state->air[p] = state->position[p];
    SimKernelJob windy = *job;
    windy.calm = &calm;
    for (int round = 0; round < STRONG_WIND_ROUNDS; round++) {
        solve_columns(&windy, substep);
        clamp_to_max_distance(&windy, substep);
        fused_pass(&windy, substep);
        collide(&windy, substep);
    }
    for (int p = 0; p < topology->particle_count; p++)
        state->position[p] = select3(more(calm, splat(0.5f)), state->air[p], state->position[p]);
    *state->conflicts = conflicts; // the last pass of the substep counts them
#endif
}
