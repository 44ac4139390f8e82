// Contacts between parts of a mesh: of a particle with a triangle and of an edge with an edge. They are
// linear constraints about the nearest points before a substep (Bridson et al., Robust Treatment of
// Collisions, Contact and Friction for Cloth Animation, 2002).
#pragma once

#include "self_collision/pairs.h"

#include <string.h>

#define NEAR_AT_REST 0.7f // share of the distance at rest
#define LOOK_AHEAD   1.2f // thicknesses: what is a little farther than one may come nearer while sweeping

// The search under way.
typedef struct ContactSearch {
    SimSelfCollision *at;
    float thickness, creep;
    SimLaneSet full; // lanes that have as many contacts as there may be
    bool fits;       // there is room for all
} ContactSearch;

// Two elements: a particle and a triangle, or two edges.
typedef enum ElementKind { POINT_AND_TRIANGLE, TWO_EDGES } ElementKind;

typedef struct Elements {
    int particles[4];
    ElementKind kind;
} Elements;

// The particles at which two elements are, and weights of these at which they are nearest to each other.
typedef struct Corners {
    lanes3 x[4];
} Corners;
typedef struct Weights {
    lanes of[4];
} Weights;

LANES_INLINE Corners corners_at(const SimLanes3 *x, const int particles[4]) {
    return (Corners){{x[particles[0]], x[particles[1]], x[particles[2]], x[particles[3]]}};
}

LANES_INLINE lanes3 gap_of(const Corners *at, const Weights *weights) {
    lanes3 gap = scale3(at->x[0], weights->of[0]);
    for (int i = 1; i < 4; i++) gap = mad3(gap, at->x[i], weights->of[i]);
    return gap;
}

// The point of the triangle of the last three corners that is nearest to the first (Ericson, Real-Time
// Collision Detection, 5.1.5): at a corner, on a side, or within.
LANES_INLINE Weights weigh_triangle(const Corners *at) {
    const lanes3 p = at->x[0], a = at->x[1], b = at->x[2], c = at->x[3];
    const lanes3 ab = sub3(b, a), ac = sub3(c, a), ap = sub3(p, a), bp = sub3(p, b), cp = sub3(p, c);
    const lanes none = (lanes){0};
    const lanes d1 = dot3(ab, ap), d2 = dot3(ac, ap);
    const lanes d3 = dot3(ab, bp), d4 = dot3(ac, bp);
    const lanes d5 = dot3(ab, cp), d6 = dot3(ac, cp);
    const lanes va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    const mask at_a = at_most(d1, none) & at_most(d2, none);
    const mask at_b = at_most(none, d3) & at_most(d4, d3);
    const mask at_c = at_most(none, d6) & at_most(d5, d6) & ~at_b;
    const mask on_ab = at_most(vc, none) & at_most(none, d1) & at_most(d3, none);
    const mask on_ac = at_most(vb, none) & at_most(none, d2) & at_most(d6, none);
    const mask on_bc = at_most(va, none) & at_most(d3, d4) & at_most(d6, d5);
    lanes v = vb / (va + vb + vc), w = vc / (va + vb + vc); // of b and c
    const lanes along = (d4 - d3) / (d4 - d3 + (d5 - d6));
    v = select_lanes(on_bc, 1.0f - along, v);
    w = select_lanes(on_bc, along, w);
    v = select_lanes(on_ac, none, v);
    w = select_lanes(on_ac, d2 / (d2 - d6), w);
    v = select_lanes(on_ab, d1 / (d1 - d3), v);
    w = select_lanes(on_ab, none, w);
    v = select_lanes(at_a | at_c, none, select_lanes(at_b, splat(1.0f), v));
    w = select_lanes(at_a | at_b, none, select_lanes(at_c, splat(1.0f), w));
    return (Weights){{splat(1.0f), v + w - 1.0f, -v, -w}};
}

