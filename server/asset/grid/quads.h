// A surface as quads between places.
#pragma once

#include "asset/grid.h"

// A side of a face. Sorted by their ends, those of the neighbours are beside each other.
typedef struct GridEdge {
    int from, to; // places; from < to
    int face, side;
} GridEdge;

typedef struct GridQuads {
    int *place_of; // [vertex_count]
    int *vertices; // [place_count] the first vertex at each place
    int place_count;
    int (*quads)[4]; // [quad_count] places, in the winding of the triangles
    int quad_count;
} GridQuads;

// False with an error; finish the quads all the same.
bool grid_quads_find(GridQuads *quads, const AssetGridDef *def, AssetError *out_error);
void grid_quads_finish(GridQuads *quads);

// Fills in the sides of faces of `corners` corners each, sorted; [face_count * corners].
void grid_edges_list(GridEdge *out_edges, const int *faces, int face_count, int corners);
// For qsort and bsearch, by the ends alone.
int grid_edges_compare(const void *left, const void *right);
// How many at the beginning of `edges` have the same ends.
int grid_edges_alike(const GridEdge *edges, int count);
