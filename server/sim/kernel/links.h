// The soft sweep: shear links and bending, one Gauss-Seidel sweep a substep (XPBD with one iteration).
#pragma once

#include "kernel/lanes.h"

LANES_INLINE lanes inverse_mass(const SimKernelJob *job, int particle) {
    if (job->topology->pinned[particle]) return (lanes){0};
    return job->fabric->inverse_density * (1.0f / job->topology->area[particle]);
}

// s = (l - L) / (l (w0 + w1 + alpha / h^2)); x0 += w0 s d; x1 -= w1 s d.
LANES_INLINE void sweep_links(const SimKernelJob *job, const SimLink *links, int count, lanes softness) {
    SimGarmentState *state = job->state;
    for (int i = 0; i < count; i++) {
        const SimLink *link = &links[i];
        lanes w0 = inverse_mass(job, link->a), w1 = inverse_mass(job, link->b);
        lanes3 d = sub3(state->position[link->b], state->position[link->a]);
        lanes length = length3(d);
        lanes denominator = length * (w0 + w1 + link->compliance * softness);
        lanes s = select_lanes(more(length, splat(1e-9f)) & more(denominator, (lanes){0}),
                               (length - link->length) / denominator, (lanes){0});
        state->position[link->a] = mad3(state->position[link->a], d, w0 * s);
        state->position[link->b] = mad3(state->position[link->b], d, -w1 * s);
    }
}

// The rest curvature of an element, turned with the cloth: tangent along x0 -> x2, normal across it and the
// other way of the cloth. A chain has no other way: it keeps the curvature of its references.
LANES_INLINE lanes3 rest_curvature(const SimGarmentState *state, const SimBendElement *element) {
    if (element->cross0 == element->cross1) {
        const lanes3 *reference = state->reference;
        lanes3 ends = add3(reference[element->x0], reference[element->x2]);
        return mad3(ends, reference[element->x1], splat(-2.0f));
    }
    const lanes3 *x = state->position;
    lanes length;
    lanes3 tangent = direction3(sub3(x[element->x2], x[element->x0]), &length);
    lanes3 across = sub3(x[element->cross1], x[element->cross0]);
    lanes3 normal = direction3(cross3(tangent, across), &length);
    lanes3 side = cross3(normal, tangent);
    const float *c = element->curvature;
    return mad3(mad3(scale3(tangent, splat(c[0])), normal, splat(c[1])), side, splat(c[2]));
}

// d = x0 - 2 x1 + x2 - c; D_i = -w_i k_i d / (sum w k^2 + alpha / h^2), k = (1, -2, 1).
LANES_INLINE void sweep_bends(const SimKernelJob *job) {
    const SimTopology *topology = job->topology;
    lanes3 *x = job->state->position;
    for (int i = 0; i < topology->bend_count; i++) {
        const SimBendElement *element = &topology->bends[i];
        int i0 = element->x0, i1 = element->x1, i2 = element->x2;
        lanes w0 = inverse_mass(job, i0), w1 = inverse_mass(job, i1), w2 = inverse_mass(job, i2);
        lanes3 d = mad3(add3(x[i0], x[i2]), x[i1], splat(-2.0f));
        d = sub3(d, rest_curvature(job->state, element));
        lanes denominator = w0 + 4.0f * w1 + w2 + element->compliance * job->fabric->bend_softness;
        lanes s = select_lanes(more(denominator, (lanes){0}), 1.0f / denominator, (lanes){0});
        x[i0] = mad3(x[i0], d, -w0 * s);
        x[i1] = mad3(x[i1], d, 2.0f * w1 * s);
        x[i2] = mad3(x[i2], d, -w2 * s);
    }
}

LANES_INLINE void soft_sweep(const SimKernelJob *job) {
    const SimTopology *topology = job->topology;
    const SimLaneFabric *fabric = job->fabric;
    sweep_links(job, topology->shears, topology->shear_count, fabric->shear_softness);
    if (topology->article_bend)
        sweep_links(job, topology->bend_links, topology->bend_link_count, fabric->bend_softness);
    else
        sweep_bends(job);
}
