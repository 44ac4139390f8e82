// Seams: draws pairs of particles together after the soft part of a substep. The hard part comes later and
// would undo this, so the joined columns are solved in turns with the pairs. This converges slowly where a
// column hangs aslant above the seam (the light pair yields instead of lifting the heavy column below it).
// So the seam is zipped last: top-down, each pair moves to one place at which both of its links have their
// lengths, which leaves the hard part nothing to correct.
#pragma once

#include "kernel/collide/fused.h"
#include "kernel/links/rows_columns.h"

#define SEAM_ROUNDS 4

// Measures the gaps of open lanes, from which closing starts.
LANES_INLINE void measure_gaps(const SimKernelSeam *seam, mask open) {
    lanes *gap = seam->jobs[0]->state->seam_gap + seam->seam->first_gap;
    const lanes3 *x0 = seam->jobs[0]->state->position, *x1 = seam->jobs[1]->state->position;
    for (int i = 0; i < seam->seam->pair_count; i++) {
        const int *pair = seam->seam->pairs[i];
        gap[i] = select_lanes(open, length3(sub3(x1[pair[1]], x0[pair[0]])), gap[i]);
    }
}

// The target of a pair: x1 = x0 + apart.
typedef struct SeamPair {
    lanes3 x0, apart;
} SeamPair;

// Moves a pair that is farther apart than the allowed share of its first gap together to that share, the
// lighter particle more.
LANES_INLINE SeamPair draw_together(const SimKernelSeam *seam, int index, lanes allowed) {
    int a = seam->seam->pairs[index][0], b = seam->seam->pairs[index][1];
    lanes3 x0 = seam->jobs[0]->state->position[a];
    lanes w0 = inverse_mass(seam->jobs[0], a), w1 = inverse_mass(seam->jobs[1], b);
    lanes3 d = sub3(seam->jobs[1]->state->position[b], x0);
    lanes limit = seam->jobs[0]->state->seam_gap[seam->seam->first_gap + index] * allowed;
    lanes share = minimum(limit / maximum(length3(d), splat(1e-9f)), splat(1.0f));
    lanes3 apart = scale3(d, share);
    return (SeamPair){mad3(x0, sub3(d, apart), w0 / (w0 + w1)), apart};
}

// Moves a pair in lanes in which the seam is closed. Other lanes keep their positions to the bit.
LANES_INLINE void move_pair(const SimKernelSeam *seam, int index, mask closed, lanes3 x0, lanes3 x1) {
    for (int end = 0; end < 2; end++) {
        int p = seam->seam->pairs[index][end];
        if (seam->jobs[end]->topology->pinned[p]) continue;
        lanes3 *x = &seam->jobs[end]->state->position[p];
        *x = select3(closed, end ? x1 : x0, *x);
    }
}

LANES_INLINE void solve_seam_column(const SimKernelSeam *seam, int end, mask closed) {
    const SimKernelJob *job = seam->jobs[end];
    lanes3 *x = job->state->position + seam->seam->columns[end], *before = job->state->seam_column;
    int rows = job->topology->rows, columns = job->topology->columns;
    for (int row = 0; row < rows; row++) before[row] = x[row * columns];
    solve_column(job, seam->seam->columns[end], job->state->line);
    for (int row = 0; row < rows; row++) x[row * columns] = select3(closed, x[row * columns], before[row]);
}

// The place nearest to p at which both links have their lengths: a circle. If the spheres do not meet, a
// place between them.
LANES_INLINE lanes3 onto_circle(const LinkSphere *one, const LinkSphere *two, lanes3 p) {
    lanes distance;
    lanes3 axis = direction3(sub3(two->centre, one->centre), &distance);
    lanes r1 = one->radius, r2 = two->radius;
    lanes along = 0.5f * (distance + (r1 - r2) * (r1 + r2) / maximum(distance, splat(1e-6f)));
    lanes3 foot = mad3(one->centre, axis, along);
    lanes3 across = sub3(p, foot);
    across = mad3(across, axis, -dot3(across, axis));
    lanes length;
    across = direction3(across, &length);
    return mad3(foot, across, square_root(maximum(r1 * r1 - along * along, (lanes){0})));
}

