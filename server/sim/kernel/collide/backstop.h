// Backstop: a plane behind each particle's skinned reference, across the normal of the references, that keeps
// the particle out of what is behind. On the sphere of its link it is a cap like those of colliders, to which
// it yields.
#pragma once

#include "kernel/collide/caps.h"

#ifndef SIM_ALONE

// The normals of the references at the end of the tick. Seen from outside, columns run to the right and rows
// down.
static void find_normals(const SimKernelJob *job, int substep) {
    (void)substep;
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    if (!topology->backstop) return;
    const int columns = topology->columns, last = columns - 1, count = topology->particle_count;
    for (int p = 0; p < count; p++) {
        const int k = p % columns, row = p - k;
        const int right = k < last ? p + 1 : topology->closed ? row : p;
        const int left = k > 0 ? p - 1 : topology->closed ? row + last : p;
        const int above = p >= columns ? p - columns : p, below = p + columns < count ? p + columns : p;
        const lanes3 across = sub3(state->reference1[right], state->reference1[left]);
        const lanes3 down = sub3(state->reference1[below], state->reference1[above]);
        lanes length;
        state->normal[p] = direction3(cross3(down, across), &length);
    }
}

#endif

LANES_INLINE lanes3 before_backstop(const SimKernelJob *job, const LinkSphere *sphere, places particle,
                                    lanes3 p, CapPair *pair) {
    const SimTopology *topology = job->topology;
    if (!topology->backstop) return p;
    const lanes3 normal = own3(job->state->normal, particle);
    const lanes3 way = sub3(own3(job->state->reference, particle), sphere->centre);
    const Cap cap = {normal, dot3(way, normal) - own_shared(topology->backstop, particle)};
    const mask violated = less(dot3(sub3(p, sphere->centre), cap.u), cap.h - CAP_TOLERANCE);
    if (!any(violated)) return p;
    remember(pair, &cap, violated);
    return select3(violated, onto_cap(sphere, &cap, p), p);
}
