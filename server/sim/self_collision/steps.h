// What contacts and crossings do to a substep: columns go their way, a part of it, or none, and keep their
// lengths.
#pragma once

#include "self_collision/crossings.h"

#include <string.h>

// The share of its way that a column goes which passes through something, by round.
static const float way_shares[] = {0.5f, 0.25f, 0.0f, 0.0f, 0.0f, 0.0f};
enum { HOLD_ROUNDS = sizeof way_shares / sizeof way_shares[0] + 1 };

// The cloth of the garments that keep out of each other, in the order of the mesh.
static inline void load(const SimSelfCollision *at, SimLanes3 *out) {
    for (int i = 0; i < at->mesh.sheet_count; i++) {
        const SimSheet *sheet = &at->mesh.sheets[i];
        memcpy(out + sheet->first, at->jobs[i].state->position,
               (size_t)(sheet->end - sheet->first) * sizeof *out);
    }
}

static inline void store(const SimSelfCollision *at, const SimLanes3 *from) {
    for (int i = 0; i < at->mesh.sheet_count; i++) {
        const SimSheet *sheet = &at->mesh.sheets[i];
        memcpy(at->jobs[i].state->position, from + sheet->first,
               (size_t)(sheet->end - sheet->first) * sizeof *from);
    }
}

static inline void copy_where(SimLaneSet set, int count, const SimLanes3 *from, SimLanes3 *to) {
    const mask where = where_lanes(set);
    for (int i = 0; i < count; i++) to[i] = select3(where, from[i], to[i]);
}

static inline void load_masses(SimSelfCollision *at) {
    for (int i = 0; i < at->mesh.sheet_count; i++) {
        const SimSheet *sheet = &at->mesh.sheets[i];
        for (int p = sheet->first; p < sheet->end; p++)
            at->inverse_mass[p] =
                at->jobs[i].topology->inverse_area[p - sheet->first] * at->jobs[i].fabric->inverse_density;
    }
}

LANES_INLINE lanes distance_squared(lanes3 a, lanes3 b) {
    const lanes3 way = sub3(a, b);
    return dot3(way, way);
}

// From the top down: each link keeps its direction and has its length in `free` again.
static inline void restore_lengths(SimSelfCollision *at, SimLaneSet set) {
    const mask where = where_lanes(set);
    for (int i = 0; i < at->mesh.sheet_count; i++) {
        const SimSheet *sheet = &at->mesh.sheets[i];
        const int columns = at->jobs[i].topology->columns;
        for (int p = sheet->first + columns; p < sheet->end; p++) {
            if (at->jobs[i].topology->pinned[p - sheet->first]) continue;
            const int above = p - columns;
            const lanes3 link = sub3(at->now[p], at->now[above]);
            const lanes length = length3(link);
            const lanes rest = square_root(distance_squared(at->free[p], at->free[above]));
            const lanes3 to = mad3(at->now[above], link, rest / length);
            at->now[p] = select3(where & more(length, splat(1e-6f)), to, at->now[p]);
        }
    }
}

// Marks the columns that contacts have moved.
static inline void note_repelled(SimSelfCollision *at, SimLaneSet set) {
    for (int i = 0; i < at->mesh.sheet_count; i++) {
        const SimSheet *sheet = &at->mesh.sheets[i];
        const int columns = at->jobs[i].topology->columns;
        for (int column = sheet->first; column < sheet->first + columns; column++) {
            SimLaneSet moved = NO_LANES;
            for (int p = column; p < sheet->end; p += columns)
                moved |= at->repelled[p] |
                         lanes_where(more(distance_squared(at->now[p], at->free[p]), (lanes){0}));
            for (int p = column; p < sheet->end; p += columns) at->repelled[p] |= moved & set;
        }
    }
}

// The lanes in which nothing can cross while all contacts hold: no particle has moved by half a thickness
// since they were found, and what is not among them was farther off than one.
static inline SimLaneSet are_apart(const SimSelfCollision *at) {
    SimLaneSet apart =
        ~at->crosses & lanes_where(less(*at->contacts.counts, splat((float)at->contacts.most)));
    for (int i = 0; i < at->mesh.sheet_count; i++) {
        const SimSheet *sheet = &at->mesh.sheets[i];
        const float most = 0.5f * sheet->thickness;
        for (int p = sheet->first; p < sheet->end && apart; p++)
            apart &= lanes_where(less(distance_squared(at->now[p], at->free[p]), splat(most * most)));
    }
    return apart;
}

// What is not near anything, and where contacts hold from the beginning, needs nothing more in this substep.
static inline void leave(SimSelfCollision *at, SimLaneSet set) {
    if (!set) return;
    at->near &= ~set;
    at->settled |= set;
    copy_where(set, at->mesh.particle_count, at->free, at->before);
}

