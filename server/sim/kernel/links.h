// The soft sweep: shear links and bending, one Gauss-Seidel sweep a substep (XPBD with one iteration).
#pragma once

#include "kernel/strips.h"

LANES_INLINE lanes inverse_mass(const SimKernelJob *job, int particle) {
    return job->fabric->inverse_density * shared_at(job->topology->inverse_area, particle);
}

// s = (l - L) / (l (w0 + w1 + alpha / h^2)); x0 += w0 s d; x1 -= w1 s d. Links between two pinned particles
// are not in the list, so the denominator is 0 only where the length is.
LANES_INLINE void solve_link(lanes3 *x0, lanes3 *x1, lanes w0, lanes w1, lanes rest, lanes softness) {
    lanes3 d = sub3(*x1, *x0);
    lanes length = length3(d);
    lanes denominator = length * (w0 + w1 + softness);
    lanes s = select_lanes(more(length, splat(1e-9f)), (length - rest) / denominator, (lanes){0});
    *x0 = mad3(*x0, d, w0 * s);
    *x1 = mad3(*x1, d, -w1 * s);
}

static void sweep_links(const SimKernelJob *job, int substep) {
    (void)substep;
    const SimLinks *links = &job->topology->links;
    const shared *inverse_area = job->topology->inverse_area;
    const lanes inverse_density = job->fabric->inverse_density;
    const lanes softness[SIM_LINK_KINDS] = {job->fabric->softness[0], job->fabric->softness[1],
                                            job->fabric->softness[2]};
    lanes3 *x = job->state->position;
    for (int sweep = 0; sweep < job->topology->sweeps; sweep++)
        for (int i = 0; i < links->count; i++) {
            int a = links->ends[i][0], b = links->ends[i][1];
            lanes soft = links->compliance[i] * softness[links->kind[i]];
            if (crosses_seam(a) || crosses_seam(b)) {
                lanes3 x0 = at3(x, a), x1 = at3(x, b);
                solve_link(&x0, &x1, inverse_density * shared_at(inverse_area, a),
                           inverse_density * shared_at(inverse_area, b), wide(links->length[i]), soft);
                put3(x, a, x0);
                put3(x, b, x1);
            } else {
                solve_link(&x[a], &x[b], inverse_density * inverse_area[a], inverse_density * inverse_area[b],
                           wide(links->length[i]), soft);
            }
        }
}

// The rest curvature of an element, turned with the cloth: tangent along x0 -> x2, normal across it and the
// other way of the cloth. A chain has no other way: it keeps the curvature of its references.
LANES_INLINE lanes3 rest_curvature(const SimGarmentState *state, const int *particles,
                                   const shared *curvature) {
    if (particles[3] == particles[4]) {
        const lanes3 *reference = state->reference;
        lanes3 ends = add3(reference[particles[0]], reference[particles[2]]);
        return mad3(ends, reference[particles[1]], splat(-2.0f));
    }
    const lanes3 *x = state->position;
    lanes length;
    lanes3 tangent = direction3(sub3(at3(x, particles[2]), at3(x, particles[0])), &length);
    lanes3 across = sub3(at3(x, particles[4]), at3(x, particles[3]));
    lanes3 normal = direction3(cross3(tangent, across), &length);
    lanes3 side = cross3(normal, tangent);
    return mad3(mad3(scale3(tangent, wide(curvature[0])), normal, wide(curvature[1])), side,
                wide(curvature[2]));
}

// d = x0 - 2 x1 + x2 - c; D_i = -w_i k_i d / (sum w k^2 + alpha / h^2), k = (1, -2, 1).
static void sweep_bends(const SimKernelJob *job, int substep) {
    (void)substep;
    const SimBends *bends = &job->topology->bends;
    lanes3 *x = job->state->position;
    for (int i = 0; i < bends->count; i++) {
        const int *particles = bends->particles[i];
        int i0 = particles[0], i1 = particles[1], i2 = particles[2];
        lanes w0 = inverse_mass(job, i0), w1 = inverse_mass(job, i1), w2 = inverse_mass(job, i2);
        lanes3 d = mad3(add3(at3(x, i0), at3(x, i2)), at3(x, i1), splat(-2.0f));
        d = sub3(d, rest_curvature(job->state, particles, bends->curvature[i]));
        lanes denominator = w0 + 4.0f * w1 + w2 + bends->compliance[i] * job->fabric->softness[SIM_LINK_BEND];
        lanes s = select_lanes(more(denominator, (lanes){0}), 1.0f / denominator, (lanes){0});
        put3(x, i0, mad3(at3(x, i0), d, -w0 * s));
        put3(x, i1, mad3(at3(x, i1), d, 2.0f * w1 * s));
        put3(x, i2, mad3(at3(x, i2), d, -w2 * s));
    }
}
