// The soft sweep: shear links and bending, one Gauss-Seidel sweep a substep (XPBD with one iteration).
#pragma once

#include "kernel/lanes/strips.h"

LANES_INLINE lanes inverse_mass(const SimKernelJob *job, int particle) {
    return job->fabric->inverse_density * shared_at(job->topology->inverse_area, particle);
}

// m that a particle keeps off colliders.
LANES_INLINE lanes thickness_at(const SimKernelJob *job, int particle) {
    const SimTopology *topology = job->topology;
    if (!topology->thickness_scaled) return job->fabric->thickness;
    return job->fabric->thickness * shared_at(topology->thickness_scaled, particle) +
           shared_at(topology->thickness_fixed, particle);
}

// s = (l - L) / (l (w0 + w1 + alpha / h^2)); x0 += w0 s d; x1 -= w1 s d. The list has no links between two
// pinned particles, so the denominator is 0 only if the length is.
LANES_INLINE void solve_link(Part3 *x0, Part3 *x1, native w0, native w1, native rest, native softness) {
    Part3 d = {x1->x - x0->x, x1->y - x0->y, x1->z - x0->z};
    native length = part_square_root(d.x * d.x + d.y * d.y + d.z * d.z);
    native s = (length - rest) / (length * (w0 + w1 + softness));
    s = part_where_more(length, 1e-9f, s);
    native s0 = w0 * s, s1 = w1 * s;
    *x0 = (Part3){x0->x + d.x * s0, x0->y + d.y * s0, x0->z + d.z * s0};
    *x1 = (Part3){x1->x - d.x * s1, x1->y - d.y * s1, x1->z - d.z * s1};
}

LANES_INLINE void solve_part(const SimKernelJob *job, int link, int part, Part3 *x0, Part3 *x1, int turn) {
    const SimTopology *topology = job->topology;
    const SimLinks *links = &topology->links;
    const native density = parts_of(&job->fabric->inverse_density)[part];
    const native softness = parts_of(&job->fabric->softness[links->kind[link]])[part];
    const shared *area = topology->inverse_area;
    solve_link(x0, x1, density * shared_part(&area[links->ends[link][0]], part, 0),
               density * shared_part(&area[OWN(links->ends[link][1])], part, turn),
               shared_part(&links->length[link], part, 0),
               shared_part(&links->factor[link], part, 0) * softness);
}

#define LINKS_AHEAD 16 // a few hundred cycles

// The hottest loop: it splits wide lanes by hand.
static void sweep_links(const SimKernelJob *job, int substep) {
    (void)substep;
    const SimLinks *links = &job->topology->links;
    lanes3 *x = job->state->position;
    for (int sweep = 0; sweep < job->topology->sweeps; sweep++)
        for (int i = 0; i < links->count; i++) {
            int a = links->ends[i][0], b = links->ends[i][1];
            int ahead = i + LINKS_AHEAD < links->count ? i + LINKS_AHEAD : 0;
            fetch(&links->length[ahead]), fetch(&links->factor[ahead]);
            if (!crosses_seam(b)) {
                for (int part = 0; part < NATIVES; part++) {
                    Part3 x0 = part3_of(&x[a], part), x1 = part3_of(&x[b], part);
                    solve_part(job, i, part, &x0, &x1, 0);
                    put_part3(&x[a], part, &x0);
                    put_part3(&x[b], part, &x1);
                }
                continue;
            }
            // Its second end is in the next lane.
            Parts3 x0 = parts3_of(&x[a]), x1 = parts3_of(&x[OWN(b)]);
            x1 = turned3(&x1, 1);
            for (int part = 0; part < NATIVES; part++)
                solve_part(job, i, part, &x0.part[part], &x1.part[part], 1);
            x1 = turned3(&x1, -1);
            put_parts3(&x[a], &x0);
            put_parts3(&x[OWN(b)], &x1);
        }
}

// The rest curvature of an element, turned with the cloth: tangent along x0 -> x2, normal across the
// tangent and the other direction of the cloth. A chain has no other direction and keeps the curvature of
// its references.
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
