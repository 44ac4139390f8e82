// Cloth that is left alone comes to rest. Lengths, colliders and max distance that hold a fold between them
// can give it back in each substep what damping takes, so that it flaps for ever; and a fold that creeps over
// the body may topple long after the body has come to a halt. So time is stretched for what still moves: the
// more the longer it is left alone, and the faster it is. What creeps to its place gets there; cloth that
// hangs freely, touching nothing and nowhere at its max distance, swings on.
#pragma once

#include "kernel/collide/contact.h"
#include "kernel/collide/max_distance.h"

#define CREEP_SPEED 3e-2f // m/s: slower is let be
#define HELD_WITHIN 1e-4f // m, of its max distance

// Lanes in which some particle is held.
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

// x0 + s (x - x0), s = e^(-c h min(1, v^2 / V^2)): all particles go this share of the way that the soft parts
// send them; v is the fastest's speed on it. Where they came from all hard constraints held, so that the
// parts to come have less to do, the smaller it is; and by what these leave of it the velocity goes, too.
static void settle(const SimKernelJob *job, int substep) {
    (void)substep;
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    lanes rate = job->fabric->settling, farthest = {0};
    mask settles = more(rate, (lanes){0});
    if (!any(settles)) return;
    for (int p = 0; p < topology->particle_count; p++) {
        lanes3 way = way_over(job, p, zero3(), state->position[p]);
        if (!topology->pinned[p]) farthest = maximum(farthest, dot3(way, way));
    }
    float creep = CREEP_SPEED * job->h;
    lanes fast = minimum(farthest * (1.0f / (creep * creep)), splat(1.0f));
    lanes share = select_lanes(held_somewhere(job), exp_minus(rate * fast * job->h), splat(1.0f));
    for (int p = 0; p < topology->particle_count; p++) {
        if (topology->pinned[p]) continue;
        lanes3 x = state->position[p], way = way_over(job, p, zero3(), x);
        state->position[p] = select3(settles, mad3(x, way, share - 1.0f), x);
    }
}
