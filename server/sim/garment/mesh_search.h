// Finds the patches of a mesh that come near each other, by boxes.
//
// A search through the tree lists pairs of patches with some margin. The list serves until a particle has
// moved farther than that; only boxes of what is in patches are fitted anew meanwhile.
#pragma once

#include "garment/mesh.h"

#include <stdint.h>

// x, y, z, and 0 to fill a register.
typedef float SimBoxSide __attribute__((vector_size(16)));
typedef int64_t SimBoxHalves __attribute__((vector_size(16)));

typedef struct SimBox {
    SimBoxSide low, high;
} SimBox;

// Pairs of patches that may be near each other while each particle is within its box of `valid`.
typedef struct SimPatchPairs {
    int (*items)[2];
    int count, most;
    bool complete; // false: there are more than `most`, and each search goes through the tree
    SimBox *valid; // [particle]
} SimPatchPairs;

// What the mesh takes up at one moment or on its way between two.
typedef struct SimMeshBoxes {
    SimBox *particles, *edges, *triangles, *nodes;
    SimBox *normals; // [node] of the unit normals of its patches
    const SimPatchPairs *pairs;
} SimMeshBoxes;

void sim_mesh_allocate_boxes(SimArena *arena, const SimMesh *mesh, SimMeshBoxes *out_boxes);
void sim_mesh_allocate_pairs(SimArena *arena, const SimMesh *mesh, SimPatchPairs *out_pairs);

// Lists the pairs for the way from one set of positions to another and a fifth of an edge beyond. Overwrites
// the boxes.
void sim_mesh_list_pairs(const SimMesh *mesh, SimMeshBoxes *boxes, float (*from)[3], float (*to)[3],
                         SimPatchPairs *out_pairs);
bool sim_mesh_pairs_hold(const SimMesh *mesh, const SimPatchPairs *pairs, float (*positions)[3]);

// Fits the boxes to the way from one set of positions to another, wider by `share` of the garment's
// thickness: at most half of it. `pairs` holds for both.
void sim_mesh_fit(const SimMesh *mesh, float (*from)[3], float (*to)[3], float share,
                  const SimPatchPairs *pairs, SimMeshBoxes *boxes);

static inline bool sim_boxes_meet(const SimBox *a, const SimBox *b) {
    const SimBoxHalves meet = (SimBoxHalves)((a->low <= b->high) & (b->low <= a->high));
    return (meet[0] & meet[1]) == -1;
}

// Calls for each two patches whose boxes meet, in a fixed order, and none that are neighbours in a part of
// the cloth without a fold (Volino and Magnenat-Thalmann 1994).
typedef void SimPatchPair(void *context, const SimPatch *one, const SimPatch *other);
void sim_mesh_pairs(const SimMesh *mesh, const SimMeshBoxes *boxes, SimPatchPair *call, void *context);
