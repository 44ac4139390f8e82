// Inertia: moves the cloth by the share of the root's motion that it does not follow.
#pragma once

#include "kernel/lanes/strips.h"

LANES_INLINE mask nonzero(lanes a) {
    return less(a, splat(0.0f)) | more(a, splat(0.0f));
}

LANES_INLINE mask nonzero3(lanes3 a) {
    return nonzero(a.x) | nonzero(a.y) | nonzero(a.z);
}

// A change of a share changes the frame's velocity; this keeps the cloth's velocity in model space.
LANES_INLINE void change_frame(const SimKernelJob *job, const SimInertialShare *inertia) {
    SimGarmentState *state = job->state;
    mask changes = nonzero3(inertia->boost[0]) | nonzero3(inertia->boost[1]) |
                   nonzero3(inertia->boost_spin[0]) | nonzero3(inertia->boost_spin[1]);
    if (!any(changes)) return;
    for (int p = 0; p < job->topology->particle_count; p++) {
        lanes3 gain = by_edge3(job->topology, p, inertia->boost[0], inertia->boost[1]);
        lanes3 spin = by_edge3(job->topology, p, inertia->boost_spin[0], inertia->boost_spin[1]);
        lanes3 boosted = add3(state->velocity[p], add3(gain, cross3(spin, state->position[p])));
        state->velocity[p] = select3(changes, boosted, state->velocity[p]);
    }
}

// D x + s and D v for all particles. The motion of the root that the cloth does not follow adds no speed.
static void move_root(const SimKernelJob *job, int substep) {
    SimGarmentState *state = job->state;
    change_frame(job, job->substeps[substep].inertia);
    for (int p = 0; p < job->topology->particle_count; p++) {
        SimLanesPose root = pose_by_edge(job->topology, p, job->substeps[substep].root);
        state->position[p] = transform3(&root, state->position[p]);
        state->velocity[p] = rotate3(&root, state->velocity[p]);
    }
}

// The frame of the state turns at the angular share of the root's rate w, so cloth flies out by (share
// w)^2 r. If the centrifugal share differs, this adds the difference: k (w^2 x - (w . x) w).
LANES_INLINE lanes3 fly_out(const SimInertialShare *inertia, lanes3 acceleration, lanes3 x, lanes k) {
    lanes3 w = inertia->spin;
    lanes3 out = mad3(scale3(x, dot3(w, w)), w, -dot3(w, x));
    return select3(nonzero(k), mad3(acceleration, out, k), acceleration);
}

// A particle's reference at the end of a substep, between those at the start and the end of the tick.
LANES_INLINE lanes3 reference_after(const SimKernelJob *job, int substep, int particle) {
    const SimGarmentState *state = job->state;
    float share = (float)(substep + 1) / (float)job->substep_count;
    lanes3 way = sub3(state->reference1[particle], state->reference0[particle]);
    return share < 1.0f ? mad3(state->reference0[particle], way, splat(share)) : state->reference1[particle];
}

// Velocity of a particle's reference in the frame of the state: its motion in model space plus the root's
// share. Pinned particles have this velocity.
LANES_INLINE lanes3 reference_velocity(const SimKernelJob *job, const SimSubstep *drive, int particle) {
    const SimGarmentState *state = job->state;
    lanes3 way = sub3(state->reference1[particle], state->reference0[particle]);
    const lanes3 end = state->reference[particle];
    SimLanesPose root = pose_by_edge(job->topology, particle, drive->root);
    lanes3 shift = sub3(transform3(&root, end), end);
    return mad3(scale3(way, splat(1.0f / (job->h * (float)job->substep_count))), shift,
                splat(-1.0f / job->h));
}
