// The triangles of the garments of an island that keep out of themselves and of each other, and the tree of
// boxes in which those that are near each other are found. Built by garment/mesh.h.
#pragma once

#include <stdbool.h>

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
    bool closed;     // its grid is a ring
    int first, end;  // of its particles; the last one is before the end
    int root;        // node
    float thickness; // m
    float edge;      // m, the mean length of its edges in the bind pose
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

// Whether an element shares a particle with another one, or is sewn to it.
static inline bool sim_mesh_touches(const SimMesh *mesh, const int *one, int one_count, const int *other,
                                    int other_count) {
    for (int i = 0; i < one_count; i++)
        for (int k = 0; k < other_count; k++)
            if (mesh->weld[one[i]] == mesh->weld[other[k]]) return true;
    return false;
}
