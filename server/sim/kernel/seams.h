// Seams: pairs of particles that are drawn together after the soft part of a substep. The hard part has the
// last word, so the columns that a seam joins are solved along with it, in turns, until hardly anything is
// left for the hard part to pull apart.
#pragma once

#include "kernel/lines.h"

#define SEAM_ROUNDS 4

// How far apart the pairs of open lanes are: what the way back begins with.
LANES_INLINE void measure_gaps(const SimKernelSeam *seam, lanes allowed) {
    lanes *gap = seam->jobs[0]->state->seam_gap + seam->seam->first_gap;
    const lanes3 *x0 = seam->jobs[0]->state->position, *x1 = seam->jobs[1]->state->position;
    mask open = less(allowed, (lanes){0});
    for (int i = 0; i < seam->seam->pair_count; i++) {
        const int *pair = seam->seam->pairs[i];
        gap[i] = select_lanes(open, length3(sub3(x1[pair[1]], x0[pair[0]])), gap[i]);
    }
}

// A pair that is farther apart than its share of the first gap: x0 += w0 s d; x1 -= w1 s d, with
// s = (l - share l0) / (l (w0 + w1)).
LANES_INLINE void draw_together(const SimKernelSeam *seam, lanes allowed) {
    const lanes *gap = seam->jobs[0]->state->seam_gap + seam->seam->first_gap;
    lanes3 *x0 = seam->jobs[0]->state->position, *x1 = seam->jobs[1]->state->position;
    mask closed = ~less(allowed, (lanes){0});
    for (int i = 0; i < seam->seam->pair_count; i++) {
        int a = seam->seam->pairs[i][0], b = seam->seam->pairs[i][1];
        lanes w0 = inverse_mass(seam->jobs[0], a), w1 = inverse_mass(seam->jobs[1], b);
        lanes3 d = sub3(x1[b], x0[a]);
        lanes length = length3(d), excess = length - gap[i] * allowed;
        mask pull = closed & more(excess, (lanes){0}) & more(length, splat(1e-9f));
        lanes denominator = select_lanes(pull, length * (w0 + w1), splat(1.0f));
        lanes s = select_lanes(pull, excess / denominator, (lanes){0});
        x0[a] = mad3(x0[a], d, w0 * s);
        x1[b] = mad3(x1[b], d, -w1 * s);
    }
}

// In the lanes where the seam is closed; the others keep their positions to the bit.
LANES_INLINE void solve_seam_column(const SimKernelSeam *seam, int end, mask closed) {
    const SimKernelJob *job = seam->jobs[end];
    const SimTopology *topology = job->topology;
    lanes3 *x = job->state->position, *before = job->state->seam_column;
    if (topology->article_hard) return;
    int column = seam->seam->columns[end];
    for (int row = 0; row < topology->rows; row++) before[row] = x[row * topology->columns + column];
    solve_column(job, column);
    for (int row = 0; row < topology->rows; row++) {
        lanes3 *p = &x[row * topology->columns + column];
        *p = select3(closed, *p, before[row]);
    }
}

static void sew(const SimKernelSeam *seam, int substep) {
    lanes allowed = seam->allowed[substep];
    mask closed = ~less(allowed, (lanes){0});
    measure_gaps(seam, allowed);
    if (!any(closed)) return;
    for (int round = 0; round < SEAM_ROUNDS; round++) {
        draw_together(seam, allowed);
        solve_seam_column(seam, 0, closed);
        solve_seam_column(seam, 1, closed);
    }
    draw_together(seam, allowed);
}
