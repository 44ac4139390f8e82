// Slows cloth on which nothing has acted for a while. Constraints that disagree can feed energy back each
// substep; scaling the step by s stops that: the soft step, or where constraints are kept passive the whole
// (kernel/passive.h). Freely hanging cloth is excluded.
#pragma once

#include "kernel/collide/contact.h"
#include "kernel/collide/max_distance.h"

#ifndef SIM_ALONE

#define CREEP_SPEED 3e-2f // m/s; below this speed cloth is not slowed
#define HELD_WITHIN 1e-4f // m from the max distance

// Lanes in which a particle touches a collider or is at its max distance.
LANES_INLINE mask held_somewhere(const SimKernelJob *job) {
    const SimGarmentState *state = job->state;
    mask held = {0};
    for (int p = 0; p < job->topology->particle_count; p++) {
        if (job->topology->pinned[p]) continue;
        held |= more(state->contact[p], splat(0.5f)) |
                more(beyond_distance(job, p, state->position[p]), splat(-HELD_WITHIN));
    }
    return held;
}

// s = e^(-c h min(1, v^2 / V^2)): v is the speed of the fastest particle, V is CREEP_SPEED.
LANES_INLINE lanes settling_share(const SimKernelJob *job, lanes farthest_squared) {
    const lanes rate = job->fabric->settling;
    if (!any(more(rate, (lanes){0}))) return splat(1.0f);
    const float creep = CREEP_SPEED * job->h;
    const lanes fast = minimum(farthest_squared * (1.0f / (creep * creep)), splat(1.0f));
    return select_lanes(held_somewhere(job), exp_minus(rate * fast * job->h), splat(1.0f));
}

// x0 + s (x - x0): scales the step of the soft parts. All hard constraints held at x0, so a smaller step
// leaves them less to correct. The velocity shrinks with the step.
static void settle(const SimKernelJob *job, int substep) {
    (void)substep;
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    const mask settles = more(in_lanes(job->fabric->settling), (lanes){0});
    if (!any(settles) || sim_is_passive(topology)) return;
    lanes farthest = {0};
    for (int p = 0; p < topology->particle_count; p++) {
        lanes3 way = way_over(job, p, zero3(), state->position[p]);
        if (!topology->pinned[p]) farthest = maximum(farthest, dot3(way, way));
    }
    const lanes share = settling_share(job, farthest);
    for (int p = 0; p < topology->particle_count; p++) {
        if (topology->pinned[p]) continue;
        lanes3 x = state->position[p], way = way_over(job, p, zero3(), x);
        state->position[p] = select3(settles, mad3(x, way, share - 1.0f), x);
    }
}

#endif
