// Finds the patches of a mesh that come near each other, by a tree of boxes.
//
// A search through the tree lists pairs of patches with some margin. The list serves until a particle has
// moved farther than that; only boxes of what is in patches are fitted anew meanwhile.
//
// Smooth parts are left out of the list until it is made again. Particles that move by a fifth of an edge
// turn it by less than 30 degrees; so a part whose normals were within 60 degrees of one direction does not
// meet itself meanwhile (Volino and Magnenat-Thalmann 1994).
#pragma once

#include "self_collision/boxes.h"

#include <stdlib.h>

#define FOLD_COSINE 0.5f // of the angle between all normals of a part without a fold and their middle
#define WAY         0.2f // of an edge: so far a particle may move before the pairs are listed anew
#define REACH       0.5f // thicknesses by which boxes are widened at most

// Called for each two patches whose boxes meet, in a fixed order, with the lanes in which they do.
typedef void OnPair(void *context, const SimPatch *one, const SimPatch *other, SimLaneSet set);

typedef struct TreeSearch {
    const SimMesh *mesh;
    const SimMeshBoxes *boxes;
    OnPair *call;
    void *context;
} TreeSearch;

// The pairs under way.
typedef struct Listing {
    const SimMesh *mesh;
    SimPatchPairs *pairs;
} Listing;

// Whether the normals are near one direction: then the cloth does not meet itself.
static inline SimLaneSet is_smooth(const SimBox *normals) {
    const lanes3 low = low_of(normals), high = high_of(normals), middle = add3(low, high);
    const lanes3 least = {select_lanes(more(middle.x, (lanes){0}), low.x, high.x),
                          select_lanes(more(middle.y, (lanes){0}), low.y, high.y),
                          select_lanes(more(middle.z, (lanes){0}), low.z, high.z)};
    return lanes_where(more(dot3(middle, least), FOLD_COSINE * length3(middle)));
}

// Whether two nodes of one level are neighbours and smooth together with those between them: the two others
// of four that meet at a corner.
static inline SimLaneSet is_smooth_block(const TreeSearch *search, int one, int other) {
    const SimMeshNode *a = &search->mesh->nodes[one], *b = &search->mesh->nodes[other];
    const int rows = b->row - a->row, columns = b->column - a->column;
    if (abs(rows) > 1 || (abs(columns) > 1 && !(a->ring && abs(columns) == a->width - 1))) return NO_LANES;
    const int block[4] = {one, other, one + columns, one + rows * a->width};
    const SimBox normals = box_of(search->boxes->normals, block, 4);
    return is_smooth(&normals);
}

static void search_between(const TreeSearch *search, int one, int other, SimLaneSet set) {
    const SimMesh *mesh = search->mesh;
    set &= boxes_meet(&search->boxes->nodes[one], &search->boxes->nodes[other]);
    if (!set) return;
    const SimMeshNode *a = &mesh->nodes[one], *b = &mesh->nodes[other];
    if (a->sheet == b->sheet) set &= ~is_smooth_block(search, one, other);
    if (!set) return;
    if (a->patch >= 0 && b->patch >= 0) {
        search->call(search->context, &mesh->patches[a->patch], &mesh->patches[b->patch], set);
        return;
    }
    const int ones = a->patch >= 0 ? 1 : a->child_count, others = b->patch >= 0 ? 1 : b->child_count;
    for (int i = 0; i < ones; i++)
        for (int k = 0; k < others; k++)
            search_between(search, a->patch >= 0 ? one : a->children[i],
                           b->patch >= 0 ? other : b->children[k], set);
}

static void search_within(const TreeSearch *search, int number, SimLaneSet set) {
    const SimMeshNode *node = &search->mesh->nodes[number];
    set &= ~is_smooth(&search->boxes->normals[number]);
    if (!set) return;
    for (int i = 0; i < node->child_count; i++) {
        search_within(search, node->children[i], set);
        for (int k = 0; k < i; k++) search_between(search, node->children[k], node->children[i], set);
    }
}

static void search_tree(const TreeSearch *search, SimLaneSet set) {
    const SimMesh *mesh = search->mesh;
    for (int i = 0; i < mesh->sheet_count; i++) {
        search_within(search, mesh->sheets[i].root, set);
        for (int k = 0; k < i; k++) search_between(search, mesh->sheets[k].root, mesh->sheets[i].root, set);
    }
}

// Of its triangles. A chain's has two equal sides: its normal is 0, which no direction is near to.
static inline void include_normals(const SimPatch *patch, const SimLanes3 *points, SimBox *normals) {
    const lanes3 a = points[patch->corners[0]], b = points[patch->corners[1]], c = points[patch->corners[2]],
                 d = points[patch->corners[3]];
    const lanes3 across[2] = {cross3(sub3(c, a), sub3(b, a)), cross3(sub3(b, d), sub3(c, d))};
    for (int i = 0; i < 2; i++) {
        const lanes3 normal = unit3(across[i]);
        const SimBox part = box_from(normal, normal);
        include_box(&part, normals);
    }
}