// The edges of the first two and of the last two corners (Ericson, 5.1.9).
LANES_INLINE Weights weigh_edges(const Corners *at) {
    const lanes3 one = sub3(at->x[1], at->x[0]), other = sub3(at->x[3], at->x[2]);
    const lanes3 apart = sub3(at->x[0], at->x[2]);
    const lanes a = maximum(dot3(one, one), splat(1e-12f)), e = maximum(dot3(other, other), splat(1e-12f));
    const lanes b = dot3(one, other), c = dot3(one, apart), f = dot3(other, apart);
    const lanes across = a * e - b * b;
    const mask slanted = more(across, 1e-6f * a * e); // parallel: anywhere
    lanes s = select_lanes(slanted, between_0_and_1((b * f - c * e) / across), splat(0.5f));
    lanes t = (b * s + f) / e;
    const mask beyond = less(t, splat(0.0f)) | more(t, splat(1.0f));
    t = select_lanes(beyond, between_0_and_1(t), t);
    s = select_lanes(beyond, between_0_and_1((b * t - c) / a), s);
    return (Weights){{1.0f - s, s, t - 1.0f, -t}};
}

LANES_INLINE Weights weigh(const Corners *at, ElementKind kind) {
    return kind == TWO_EDGES ? weigh_edges(at) : weigh_triangle(at);
}

// m, in the bind pose, or less across a seam.
LANES_INLINE lanes rest_distance(const SimMesh *mesh, const Elements *two) {
    Corners at;
    float to_seam[2] = {HUGE_VALF, HUGE_VALF};
    for (int i = 0; i < 4; i++) {
        const float *rest = mesh->rest[two->particles[i]];
        float *least = &to_seam[i >= (two->kind == TWO_EDGES ? 2 : 1)];
        at.x[i] = (lanes3){splat(rest[0]), splat(rest[1]), splat(rest[2])};
        *least = fminf(*least, mesh->to_seam[two->particles[i]]);
    }
    const Weights weights = weigh(&at, two->kind);
    return minimum(length3(gap_of(&at, &weights)), splat(to_seam[0] + to_seam[1]));
}

// Lanes in which each of the two elements has a tangled particle: crossings are untangled otherwise.
LANES_INLINE SimLaneSet both_tangled(const SimSelfCollision *at, const Elements *two) {
    const int *p = two->particles;
    const SimLaneSet second = at->tangled[p[1]], last = at->tangled[p[2]] | at->tangled[p[3]];
    return two->kind == TWO_EDGES ? (at->tangled[p[0]] | second) & last : at->tangled[p[0]] & (second | last);
}

static void add_contact(ContactSearch *search, const Elements *two, SimLaneSet set) {
    SimContacts *contacts = &search->at->contacts;
    const int *particles = two->particles;
    set &= ~search->full & ~both_tangled(search->at, two);
    if (!set || !search->fits) return;
    const Corners from = corners_at(search->at->before, particles);
    const Corners to = corners_at(search->at->free, particles);
    const Weights weights = weigh(&from, two->kind);
    const lanes3 gap = gap_of(&from, &weights);
    const lanes distance = length3(gap);
    const lanes3 normal = scale3(gap, 1.0f / distance);
    const lanes ahead = dot3(gap_of(&to, &weights), normal);
    set &= lanes_where(more(distance, splat(1e-6f)) & ~more(ahead, splat(LOOK_AHEAD * search->thickness)));
    if (!set) return;
    search->fits = contacts->count < contacts->most;
    if (!search->fits) return;
    const lanes limit =
        minimum(splat(search->thickness), NEAR_AT_REST * rest_distance(&search->at->mesh, two));
    SimContact *contact = &contacts->items[contacts->count++];
    memcpy(contact->particles, particles, sizeof contact->particles);
    memcpy(contact->weights, weights.of, sizeof contact->weights);
    contact->lanes = set;
    contact->normal = normal;
    contact->target = minimum(limit, distance + search->creep);
    search->full |= count_where(set, contacts->most, contacts->counts);
}

static void find_points(ContactSearch *search, const SimPatch *points, const SimPatch *triangles,
                        SimLaneSet set) {
    const SimMesh *mesh = &search->at->mesh;
    const SimMeshBoxes *boxes = &search->at->boxes;
    for (int i = 0; i < points->particle_count; i++) {
        const int p = points->particles[i];
        const SimLaneSet near = set & boxes_meet(&boxes->particles[p], &boxes->nodes[triangles->node]);
        for (int k = 0; near && k < triangles->triangle_count; k++) {
            const int t = triangles->first_triangle + k, *corners = mesh->triangles[t];
            const SimLaneSet meet = near & boxes_meet(&boxes->particles[p], &boxes->triangles[t]);
            if (!meet || sim_mesh_touches(mesh, &p, 1, corners, 3)) continue;
            const Elements two = {{p, corners[0], corners[1], corners[2]}, POINT_AND_TRIANGLE};
            add_contact(search, &two, meet);
        }
    }
}

