// Rows and columns solved directly: the links of a line of particles are one tridiagonal system,
// A_kk = w_k + w_{k+1} + alpha / h^2, A_{k,k+1} = -w_{k+1} u_k . u_{k+1}, A lambda = -(l - L),
// x_k += w_k (u_{k-1} lambda_{k-1} - u_k lambda_k). A closed row is cyclic: Sherman and Morrison on the same
// system.
#pragma once

#include "kernel/lanes/strips.h"

// The particles and links of a line.
typedef struct Line {
    places first; // particle k is first + k stride
    int stride;
    int particles, links;     // links = particles in a ring, else particles - 1
    const shared *lengths;    // of link k at first_link + k link_stride
    const shared *compliance; // of link k, at the same place
    places first_link;
    int link_stride;
    lanes softness;
    lanes *scratch;   // [8 * (links + 1)]
    const int *order; // particle k is order[k]; NULL: as above
} Line;

// Scratch of one solve, link by link.
typedef struct LineScratch {
    lanes3 *u;          // direction
    lanes *above;       // element right of the diagonal
    lanes *pivot_above; // the same, eliminated
    lanes *lambda;      // right-hand side, then the solution
    lanes *ring;        // Sherman and Morrison's second right-hand side
    lanes *weight;      // inverse mass of particle k
} LineScratch;

LANES_INLINE LineScratch line_scratch(const Line *line) {
    lanes *at = line->scratch;
    int n = line->links + 1;
    return (LineScratch){(lanes3 *)at, at + 3 * n, at + 4 * n, at + 5 * n, at + 6 * n, at + 7 * n};
}

LANES_INLINE places line_particle(const Line *line, int k) {
    const places none = {0};
    if (line->order) return none + line->order[k];
    return line->first + (k == line->particles ? 0 : k) * line->stride;
}

LANES_INLINE places line_link(const Line *line, int k) {
    return line->first_link + k * line->link_stride;
}

LANES_INLINE void eliminate(const SimKernelJob *job, const Line *line, const LineScratch *scratch) {
    const SimLanes3 *x = job->state->position;
    int n = line->links;
    bool ring = line->links == line->particles;
    for (int k = 0; k <= n; k++) scratch->weight[k] = inverse_mass(job, line_particle(line, k));
    lanes3 here = own3(x, line_particle(line, 0));
    for (int k = 0; k < n; k++) {
        const lanes3 next = own3(x, line_particle(line, k + 1));
        lanes length;
        scratch->u[k] = direction3(sub3(next, here), &length);
        scratch->lambda[k] = select_lanes(more(length, splat(1e-9f)),
                                          own_shared(line->lengths, line_link(line, k)) - length, (lanes){0});
        here = next;
    }
    for (int k = 0; k < n; k++)
        scratch->above[k] = -scratch->weight[k + 1] * dot3(scratch->u[k], scratch->u[k + 1 < n ? k + 1 : 0]);
    lanes corner = ring ? scratch->above[n - 1] : (lanes){0};
    lanes gamma = splat(1.0f);
    for (int k = 0; k < n; k++) {
        lanes diagonal = scratch->weight[k] + scratch->weight[k + 1] +
                         own_shared(line->compliance, line_link(line, k)) * line->softness;
        mask moves = more(scratch->weight[k] + scratch->weight[k + 1], (lanes){0});
        diagonal = select_lanes(moves, diagonal, splat(1.0f)); // skips links between two pinned particles
        scratch->lambda[k] = select_lanes(moves, scratch->lambda[k], (lanes){0});
        if (ring) {
            if (k == 0) gamma = -diagonal, diagonal += diagonal;
            if (k == n - 1) diagonal -= corner * corner / gamma;
            scratch->ring[k] = k == 0 ? gamma : k == n - 1 ? corner : (lanes){0};
        }
        lanes below = k > 0 ? scratch->above[k - 1] : (lanes){0};
        lanes pivot = diagonal - (k > 0 ? below * scratch->pivot_above[k - 1] : (lanes){0});
        lanes inverse = 1.0f / pivot;
        scratch->pivot_above[k] = scratch->above[k] * inverse;
        scratch->lambda[k] =
            (scratch->lambda[k] - (k > 0 ? below * scratch->lambda[k - 1] : (lanes){0})) * inverse;
        if (ring)
            scratch->ring[k] =
                (scratch->ring[k] - (k > 0 ? below * scratch->ring[k - 1] : (lanes){0})) * inverse;
    }
    for (int k = n - 2; k >= 0; k--) {
        scratch->lambda[k] -= scratch->pivot_above[k] * scratch->lambda[k + 1];
        if (ring) scratch->ring[k] -= scratch->pivot_above[k] * scratch->ring[k + 1];
    }
    if (!ring) return;
    lanes last = corner / gamma;
    lanes factor = (scratch->lambda[0] + last * scratch->lambda[n - 1]) /
                   (1.0f + scratch->ring[0] + last * scratch->ring[n - 1]);
    for (int k = 0; k < n; k++) scratch->lambda[k] -= factor * scratch->ring[k];
}