// The first pair hangs from two particles, each other pair from the pair above.
LANES_INLINE lanes3 hang(const LinkSphere spheres[2], bool first, lanes3 p) {
    LinkSphere mean = {.centre = scale3(add3(spheres[0].centre, spheres[1].centre), splat(0.5f)),
                       .radius = 0.5f * (spheres[0].radius + spheres[1].radius)};
    lanes3 below = onto_sphere(&mean, p);
    if (!first) return below;
    lanes distance = length3(sub3(spheres[1].centre, spheres[0].centre));
    return select3(more(distance, 0.1f * mean.radius), onto_circle(&spheres[0], &spheres[1], p), below);
}

LANES_INLINE void zip_pair(const SimKernelSeam *seam, int index, lanes allowed, mask closed) {
    const int *pair = seam->seam->pairs[index];
    SeamPair place = draw_together(seam, index, allowed);
    LinkSphere spheres[2] = {{.radius = (lanes){0}}, {.radius = (lanes){0}}};
    bool hangs[2];
    for (int end = 0; end < 2; end++) {
        const SimTopology *topology = seam->jobs[end]->topology;
        hangs[end] = pair[end] >= topology->columns && !topology->pinned[pair[end]];
        if (hangs[end]) spheres[end] = link_sphere(seam->jobs[end], pair[end], pair[end] - topology->columns);
    }
    lanes3 x0 = place.x0;
    if (hangs[0] && hangs[1]) {
        LinkSphere together[2] = {spheres[0], spheres[1]};
        together[1].centre = sub3(together[1].centre, place.apart);
        x0 = hang(together, index == 0, x0);
    }
    lanes3 x1 = add3(x0, place.apart);
    if (hangs[0]) x0 = onto_sphere(&spheres[0], x0);
    if (hangs[1]) x1 = onto_sphere(&spheres[1], x1);
    move_pair(seam, index, closed, x0, x1);
}

// Moves the particles below the seam's last pair along.
LANES_INLINE void follow(const SimKernelSeam *seam, int end, mask closed) {
    const SimKernelJob *job = seam->jobs[end];
    const SimTopology *topology = job->topology;
    int last = seam->seam->pairs[seam->seam->pair_count - 1][end];
    for (int p = last + topology->columns; p < topology->particle_count; p += topology->columns) {
        if (topology->pinned[p]) continue;
        LinkSphere sphere = link_sphere(job, p, p - topology->columns);
        lanes3 *x = &job->state->position[p];
        *x = select3(closed, onto_sphere(&sphere, *x), *x);
    }
}

static void sew(const SimKernelSeam *seam, int substep) {
    lanes allowed = seam->allowed[substep];
    mask open = less(allowed, (lanes){0}), closed = ~open;
    int pairs = seam->seam->pair_count;
    measure_gaps(seam, open);
    if (!any(closed) || !pairs) return;
    for (int end = 0; end < 2; end++) {
        lanes *sewn = seam->jobs[end]->state->sewn;
        *sewn = select_lanes(closed, splat(1.0f), *sewn);
    }
    for (int round = 0; round < SEAM_ROUNDS; round++) {
        for (int i = 0; i < pairs; i++) {
            SeamPair place = draw_together(seam, i, allowed);
            move_pair(seam, i, closed, place.x0, add3(place.x0, place.apart));
        }
        for (int end = 0; end < 2; end++)
            if (!seam->jobs[end]->topology->alan_wake_hard) solve_seam_column(seam, end, closed);
    }
    for (int i = 0; i < pairs; i++) zip_pair(seam, i, allowed, closed);
    for (int end = 0; end < 2; end++) follow(seam, end, closed);
}