static void fit_tree(const SimMesh *mesh, const SimLanes3 *from, const SimLanes3 *to, SimMeshBoxes *boxes) {
    for (int i = 0; i < mesh->node_count; i++) {
        const SimMeshNode *node = &mesh->nodes[i];
        if (node->patch < 0) {
            boxes->nodes[i] = box_of(boxes->nodes, node->children, node->child_count);
            boxes->normals[i] = box_of(boxes->normals, node->children, node->child_count);
            continue;
        }
        const SimPatch *patch = &mesh->patches[node->patch];
        boxes->nodes[i] = box_of(boxes->particles, patch->corners, 4);
        boxes->normals[i] = no_box();
        include_normals(patch, from, &boxes->normals[i]);
        if (to != from) include_normals(patch, to, &boxes->normals[i]);
    }
}

// Counts one more in each lane of the set. Returns the lanes in which there are as many as there may be.
LANES_INLINE SimLaneSet count_where(SimLaneSet set, int most, SimLanes *counts) {
    *counts = select_lanes(where_lanes(set), *counts + 1.0f, *counts);
    return lanes_where(~less(*counts, splat((float)most)));
}

static void add_pair(void *context, const SimPatch *one, const SimPatch *other, SimLaneSet set) {
    const Listing *listing = context;
    SimPatchPairs *pairs = listing->pairs;
    set &= pairs->complete;
    if (!set) return;
    const SimLaneSet too_many = set & lanes_where(~less(*pairs->counts, splat((float)pairs->most)));
    pairs->complete &= ~too_many;
    set &= ~too_many;
    if (!set) return;
    count_where(set, pairs->most, pairs->counts);
    pairs->items[pairs->count++] =
        (SimPatchPair){(int)(one - listing->mesh->patches), (int)(other - listing->mesh->patches), set};
}

// Takes the lanes out of the list.
static inline void drop_pairs(SimPatchPairs *pairs, SimLaneSet set) {
    int kept = 0;
    for (int i = 0; i < pairs->count; i++) {
        pairs->items[i].lanes &= ~set;
        if (pairs->items[i].lanes) pairs->items[kept++] = pairs->items[i];
    }
    pairs->count = kept;
}

// Lists the pairs of some lanes for the way from one set of positions to another and a fifth of an edge
// beyond. Overwrites the boxes.
static inline void list_pairs(const SimMesh *mesh, SimMeshBoxes *boxes, const SimLanes3 *from,
                              const SimLanes3 *to, SimLaneSet set, SimPatchPairs *pairs) {
    Listing listing = {mesh, pairs};
    const TreeSearch search = {mesh, boxes, add_pair, &listing};
    fit_particles(mesh, from, to, 0.0f, WAY, boxes->particles);
    for (int p = 0; p < mesh->particle_count; p++) {
        const lanes3 low = low_of(&pairs->valid[p]), high = high_of(&pairs->valid[p]);
        const SimBox *fitted = &boxes->particles[p];
        pairs->valid[p] = box_from(select3(where_lanes(set), low_of(fitted), low),
                                   select3(where_lanes(set), high_of(fitted), high));
    }
    fit_particles(mesh, from, to, REACH, WAY, boxes->particles);
    fit_tree(mesh, from, to, boxes);
    drop_pairs(pairs, set);
    *pairs->counts = (lanes){0};
    pairs->complete |= set;
    search_tree(&search, set);
    drop_pairs(pairs, set & ~pairs->complete);
}

// The lanes in which the list holds for these positions.
static inline SimLaneSet pairs_hold(const SimMesh *mesh, const SimPatchPairs *pairs,
                                    const SimLanes3 *positions) {
    SimLaneSet set = ALL_LANES;
    for (int p = 0; p < mesh->particle_count && set; p++) {
        const SimBox at = box_from(positions[p], positions[p]);
        set &= boxes_meet(&pairs->valid[p], &at);
    }
    return set;
}

// Fits the boxes to the way from one set of positions to another, wider by `share` of the garment's
// thickness: at most REACH. The list holds for both.
static inline void fit_boxes(const SimMesh *mesh, const SimLanes3 *from, const SimLanes3 *to, float share,
                             SimLaneSet searched, SimMeshBoxes *boxes) {
    fit_particles(mesh, from, to, share, 0.0f, boxes->particles);
    for (int i = 0; i < mesh->edge_count; i++)
        boxes->edges[i] = box_of(boxes->particles, mesh->edges[i].ends, 2);
    for (int i = 0; i < mesh->triangle_count; i++)
        boxes->triangles[i] = box_of(boxes->particles, mesh->triangles[i], 3);
    if (searched)
        fit_tree(mesh, from, to, boxes);
    else
        for (int i = 0; i < mesh->patch_count; i++)
            boxes->nodes[mesh->patches[i].node] = box_of(boxes->particles, mesh->patches[i].corners, 4);
}

// Calls for each pair of the list whose boxes meet, and for all that meet where the list is not complete.
LANES_INLINE void for_each_pair(const SimMesh *mesh, const SimMeshBoxes *boxes, const SimPatchPairs *pairs,
                                SimLaneSet set, OnPair *call, void *context) {
    for (int i = 0; i < pairs->count; i++) {
        const SimPatchPair *pair = &pairs->items[i];
        SimLaneSet near = pair->lanes & set;
        if (!near) continue;
        const SimPatch *one = &mesh->patches[pair->one], *other = &mesh->patches[pair->other];
        near &= boxes_meet(&boxes->nodes[one->node], &boxes->nodes[other->node]);
        if (near) call(context, one, other, near);
    }
    const SimLaneSet rest = set & ~pairs->complete;
    if (rest) search_tree(&(TreeSearch){mesh, boxes, call, context}, rest);
}
