// Crossings, and untangling by intersection contour minimization (Volino and Magnenat-Thalmann, Resolving
// Surface Collisions through Intersection Contour Minimization, 2006).
#pragma once

#include "self_collision/pairs.h"

#define SLANT 1e-3f // least sine of the angle between an edge and a triangle that says where the way out is

// The search under way.
typedef struct CrossingSearch {
    SimSelfCollision *at;
    const SimLanes3 *positions;
    SimLaneSet full; // lanes that have as many as there may be
} CrossingSearch;

// Six times the tetrahedron's.
LANES_INLINE lanes volume_of(lanes3 a, lanes3 b, lanes3 c, lanes3 d) {
    return dot3(cross3(sub3(b, a), sub3(c, a)), sub3(d, a));
}

// The lanes in which the ends are on both sides of the triangle's plane, and the line between them passes its
// sides in one sense. Passing through a side counts, too.
static inline SimLaneSet passes_through(const SimLanes3 *x, const int edge[2], const int triangle[3]) {
    const lanes3 p = x[edge[0]], q = x[edge[1]];
    const lanes3 a = x[triangle[0]], b = x[triangle[1]], c = x[triangle[2]];
    const lanes none = (lanes){0}, one = volume_of(a, b, c, p), other = volume_of(a, b, c, q);
    const SimLaneSet parts =
        lanes_where((more(one, none) & less(other, none)) | (less(one, none) & more(other, none)));
    if (!parts) return NO_LANES;
    const lanes ab = volume_of(p, q, a, b), bc = volume_of(p, q, b, c), ca = volume_of(p, q, c, a);
    return parts & lanes_where((at_most(none, ab) & at_most(none, bc) & at_most(none, ca)) |
                               (at_most(ab, none) & at_most(bc, none) & at_most(ca, none)));
}

static void find_crossing_edges(CrossingSearch *search, const SimPatch *edges, const SimPatch *triangles,
                                SimLaneSet set) {
    const SimMesh *mesh = &search->at->mesh;
    const SimMeshBoxes *boxes = &search->at->boxes;
    SimCrossings *crossings = &search->at->crossings;
    for (int i = edges->first_edge; i < edges->first_edge + edges->edge_count; i++) {
        const SimLaneSet near = set & boxes_meet(&boxes->edges[i], &boxes->nodes[triangles->node]);
        for (int k = 0; near && k < triangles->triangle_count; k++) {
            const int t = triangles->first_triangle + k, *ends = mesh->edges[i].ends;
            SimLaneSet cross = near & ~search->full & boxes_meet(&boxes->edges[i], &boxes->triangles[t]);
            if (!cross || sim_mesh_touches(mesh, ends, 2, mesh->triangles[t], 3)) continue;
            cross &= passes_through(search->positions, ends, mesh->triangles[t]);
            if (!cross) continue;
            crossings->items[crossings->count++] = (SimCrossing){i, t, cross};
            search->full |= count_where(cross, crossings->most, crossings->counts);
        }
    }
}

static void find_crossings_between(void *context, const SimPatch *one, const SimPatch *other,
                                   SimLaneSet set) {
    find_crossing_edges(context, one, other, set);
    find_crossing_edges(context, other, one, set);
}

// Finds the pairs of an edge and a triangle that it passes through. The list of pairs holds. Those beyond as
// many as there may be are dropped.
static inline void find_crossings_at(SimSelfCollision *at, const SimLanes3 *positions, SimLaneSet set) {
    CrossingSearch search = {.at = at, .positions = positions};
    at->crossings.count = 0;
    *at->crossings.counts = (lanes){0};
    fit_boxes(&at->mesh, positions, positions, 0.0f, set & ~at->pairs.complete, &at->boxes);
    for_each_pair(&at->mesh, &at->boxes, &at->pairs, set, find_crossings_between, &search);
}

// The way of the edge, seen from the triangle, on which the line along which the triangles at the edge pass
// through this one gets shorter: R - N (R . E) / (N . E), R the sum of the unit vectors from the crossing
// along that line, E the edge's direction, N the normal. `step` m long where the line ends here or bends
// much, but no longer than one of the triangles is high: narrow ones would be turned over and over. Returns
// the lanes in which there is one.
LANES_INLINE SimLaneSet way_out(const SimMesh *mesh, const SimCrossing *crossing, const SimLanes3 *x,
                                float step, lanes3 *out) {
    const SimMeshEdge *edge = &mesh->edges[crossing->edge];
    const int *triangle = mesh->triangles[crossing->triangle];
    const lanes3 ab = sub3(x[triangle[1]], x[triangle[0]]), ac = sub3(x[triangle[2]], x[triangle[0]]);
    const lanes3 normal = unit3(cross3(ab, ac)), along = unit3(sub3(x[edge->ends[1]], x[edge->ends[0]]));
    const lanes3 bc = sub3(ac, ab);
    const lanes longest = maximum(maximum(dot3(ab, ab), dot3(ac, ac)), dot3(bc, bc));
    lanes height = length3(cross3(ab, ac)) / square_root(longest);
    const lanes slant = dot3(along, normal);
    const mask slanted = more(absolute(slant), splat(SLANT));
    lanes3 way = zero3();
    for (int i = 0; i < 2 && edge->beside[i] >= 0; i++) {
        const lanes3 into = sub3(x[edge->beside[i]], x[edge->ends[0]]);
        const lanes3 line = unit3(cross3(cross3(along, into), normal));
        const lanes3 inwards = mad3(into, along, -dot3(into, along));
        const lanes side = select_lanes(less(dot3(line, inwards), (lanes){0}), splat(-1.0f), splat(1.0f));
        way = mad3(way, line, side);
        height = minimum(height, length3(inwards));
    }
    way = mad3(way, normal, -dot3(way, along) / slant);
    const lanes length = length3(way);
    *out = scale3(way, minimum(splat(step), height) / square_root(length * length + 0.01f));
    return lanes_where(slanted);
}

LANES_INLINE lanes mean_of(const SimLanes *values, const int *indices, int count) {
    lanes sum = (lanes){0};
    for (int i = 0; i < count; i++) sum += values[indices[i]];
    return sum / (float)count;
}

LANES_INLINE void push(const SimSelfCollision *at, int particle, lanes3 way, lanes by, mask where) {
    const lanes3 now = at->now[particle];
    const mask moves = where & more(at->inverse_mass[particle], (lanes){0});
    at->now[particle] = select3(moves, mad3(now, way, by), now);
}

// Moves the edges and triangles that cross at `before` by up to `step` m against each other, in `now`, so
// that the line along which the parts of the mesh pass through each other gets shorter.
static inline void shorten_crossings(SimSelfCollision *at, float step) {
    for (int i = 0; i < at->crossings.count; i++) {
        const SimCrossing *crossing = &at->crossings.items[i];
        const int *edge = at->mesh.edges[crossing->edge].ends;
        const int *triangle = at->mesh.triangles[crossing->triangle];
        const lanes light = mean_of(at->inverse_mass, edge, 2);
        const lanes other = mean_of(at->inverse_mass, triangle, 3);
        lanes3 way;
        const SimLaneSet set = crossing->lanes & way_out(&at->mesh, crossing, at->before, step, &way);
        const mask where = where_lanes(set) & more(light + other, (lanes){0});
        for (int k = 0; k < 2; k++) push(at, edge[k], way, light / (light + other), where);
        for (int k = 0; k < 3; k++) push(at, triangle[k], way, -other / (light + other), where);
    }
}
