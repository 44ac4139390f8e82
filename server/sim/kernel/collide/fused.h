// The fused pass, top-down: row by row, from the middle column outwards.
#pragma once

#include "kernel/collide/fused_particle.h"
#include "kernel/collide/mend.h"

#ifdef SIM_ALONE

// The same, wave by wave: a particle waits for the one above it and for the neighbour that is nearer to the
// middle. Garments that fold are mended row by row and have one lane.
static void fused_pass(const SimKernelJob *job, int index) {
    const SimSubstep *substep = &job->substeps[index];
    const SimTopology *topology = job->topology;
    const SimAloneOrder *order = alone_order(topology);
    if (any(folded_lanes(job))) {
        sim_scalar_fused_pass(job, index);
        return;
    }
    for (int i = 0; i < order->waves.count; i++) {
        const places particle = batch_of(&order->waves, i), inner = batch_of(&order->inner, i);
        if (all_stay(job, particle)) continue;
        NearColliders near;
        find_near_each(job, substep, topology->colliders, particle, &near);
        LinkSphere sphere = link_sphere(job, particle, particle - topology->columns);
        sphere.has_weft_limit = !job->held;
        if (sphere.has_weft_limit)
            sphere.weft_limit = weft_limit(job, inner, batch_of(&order->inner_links, i));
        // The middle column has no limit.
        sphere.weft_limit.length = select_lanes(inner == particle, splat(1e6f), sphere.weft_limit.length);
        fused_particle(job, substep, &near, particle, &sphere);
    }
}

#else

// Limits the link to the neighbour in the row that is already placed, because columns do not know of rows.
LANES_INLINE void limit_row_links(const SimKernelJob *job, LinkSphere *sphere, int particle, int outwards) {
    const SimTopology *topology = job->topology;
    const int columns = topology->columns, column = particle % columns;
    if (job->held) return;
#ifdef SIM_STRIPS
    (void)outwards;
    const int links = particle - column, last = columns - 1;
    sphere->weft_limit = column > 0
                             ? weft_limit(job, particle - 1, links + column - 1)
                             : weft_limit(job, (particle + last) | SIM_LEFT, (links + last) | SIM_LEFT);
#else
    if (columns < 2 || column == columns / 2) return;
    const int links = particle / columns * row_links(topology);
    sphere->weft_limit = weft_limit(job, particle - outwards, links + (outwards > 0 ? column - 1 : column));
#endif
    sphere->has_weft_limit = true;
}

// How many particles of its stretch follow outwards from this one on.
LANES_INLINE int left_of_stretch(const SimTopology *topology, int particle, int outwards) {
    const int place = particle % sim_stretch_line(topology) % NEAR_RUN;
    return outwards > 0 ? NEAR_RUN - place : place + 1;
}

// Solves `count` particles of a row, from the first outwards, stretch by stretch.
static void fuse_outwards(const SimKernelJob *job, const SimSubstep *substep, int first, int count,
                          int outwards, NearColliders *near) {
    const SimTopology *topology = job->topology;
    near->count = -1;
    int left = 0;
    bool moves = true;
    for (int i = 0; i < count; i++, left--) {
        const int particle = first + i * outwards;
        if (left == 0 && !topology->alan_wake_hard) {
            left = left_of_stretch(topology, particle, outwards);
            if (left > count - i) left = count - i;
            const int low = outwards > 0 ? particle : particle - left + 1;
            moves = stretch_moves(job, low, low + left, 0, 0);
            if (moves) find_near(job, substep, topology->colliders, low, low + left, false, near);
        }
        if (topology->pinned[particle] || !moves || all_stay(job, particle)) continue;
        LinkSphere sphere = link_sphere(job, particle, particle - topology->columns);
        limit_row_links(job, &sphere, particle, outwards);
        fused_particle(job, substep, near, particle, &sphere);
    }
}

#ifndef SIM_STRIPS
static void fused_paths(const SimKernelJob *job, const SimSubstep *substep) {
    const SimTopology *topology = job->topology;
    const SimPaths *paths = &topology->paths;
    NearColliders near = {.count = -1};
    for (int i = 0; i < paths->count; i++) {
        const int first = paths->first[i] + 1, end = paths->first[i + 1];
        for (int k = first; k < end; k++) {
            const int *at = paths->particles + k, left = end - k;
            if ((k - first) % NEAR_RUN == 0)
                find_near_about(job, substep, topology->colliders, at, left < NEAR_RUN ? left : NEAR_RUN,
                                &near);
            LinkSphere sphere = link_sphere_below(job, at[-1], at[0], k - 1);
            fused_particle(job, substep, &near, at[0], &sphere);
        }
    }
}
#endif

static void fused_pass(const SimKernelJob *job, int index) {
    const SimSubstep *substep = &job->substeps[index];
#ifndef SIM_STRIPS
    if (job->topology->face_count > 0) {
        fused_paths(job, substep);
        return;
    }
#endif
    const int columns = job->topology->columns;
#ifdef SIM_STRIPS
    const int middle = 0;
#else
    const int middle = columns / 2;
    const bool folds = any(folded_lanes(job)) && !job->held && columns <= MEND_COLUMNS;
#endif
    NearColliders near;
    for (int row = columns; row < job->topology->particle_count; row += columns) {
#ifndef SIM_STRIPS
        const lanes conflicts = *job->state->conflicts;
        if (folds) keep_starts(job, row);
#endif
        fuse_outwards(job, substep, row + middle, columns - middle, 1, &near);
        fuse_outwards(job, substep, row + middle - 1, middle, -1, &near);
#ifndef SIM_STRIPS
        if (folds) mend_row(job, substep, row, conflicts);
#endif
    }
}

#endif
