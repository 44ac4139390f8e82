// Pose stiffness: springs that draw cloth to the places of its skinned references, and chains to the
// directions of these (kernel/chain.h). Newmark's method of mean acceleration in leapfrog form, (M + h C / 2
// + h^2 K / 4) a = -K e - C e', neither damps nor blows up, however stiff; that it swings at tan(w' h / 2) =
// w h / 2 is put right in w.
#pragma once

#include "kernel/collide/contact.h"

// 2 tan(w h / 2) / (w h), x = (w h)^2
#define NEWMARK(x) (1.0f + (x) * (1.0f / 12.0f + (x) * (1.0f / 120.0f + (x) * (17.0f / 20160.0f))))

// Each particle of the cloth on a spring of its own: M = 1, K = w^2, C = 2 z w, z the damping ratio. Damping
// is of the velocity at the end of the substep, so that it holds nothing that rests.
static void draw_cloth_to_pose(const SimKernelJob *job, int index) {
    const SimTopology *topology = job->topology;
    const SimSubstep *drive = &job->substeps[index];
    SimGarmentState *state = job->state;
    for (int i = 0; i < batch_count(topology); i++) {
        const places p = batch(topology, i);
        if (are_pinned(topology, p)) continue;
        const lanes w = own_shared(topology->pose_frequency, p) * in_lanes(job->fabric->pose);
        if (!any(more(w, (lanes){0}))) continue;
        const lanes turn = w * job->h, wh = turn * NEWMARK(turn * turn); // w h
        const lanes3 slip = sub3(reference_velocity(job, drive, p), own3(state->velocity, p));
        const lanes3 end = sub3(own3(state->reference, p), own3(state->predicted, p));
        const lanes3 e = mad3(end, slip, splat(-job->h)); // at the start of the substep
        const lanes damping = wh * (2.0f * topology->pose_damping);
        const lanes3 pull = mad3(scale3(e, wh * wh), slip, damping * job->h);
        const lanes share = 1.0f / (1.0f + damping + 0.25f * wh * wh);
        set3(state->position, p, mad3(own3(state->position, p), pull, share));
    }
}
