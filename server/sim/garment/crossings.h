// Where a mesh passes through itself, and the way out.
#pragma once

#include "garment/mesh_search.h"

typedef struct SimCrossing {
    int edge, triangle;
} SimCrossing;

typedef struct SimCrossings {
    SimCrossing *items;
    int count, most;
} SimCrossings;

// Finds the pairs of an edge and a triangle that it passes through. `pairs` holds. Those beyond `most` are
// dropped.
void sim_crossings_find(const SimMesh *mesh, const SimPatchPairs *pairs, SimMeshBoxes *boxes,
                        float (*positions)[3], SimCrossings *out_crossings);

// Moves the edges and triangles that cross at `from` by up to `step` m against each other, in `positions`, so
// that the line along which the parts of the mesh pass through each other gets shorter.
void sim_crossings_shorten(const SimMesh *mesh, const SimCrossings *crossings, float (*from)[3],
                           const float *inverse_mass, float step, float (*positions)[3]);