static inline void note_tangles(SimSelfCollision *at, SimLaneSet set) {
    at->crosses &= ~set;
    for (int p = 0; p < at->mesh.particle_count; p++) at->tangled[p] &= ~set;
    for (int i = 0; i < at->crossings.count; i++) {
        const SimCrossing *crossing = &at->crossings.items[i];
        const SimLaneSet cross = crossing->lanes & set;
        at->crosses |= cross;
        for (int k = 0; k < 2; k++) at->tangled[at->mesh.edges[crossing->edge].ends[k]] |= cross;
        for (int k = 0; k < 3; k++) at->tangled[at->mesh.triangles[crossing->triangle][k]] |= cross;
    }
}

// The particle's column goes no more than this share of its way.
static inline void hold_column(SimSelfCollision *at, int particle, float share, SimLaneSet set) {
    const int number = at->mesh.sheet[particle], columns = at->jobs[number].topology->columns;
    const SimSheet *sheet = &at->mesh.sheets[number];
    for (int p = sheet->first + (particle - sheet->first) % columns; p < sheet->end; p += columns)
        at->share[p] = select_lanes(where_lanes(set), minimum(splat(share), at->share[p]), at->share[p]);
}

// Holds the columns that cross, but those that were tangled before. Returns the lanes in which there are any.
static inline SimLaneSet mark_columns(SimSelfCollision *at, float share, SimLaneSet set) {
    SimLaneSet marked = NO_LANES;
    for (int i = 0; i < at->crossings.count; i++) {
        const SimCrossing *crossing = &at->crossings.items[i];
        const int *ends = at->mesh.edges[crossing->edge].ends;
        const int *corners = at->mesh.triangles[crossing->triangle];
        const SimLaneSet was_tangled = at->tangled[ends[0]] & at->tangled[ends[1]] & at->tangled[corners[0]] &
                                       at->tangled[corners[1]] & at->tangled[corners[2]];
        const SimLaneSet cross = crossing->lanes & set & ~was_tangled;
        if (!cross) continue;
        for (int k = 0; k < 2; k++) hold_column(at, ends[k], share, cross);
        for (int k = 0; k < 3; k++) hold_column(at, corners[k], share, cross);
        marked |= cross;
    }
    return marked;
}

// From the top down: each link turns by its share from where it was before to where it has reached.
static inline void go_shares(SimSelfCollision *at, SimLaneSet set) {
    const mask where = where_lanes(set);
    for (int i = 0; i < at->mesh.sheet_count; i++) {
        const SimSheet *sheet = &at->mesh.sheets[i];
        const int columns = at->jobs[i].topology->columns;
        for (int p = sheet->first; p < sheet->end; p++) {
            lanes3 to = at->reached[p];
            if (!at->jobs[i].topology->pinned[p - sheet->first] && p >= sheet->first + columns) {
                const int above = p - columns;
                const lanes3 link = sub3(at->reached[p], at->reached[above]);
                const lanes3 old = sub3(at->before[p], at->before[above]);
                const lanes length = length3(link);
                const lanes3 turned = add3(old, scale3(sub3(link, old), at->share[p]));
                to = add3(at->now[above],
                          select3(less(at->share[p], splat(1.0f)), scale3(unit3(turned), length), link));
            }
            at->now[p] = select3(where, to, at->now[p]);
        }
    }
}

// As kernel/passive.h does: on a body that holds still, what all this does in a substep does no work on the
// steps. The share of the step that remains, 1 or more: all of it.
LANES_INLINE lanes step_share(const SimSelfCollision *at, float h) {
    lanes work = (lanes){0}, square = (lanes){0}, mass = (lanes){0};
    for (int p = 0; p < at->mesh.particle_count; p++) {
        const mask moves = more(at->inverse_mass[p], (lanes){0});
        const lanes m = select_lanes(moves, 1.0f / at->inverse_mass[p], (lanes){0});
        const lanes3 step = sub3(at->now[p], at->before[p]), free = sub3(at->free[p], at->before[p]);
        work += select_lanes(moves, m * dot3(free, step), (lanes){0});
        square += select_lanes(moves, m * dot3(step, step), (lanes){0});
        mass += m;
    }
    const lanes share = maximum(work / square, splat(0.0f)) + *at->driven * h * square_root(mass / square);
    return select_lanes(more(square, (lanes){0}), share, splat(1.0f));
}

// A correction takes speed, up to all of it along its way, and gives none: contacts are inelastic, and what
// is too near moves apart without being thrown. What untangles keeps its speed.
LANES_INLINE lanes3 corrected(lanes3 v, lanes3 change, mask tangled) {
    const lanes square = dot3(change, change);
    const lanes against = between_0_and_1(-dot3(v, change) / square);
    const lanes3 to = mad3(v, change, select_lanes(tangled, splat(1.0f), against));
    return select3(more(square, (lanes){0}), to, v);
}
