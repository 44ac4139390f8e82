// Cloth that strong wind drives against a body. The air carries light cloth by centimetres in a substep,
// straight through a leg, and one pass of contact and lengths leaves it torn along its rows and cut by the
// leg between its particles: each of the two undoes some of the other. So where the wind is that strong they
// take turns until little is left to undo. Not so where a closed seam is to be held, which came before: each
// turn would let it gape.
#pragma once

#include "kernel/collide/fused.h"
#include "kernel/collide/max_distance.h"

#define STRONG_WIND_CHANGE 2.0f // m/s, by which the air changes a particle's velocity in a substep
#define STRONG_WIND_ROUNDS 2    // before the pass that each substep ends with

// 1 in lanes without strong wind.
LANES_INLINE lanes calm_lanes(const SimKernelJob *job) {
    lanes strongest = {0};
    for (int p = 0; p < job->topology->particle_count; p++) {
        lanes3 change = job->state->air[p];
        strongest = maximum(strongest, dot3(change, change));
    }
    mask stormy = more(strongest, splat(STRONG_WIND_CHANGE * STRONG_WIND_CHANGE)) &
                  less(*job->state->sewn, splat(0.5f));
#ifdef SIM_STRIPS
    if (any(stormy)) return (lanes){0}; // all lanes are one garment
#endif
    return select_lanes(stormy, (lanes){0}, splat(1.0f));
}

// What was in air is used up: calm lanes keep their positions there.
static void hold_in_strong_wind(const SimKernelJob *job, int substep) {
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    if (job->air->still || topology->columns == 1 || !topology->virtual_count) return;
    const lanes calm = calm_lanes(job), conflicts = *state->conflicts;
    if (!any(less(calm, splat(0.5f)))) return;
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
    *state->conflicts = conflicts; // those that stay are counted at the end of the substep
}
