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
    const lanes3 boosts[2] = {in_lanes3(inertia->boost[0]), in_lanes3(inertia->boost[1])};
    const lanes3 spins[2] = {in_lanes3(inertia->boost_spin[0]), in_lanes3(inertia->boost_spin[1])};
    mask changes = nonzero3(boosts[0]) | nonzero3(boosts[1]) | nonzero3(spins[0]) | nonzero3(spins[1]);
    if (!any(changes)) return;
    for (int i = 0; i < batches_of(job->topology->particle_count); i++) {
        const places p = batch_among(job->topology->particle_count, i);
        lanes3 gain = by_edge3(job->topology, p, boosts[0], boosts[1]);
        lanes3 spin = by_edge3(job->topology, p, spins[0], spins[1]);
        lanes3 v = own3(state->velocity, p);
        lanes3 boosted = add3(v, add3(gain, cross3(spin, own3(state->position, p))));
        set3(state->velocity, p, select3(changes, boosted, v));
    }
}

// D x + s and D v for all particles. The motion of the root that the cloth does not follow adds no speed.
static void move_root(const SimKernelJob *job, int substep) {
    SimGarmentState *state = job->state;
    change_frame(job, job->substeps[substep].inertia);
    for (int i = 0; i < batches_of(job->topology->particle_count); i++) {
        const places p = batch_among(job->topology->particle_count, i);
        LanesPose root = pose_by_edge(job->topology, p, job->substeps[substep].root);
        set3(state->position, p, transform_each3(&root, own3(state->position, p)));
        set3(state->velocity, p, rotate_each3(&root, own3(state->velocity, p)));
    }
}

// The frame of the state turns at the angular share of the root's rate w, so cloth flies out by (share
// w)^2 r. If the centrifugal share differs, this adds the difference: k (w^2 x - (w . x) w).
LANES_INLINE lanes3 fly_out(const SimInertialShare *inertia, lanes3 acceleration, lanes3 x, lanes k) {
    lanes3 w = in_lanes3(inertia->spin);
    lanes3 out = mad3(scale3(x, dot3(w, w)), w, -dot3(w, x));
    return select3(nonzero(k), mad3(acceleration, out, k), acceleration);
}

// A particle's reference at the end of a substep, between those at the start and the end of the tick.
LANES_INLINE lanes3 reference_after(const SimKernelJob *job, int substep, places particle) {
    const SimGarmentState *state = job->state;
    float share = (float)(substep + 1) / (float)job->substep_count;
    lanes3 end = own3(state->reference1, particle);
    if (share >= 1.0f) return end;
    lanes3 start = own3(state->reference0, particle);
    return mad3(start, sub3(end, start), splat(share));
}
