// Weft rows of a garment in strips, the same system as in rows_columns.h. Each lane eliminates the links
// inside its strip in terms of the two links across its seams. A tridiagonal (or cyclic) system with one
// unknown a lane remains; four steps of cyclic reduction solve it. (Wang's partition method; Hockney's
// parallel cyclic reduction.)
#pragma once

#include "kernel/links/rows_columns.h"

#ifdef SIM_STRIPS

// Scratch of one row, link by link; the last link of a strip leads to the strip on its right.
typedef struct StripScratch {
    lanes3 *u;          // direction
    lanes *weight;      // inverse mass of the particle on its left
    lanes *above;       // element right of the diagonal
    lanes *pivot_above; // the same, eliminated
    lanes *lambda;      // right-hand side, then the solution with both seams fixed
    lanes *left;        // its dependence on the left seam; pivot_above has that on the right one
} StripScratch;

// a s[i-1] + b s[i] + c s[i+1] = r, one unknown a lane, cyclic.
typedef struct SeamSystem {
    lanes a, b, c, r;
} SeamSystem;

LANES_INLINE lanes solve_seams(SeamSystem s) {
    for (int reach = 1; reach < SIM_WIDTH; reach *= 2) {
        lanes left = s.a / rotated(s.b, -reach), right = s.c / rotated(s.b, reach);
        SeamSystem next = {
            -left * rotated(s.a, -reach), s.b - left * rotated(s.c, -reach) - right * rotated(s.a, reach),
            -right * rotated(s.c, reach), s.r - left * rotated(s.r, -reach) - right * rotated(s.r, reach)};
        s = next;
    }
    return s.r / (s.a + s.b + s.c);
}

LANES_INLINE void measure_row(const SimKernelJob *job, int first, const StripScratch *scratch) {
    const SimTopology *topology = job->topology;
    const lanes3 *x = job->state->position;
    int n = topology->columns;
    for (int k = 0; k < n; k++) {
        int next = k + 1 < n ? first + k + 1 : first | SIM_RIGHT;
        lanes length;
        scratch->u[k] = direction3(sub3(at3(x, next), x[first + k]), &length);
        scratch->lambda[k] =
            select_lanes(more(length, splat(1e-9f)), topology->row_length[first + k] - length, (lanes){0});
        scratch->weight[k] = inverse_mass(job, first + k);
    }
    for (int k = 0; k + 1 < n; k++)
        scratch->above[k] = -scratch->weight[k + 1] * dot3(scratch->u[k], scratch->u[k + 1]);
    scratch->above[n - 1] =
        -rotated(scratch->weight[0], 1) * dot3(scratch->u[n - 1], rotated3(scratch->u[0], 1));
}

// The diagonal of link k. A link between two pinned particles is left out.
LANES_INLINE lanes row_diagonal(const SimKernelJob *job, int first, int k, const StripScratch *scratch) {
    lanes right = k + 1 < job->topology->columns ? scratch->weight[k + 1] : rotated(scratch->weight[0], 1);
    lanes softness = job->fabric->softness[SIM_LINK_STRETCH];
    lanes sum = scratch->weight[k] + right;
    mask moves = more(sum, (lanes){0});
    scratch->lambda[k] = select_lanes(moves, scratch->lambda[k], (lanes){0});
    return select_lanes(moves, sum + job->topology->row_compliance[first + k] * softness, splat(1.0f));
}

static void solve_strip_row(const SimKernelJob *job, int first) {
    int n = job->topology->columns, inner = n - 1;
    lanes *at = job->state->line;
    const StripScratch scratch = {(lanes3 *)at, at + 3 * n, at + 4 * n, at + 5 * n, at + 6 * n, at + 7 * n};
    measure_row(job, first, &scratch);
    for (int k = 0; k < inner; k++) {
        lanes diagonal = row_diagonal(job, first, k, &scratch);
        lanes below = k > 0 ? scratch.above[k - 1] : (lanes){0};
        lanes before = k > 0 ? scratch.lambda[k - 1] : (lanes){0};
        lanes inverse = 1.0f / (k > 0 ? diagonal - below * scratch.pivot_above[k - 1] : diagonal);
        scratch.pivot_above[k] = scratch.above[k] * inverse;
        scratch.lambda[k] = (scratch.lambda[k] - below * before) * inverse;
        scratch.left[k] =
            k > 0 ? -below * scratch.left[k - 1] * inverse : rotated(scratch.above[n - 1], -1) * inverse;
    }
    // lambda_k = y_k - left_k s_left - right_k s; right_k is the product of the pivots from k on.
    lanes right = scratch.pivot_above[inner - 1];
    for (int k = inner - 2; k >= 0; k--) {
        scratch.lambda[k] -= scratch.pivot_above[k] * scratch.lambda[k + 1];
        scratch.left[k] -= scratch.pivot_above[k] * scratch.left[k + 1];
        right *= -scratch.pivot_above[k];
    }
    lanes own = scratch.above[inner - 1], across = scratch.above[n - 1];
    lanes diagonal = row_diagonal(job, first, inner, &scratch);
    lanes seam = solve_seams((SeamSystem){.a = -own * scratch.left[inner - 1],
                                          .b = diagonal - own * scratch.pivot_above[inner - 1] -
                                               across * rotated(scratch.left[0], 1),
                                          .c = -across * rotated(right, 1),
                                          .r = scratch.lambda[inner] - own * scratch.lambda[inner - 1] -
                                               across * rotated(scratch.lambda[0], 1)});
    lanes left_seam = rotated(seam, -1), follows = -seam;
    scratch.lambda[inner] = seam;
    for (int k = inner - 1; k >= 0; k--) {
        follows *= k == inner - 1 ? scratch.pivot_above[k] : -scratch.pivot_above[k];
        scratch.lambda[k] += follows - scratch.left[k] * left_seam;
    }
    lanes3 *x = job->state->position;
    for (int k = 0; k < n; k++) {
        int p0 = first + k, p1 = k + 1 < n ? p0 + 1 : first | SIM_RIGHT;
        lanes w1 = k + 1 < n ? scratch.weight[k + 1] : rotated(scratch.weight[0], 1);
        x[p0] = mad3(x[p0], scratch.u[k], -scratch.weight[k] * scratch.lambda[k]);
        put3(x, p1, mad3(at3(x, p1), scratch.u[k], w1 * scratch.lambda[k]));
    }
}

static void solve_rows(const SimKernelJob *job, int substep) {
    (void)substep;
    const SimTopology *topology = job->topology;
    if (topology->alan_wake_hard) return;
    for (int row = 0; row < topology->rows; row++) solve_strip_row(job, row * topology->columns);
}

#endif
