// Max distance: how far a particle may be from its skinned reference. sim_garment_max_distances computes the
// same formula for readers.
#pragma once

#include "kernel/lanes/strips.h"

// m: fixed + scaled * the fabric's max_distance, times the fabric's factor on edge particles unless each
// particle's is given.
LANES_INLINE lanes max_distance(const SimKernelJob *job, places particle) {
    const SimTopology *topology = job->topology;
    lanes limit = own_shared(topology->max_distance_fixed, particle) +
                  own_shared(topology->max_distance_scaled, particle) * job->fabric->max_distance;
    if (topology->max_distances_given) return limit;
    return by_edge(topology, particle, limit, limit * job->fabric->max_distance_edge);
}

// m beyond the max distance, negative within.
LANES_INLINE lanes beyond_distance(const SimKernelJob *job, places particle, lanes3 p) {
    if (!job->topology->has_max_distance) return splat(-1.0f);
    return length3(sub3(p, own3(job->state->reference, particle))) - max_distance(job, particle);
}

// Moves each particle outside of its max distance towards its reference until it is at that distance.
static void clamp_to_max_distance(const SimKernelJob *job, int substep) {
    (void)substep;
    SimGarmentState *state = job->state;
    if (!job->topology->has_max_distance) return;
    for (int i = 0; i < batch_count(job->topology); i++) {
        const places p = batch(job->topology, i);
        if (are_pinned(job->topology, p)) continue;
        const lanes3 x = own3(state->position, p), reference = own3(state->reference, p);
        lanes limit = max_distance(job, p);
        lanes3 away = sub3(x, reference);
        lanes distance = length3(away);
        mask outside = more(distance, limit);
        if (!any(outside)) continue;
        lanes3 inside = mad3(reference, away, limit / maximum(distance, splat(1e-9f)));
        set3(state->position, p, select3(outside, inside, x));
    }
}
