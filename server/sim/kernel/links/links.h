// Swept links, among them shear links: one Gauss-Seidel sweep a substep (XPBD with one iteration).
#pragma once

#include "kernel/lanes/strips.h"

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

#ifdef SIM_ALONE

// Batches of links of one kind that share no particle.
static void sweep_links(const SimKernelJob *job, int substep) {
    (void)substep;
    const SimLinks *links = &job->topology->links;
    const SimAloneOrder *order = alone_order(job->topology);
    SimLanes3 *x = job->state->position;
    for (int sweep = 0; sweep < job->topology->sweeps; sweep++)
        for (int i = 0; i < order->links.count; i++) {
            const places link = batch_of(&order->links, i);
            const places a = batch_of(&order->link_ends[0], i), b = batch_of(&order->link_ends[1], i);
            const lanes softness = own(links->factor, link) * job->fabric->softness[links->kind[link[0]]];
            const lanes3 before[2] = {own3(x, a), own3(x, b)};
            Part3 x0 = {before[0].x, before[0].y, before[0].z}, x1 = {before[1].x, before[1].y, before[1].z};
            solve_link(&x0, &x1, inverse_mass(job, a), inverse_mass(job, b), own(links->length, link),
                       softness);
            set3(x, a, (lanes3){x0.x, x0.y, x0.z});
            set3(x, b, (lanes3){x1.x, x1.y, x1.z});
        }
}

#else

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

#endif
