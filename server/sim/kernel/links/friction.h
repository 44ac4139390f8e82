// Dry friction inside the cloth, in lanes whose fabric has some: it slows bending at a constant rate until
// it stops. Damping lets small motion fade for ever; dry friction ends it, and folds hold still.
#pragma once

#include "kernel/lanes/strips.h"
#include "kernel/links/rows_columns.h"

#include <math.h>

#define STRAIGHT 1e-2f // of an element: |x0 - 2 x1 + x2| over the distance of its ends

LANES_INLINE mask rubbing_lanes(const SimKernelJob *job) {
    return more(job->fabric->internal_friction, (lanes){0});
}

// Bends at n . (v0 - 2 v1 + v2), n the direction of c = x0 - 2 x1 + x2. Impulses along k n, k = (1, -2, 1),
// take off `most` m/s of it: sum k = 0 and sum k x = c along n, so they keep momentum and angular momentum,
// and a rigid motion does not bend. Where the element is straight, n is the direction in which it bends.
LANES_INLINE void rub_bend(const SimKernelJob *job, const int *particles, mask rubs, lanes most) {
    const int i0 = particles[0], i1 = particles[1], i2 = particles[2];
    const lanes3 *x = job->state->position, x0 = at3(x, i0), x2 = at3(x, i2);
    lanes3 *v = job->state->velocity, v0 = at3(v, i0), v1 = at3(v, i1), v2 = at3(v, i2);
    const lanes w0 = inverse_mass(job, i0), w1 = inverse_mass(job, i1), w2 = inverse_mass(job, i2);
    const lanes3 c = mad3(add3(x0, x2), at3(x, i1), splat(-2.0f)), chord = sub3(x2, x0);
    const lanes3 d = mad3(add3(v0, v2), v1, splat(-2.0f));
    const mask bent = more(dot3(c, c), splat(STRAIGHT * STRAIGHT) * dot3(chord, chord));
    lanes length;
    const lanes3 n = direction3(select3(bent, c, d), &length);
    const lanes rate = dot3(n, d), denominator = w0 + 4.0f * w1 + w2;
    const lanes s = minimum(maximum(rate, -most), most) / maximum(denominator, splat(1e-9f));
    rubs &= more(denominator, (lanes){0});
    put3(v, i0, select3(rubs, mad3(v0, n, -w0 * s), v0));
    put3(v, i1, select3(rubs, mad3(v1, n, 2.0f * w1 * s), v1));
    put3(v, i2, select3(rubs, mad3(v2, n, -w2 * s), v2));
}

static void rub(const SimKernelJob *job, int substep) {
    (void)substep;
    const SimBends *bends = &job->topology->bends;
    const mask rubs = rubbing_lanes(job);
    if (!any(rubs)) return;
    const lanes most = job->fabric->internal_friction * job->h;
    for (int i = 0; i < bends->count; i++) {
        // A strip at an open edge has no such element.
        const mask bends_here = less(wide(bends->compliance[i]), splat(HUGE_VALF));
        rub_bend(job, bends->particles[i], rubs & bends_here, most);
    }
}

// Columns before contacts: bodies then meet cloth whose lengths hold, and less is left to the hard parts,
// whose corrections would move cloth that lies in folds.
static void solve_rubbing_columns(const SimKernelJob *job, int substep) {
    (void)substep;
    const SimTopology *topology = job->topology;
    const mask rubs = rubbing_lanes(job);
    if (!any(rubs) || topology->columns == 1 || topology->alan_wake_hard) return;
#ifndef SIM_STRIPS
    if (topology->face_count > 0) {
        solve_paths(job, rubs);
        return;
    }
#endif
    for (int column = 0; column < topology->columns; column++) {
        const Line line = column_line(job, column, job->state->line);
        solve_line_in(job, &line, rubs);
    }
}
