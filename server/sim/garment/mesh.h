// The triangles of the garments of an island that keep out of themselves and of each other, and a tree of
// boxes that finds those that are near each other.
#pragma once

#include "core/arena.h"
#include "rig/rig.h"

// A quad of the grid, or a link of a chain. Each particle and edge is of one patch, so that each pair is
// found once; the diagonal is that of SimGarmentInfo's triangles.
typedef struct SimPatch {
    int corners[4];
    int particles[4], particle_count; // its own
    int first_edge, edge_count;       // its own
    int first_triangle, triangle_count;
    int sheet, node;
} SimPatch;

typedef struct SimMeshEdge {
    int ends[2];
    int beside[2]; // the third corners of the triangles at the edge; -1: none
} SimMeshEdge;

typedef struct SimBox {
    float low[3], high[3];
} SimBox;

// A patch, or up to two by two nodes of the level below. Children come before their parents.
typedef struct SimMeshNode {
    int children[4], child_count;
    int patch; // -1: none
    int sheet, row, column;
    int width; // columns of its level
    bool ring; // the last one's neighbour is the first
} SimMeshNode;

// A garment in the mesh.
typedef struct SimSheet {
    int garment;
    int first;       // of its particles
    int root;        // node
    float thickness; // m
} SimSheet;

// Immutable.
typedef struct SimMesh {
    int sheet_count, particle_count, edge_count, triangle_count, patch_count, node_count;
    SimSheet *sheets;
    float (*rest)[3]; // [particle] m, model space at the bind pose
    int *sheet;       // [particle]
    int *weld;        // [particle] the first of the particles that seams join to it, or itself
    float *to_seam; // [particle] m, at rest, to the nearest particle that a seam joins to another; HUGE_VALF
    SimMeshEdge *edges;
    int (*triangles)[3];
    SimPatch *patches;
    SimMeshNode *nodes;
} SimMesh;

// What the mesh takes up at one moment or on its way between two.
typedef struct SimMeshBoxes {
    SimBox *particles, *edges, *triangles, *nodes;
    SimBox *normals; // [node] of the unit normals of its patches
} SimMeshBoxes;

// Builds the mesh of the island's garments with self-collision; without any it has no sheets.
void sim_mesh_build(SimArena *arena, const SimRig *rig, const SimIsland *island, SimMesh *out_mesh);
void sim_mesh_allocate_boxes(SimArena *arena, const SimMesh *mesh, SimMeshBoxes *out_boxes);

// Fits the boxes to the way from one set of positions to another, wider by `share` of the garment's
// thickness.
void sim_mesh_fit(const SimMesh *mesh, float (*from)[3], float (*to)[3], float share, SimMeshBoxes *boxes);

static inline bool sim_boxes_meet(const SimBox *a, const SimBox *b) {
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] &&
           b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

// Calls for each two patches whose boxes meet, in a fixed order, and none that are neighbours in a part of
// the cloth without a fold (Volino and Magnenat-Thalmann 1994).
typedef void SimPatchPair(void *context, const SimPatch *one, const SimPatch *other);
void sim_mesh_pairs(const SimMesh *mesh, const SimMeshBoxes *boxes, SimPatchPair *call, void *context);

// Whether an element shares a particle with another one, or is sewn to it.
bool sim_mesh_touches(const SimMesh *mesh, const int *one, int one_count, const int *other, int other_count);