static void find_edges(ContactSearch *search, const SimPatch *one, const SimPatch *other, SimLaneSet set) {
    const SimMesh *mesh = &search->at->mesh;
    const SimMeshBoxes *boxes = &search->at->boxes;
    for (int i = one->first_edge; i < one->first_edge + one->edge_count; i++) {
        const SimLaneSet near = set & boxes_meet(&boxes->edges[i], &boxes->nodes[other->node]);
        if (!near) continue;
        for (int k = other->first_edge; k < other->first_edge + other->edge_count; k++) {
            const int *a = mesh->edges[i].ends, *b = mesh->edges[k].ends;
            const SimLaneSet meet = near & boxes_meet(&boxes->edges[i], &boxes->edges[k]);
            if (!meet || sim_mesh_touches(mesh, a, 2, b, 2)) continue;
            const Elements two = {{a[0], a[1], b[0], b[1]}, TWO_EDGES};
            add_contact(search, &two, meet);
        }
    }
}

static void find_contacts_between(void *context, const SimPatch *one, const SimPatch *other, SimLaneSet set) {
    ContactSearch *search = context;
    const SimSheet *sheets = search->at->mesh.sheets;
    search->thickness = 0.5f * (sheets[one->sheet].thickness + sheets[other->sheet].thickness);
    find_points(search, one, other, set);
    find_points(search, other, one, set);
    find_edges(search, one, other, set);
}

// Finds what comes nearer than the garments are thick on the way from `before`, where nothing crosses, to
// `free`. Which side is which follows from `before`. What is too near there moves apart by `creep` m, and
// what is nearer in the bind pose may stay as near as 0.7 of that. Leaves out elements that are tangled. The
// pairs hold for both. Contacts beyond as many as there may be are dropped. Returns false when there is no
// room for those of all these lanes together.
static inline bool find_contacts(SimSelfCollision *at, float creep, SimLaneSet set) {
    ContactSearch search = {.at = at, .creep = creep, .fits = true};
    at->contacts.count = 0;
    *at->contacts.counts = (lanes){0};
    fit_boxes(&at->mesh, at->before, at->free, REACH, set & ~at->pairs.complete, &at->boxes);
    for_each_pair(&at->mesh, &at->boxes, &at->pairs, set, find_contacts_between, &search);
    return search.fits;
}

// Sweeps once over all contacts that miss their target by more than `slack` of it, in `now`. Returns the
// lanes that it moves.
static inline SimLaneSet sweep_contacts(SimSelfCollision *at, float slack, SimLaneSet set) {
    SimLaneSet moved = NO_LANES;
    for (int i = 0; i < at->contacts.count; i++) {
        const SimContact *contact = &at->contacts.items[i];
        const int *particles = contact->particles;
        if (!(contact->lanes & set)) continue;
        const Corners now = corners_at(at->now, particles);
        Weights weights;
        memcpy(weights.of, contact->weights, sizeof weights.of);
        const lanes missing = contact->target - dot3(gap_of(&now, &weights), contact->normal);
        const mask misses = more(missing, slack * contact->target);
        SimLaneSet moves = contact->lanes & set & lanes_where(misses);
        if (!moves) continue;
        lanes shares[4], sum = (lanes){0};
        for (int k = 0; k < 4; k++) {
            shares[k] = weights.of[k] * at->inverse_mass[particles[k]];
            sum += weights.of[k] * shares[k];
        }
        moves &= lanes_where(more(sum, (lanes){0}));
        const mask where = where_lanes(moves);
        for (int k = 0; k < 4; k++)
            at->now[particles[k]] =
                select3(where, mad3(now.x[k], contact->normal, missing / sum * shares[k]), now.x[k]);
        moved |= moves;
    }
    return moved;
}