// Solves a line in some lanes.
LANES_INLINE void solve_line_in(const SimKernelJob *job, const Line *line, mask active) {
    LineScratch scratch = line_scratch(line);
    eliminate(job, line, &scratch);
    SimLanes3 *x = job->state->position;
    lanes3 here = own3(x, line_particle(line, 0));
    for (int k = 0; k < line->links; k++) {
        const lanes s0 = -scratch.weight[k] * scratch.lambda[k],
                    s1 = scratch.weight[k + 1] * scratch.lambda[k];
        set3(x, line_particle(line, k), select3(active, mad3(here, scratch.u[k], s0), here));
        here = own3(x, line_particle(line, k + 1));
        here = select3(active, mad3(here, scratch.u[k], s1), here);
    }
    set3(x, line_particle(line, line->links), here);
}

LANES_INLINE void solve_line(const SimKernelJob *job, const Line *line) {
    solve_line_in(job, line, ~(mask){0});
}

#ifdef SIM_ALONE
#define LINE_SCRATCH(name, job) lanes name[8 * (SIM_ALONE_LONGEST + 1)]
#else
#define LINE_SCRATCH(name, job) lanes *name = (job)->state->line
#endif

#ifndef SIM_STRIPS
// Weft: every row.
static void solve_rows(const SimKernelJob *job, int substep) {
    (void)substep;
    const SimTopology *topology = job->topology;
    if (topology->alan_wake_hard || topology->face_count > 0) return;
    LINE_SCRATCH(scratch, job);
    int links = topology->closed ? topology->columns : topology->columns - 1;
    for (int i = 0; i < batches_of(topology->rows); i++) {
        const places row = batch_among(topology->rows, i);
        Line line = {.first = row * topology->columns,
                     .stride = 1,
                     .particles = topology->columns,
                     .links = links,
                     .lengths = topology->row_length,
                     .compliance = topology->row_compliance,
                     .first_link = row * links,
                     .link_stride = 1,
                     .softness = in_lanes(job->fabric->softness[SIM_LINK_STRETCH]),
                     .scratch = scratch};
        if (links > 0) solve_line(job, &line);
    }
}
#endif

// Warp: exact where the fabric's limit is 0.
LANES_INLINE Line column_line(const SimKernelJob *job, places column, lanes *scratch) {
    const SimTopology *topology = job->topology;
    return (Line){.first = column,
                  .stride = topology->columns,
                  .particles = topology->rows,
                  .links = topology->rows - 1,
                  .lengths = topology->column_length,
                  .compliance = topology->column_compliance,
                  .first_link = column,
                  .link_stride = topology->columns,
                  .softness = in_lanes(job->fabric->column_softness),
                  .scratch = scratch};
}

LANES_INLINE void solve_column(const SimKernelJob *job, places column, lanes *scratch) {
    Line line = column_line(job, column, scratch);
    solve_line(job, &line);
}

#if !defined(SIM_STRIPS) && !defined(SIM_ALONE) // which are grids
// The same along paths, in some lanes. A path moves the particle from which it branches off, too.
static void solve_paths(const SimKernelJob *job, mask active) {
    const SimTopology *topology = job->topology;
    const SimPaths *paths = &topology->paths;
    for (int i = 0; i < paths->count; i++) {
        const int first = paths->first[i], count = paths->first[i + 1] - first;
        const Line line = {.particles = count,
                           .links = count - 1,
                           .lengths = topology->column_length,
                           .compliance = topology->column_compliance,
                           .first_link = first,
                           .link_stride = 1,
                           .softness = job->fabric->column_softness,
                           .scratch = job->state->line,
                           .order = paths->particles + first};
        solve_line_in(job, &line, active);
    }
}

// Draws the ends of edges beside the paths together that are longer than the fabric's weft_most times their
// length. Returns the lanes in which some are.
LANES_INLINE mask limit_edges(const SimKernelJob *job) {
    const SimLinks *links = &job->topology->links;
    lanes3 *x = job->state->position;
    mask moved = {0};
    for (int i = 0; i < links->count; i++) {
        const int a = links->ends[i][0], b = links->ends[i][1];
        if (links->kind[i] != SIM_LINK_STRETCH) continue;
        const lanes3 d = sub3(x[b], x[a]);
        const lanes most = job->fabric->weft_most * links->length[i], square = dot3(d, d);
        const mask taut = more(square, most * most);
        if (!any(taut)) continue;
        const lanes w0 = inverse_mass(job, a), w1 = inverse_mass(job, b), length = square_root(square);
        const lanes s = (length - most) / maximum(length * (w0 + w1), splat(1e-12f));
        x[a] = select3(taut, mad3(x[a], d, w0 * s), x[a]);
        x[b] = select3(taut, mad3(x[b], d, -w1 * s), x[b]);
        moved |= taut;
    }
    return moved;
}

// The paths' lengths and the limit of the edges beside them, in turns. Lanes whose edges all hold do not
// change any more, however many rounds the others take.
static void solve_edges(const SimKernelJob *job) {
    limit_edges(job);
    solve_paths(job, ~(mask){0});
    for (int round = 1; round < job->topology->edge_rounds; round++) {
        const mask moved = limit_edges(job);
        if (!any(moved)) return;
        solve_paths(job, moved);
    }
}
#endif

static void solve_columns(const SimKernelJob *job, int substep) {
    (void)substep;
    if (job->topology->alan_wake_hard) return;
#if !defined(SIM_STRIPS) && !defined(SIM_ALONE)
    if (job->topology->face_count > 0) {
        solve_edges(job);
        return;
    }
#endif
    const int columns = job->topology->columns;
    LINE_SCRATCH(scratch, job);
    for (int i = 0; i < batches_of(columns); i++) solve_column(job, batch_among(columns, i), scratch);
}
