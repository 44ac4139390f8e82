// Bending: one Gauss-Seidel sweep a substep over the elements (XPBD with one iteration).
#pragma once

#include "kernel/lanes/strips.h"

// The rest curvature of an element, turned with the cloth: tangent along x0 -> x2, normal across the
// tangent and the other direction of the cloth. A chain has no other direction and keeps the curvature of
// its references.
LANES_INLINE lanes3 rest_curvature(const SimGarmentState *state, const places particles[5],
                                   lanes3 curvature) {
    if (!any_apart(particles[3], particles[4])) {
        const SimLanes3 *reference = state->reference;
        lanes3 ends = add3(own3(reference, particles[0]), own3(reference, particles[2]));
        return mad3(ends, own3(reference, particles[1]), splat(-2.0f));
    }
    const SimLanes3 *x = state->position;
    lanes length;
    lanes3 tangent = direction3(sub3(at3(x, particles[2]), at3(x, particles[0])), &length);
    lanes3 across = sub3(at3(x, particles[4]), at3(x, particles[3]));
    lanes3 normal = direction3(cross3(tangent, across), &length);
    lanes3 side = cross3(normal, tangent);
    return mad3(mad3(scale3(tangent, curvature.x), normal, curvature.y), side, curvature.z);
}

// d = x0 - 2 x1 + x2 - c; D_i = -w_i k_i d / (sum w k^2 + alpha / h^2), k = (1, -2, 1).
LANES_INLINE void solve_bend(const SimKernelJob *job, places bend, const places particles[5]) {
    const SimBends *bends = &job->topology->bends;
    SimLanes3 *x = job->state->position;
    const places i0 = particles[0], i1 = particles[1], i2 = particles[2];
    lanes w0 = inverse_mass(job, i0), w1 = inverse_mass(job, i1), w2 = inverse_mass(job, i2);
    lanes3 d = mad3(add3(at3(x, i0), at3(x, i2)), at3(x, i1), splat(-2.0f));
    d = sub3(d, rest_curvature(job->state, particles, wide3_at(bends->curvature, bend)));
    lanes denominator =
        w0 + 4.0f * w1 + w2 + own_shared(bends->compliance, bend) * job->fabric->softness[SIM_LINK_BEND];
    lanes s = select_lanes(more(denominator, (lanes){0}), 1.0f / denominator, (lanes){0});
    put3(x, i0, mad3(at3(x, i0), d, -w0 * s));
    put3(x, i1, mad3(at3(x, i1), d, 2.0f * w1 * s));
    put3(x, i2, mad3(at3(x, i2), d, -w2 * s));
}

static void sweep_bends(const SimKernelJob *job, int substep) {
    (void)substep;
#ifdef SIM_ALONE
    const SimAloneOrder *order = alone_order(job->topology);
    for (int i = 0; i < order->bends.count; i++) {
        places particles[5];
        for (int k = 0; k < 5; k++) particles[k] = batch_of(&order->bend_particles[k], i);
        solve_bend(job, batch_of(&order->bends, i), particles);
    }
#else
    const SimBends *bends = &job->topology->bends;
    for (int i = 0; i < bends->count; i++) solve_bend(job, i, bends->particles[i]);
#endif
}
