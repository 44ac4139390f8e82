// A surface of triangles between places: one piece, of which two triangles at most share an edge.
#pragma once

#include "asset/grid.h"

// A side of a face. Sorted by their ends, those of neighbours are beside each other.
typedef struct GridEdge {
    int from, to; // places; from < to
    int face, side;
} GridEdge;

typedef struct GridSurface {
    const AssetGridDef *def;
    int *place_of; // [vertex_count] numbered by where places are, whatever the order of the vertices
    int *vertices; // [place_count] a vertex at each place
    int place_count;
    bool *pinned;        // [place_count] one of the place's vertices is; NULL: the mesh pins none
    int (*triangles)[3]; // [triangle_count] places
    int triangle_count;
    GridEdge *edges; // [3 * triangle_count] sorted
} GridSurface;

// False with an error; finish the surface all the same.
bool grid_surface_find(GridSurface *surface, const AssetGridDef *def, int most_places, AssetError *out_error);
void grid_surface_finish(GridSurface *surface);
const float *grid_place(const GridSurface *surface, int place); // m

// Lets faces begin with their lowest corner and sorts them, so that their order is that of the places.
// [face_count][corners]; the last of four corners may be -1.
void grid_faces_order(int *faces, int face_count, int corners);

// Fills in the sides of faces of `corners` corners each, sorted; [face_count * corners].
void grid_edges_list(GridEdge *out_edges, const int *faces, int face_count, int corners);
// For qsort and bsearch, by the ends alone.
int grid_edges_compare(const void *left, const void *right);
// How many at the beginning of `edges` have the same ends.
int grid_edges_alike(const GridEdge *edges, int count);

// Fills in the two neighbours of each place along edges of one face; -1: none. [place_count]
bool grid_edges_open(const GridSurface *surface, const GridEdge *edges, int count, int (*out_beside)[2],
                     AssetError *out_error);
// The places along an open edge, from one of them on. Returns their number.
int grid_loop_trace(const int (*beside)[2], int from, int *out_loop);

// The mean height of the loop's places from first to last, m; -INFINITY where some should be pinned and are
// not.
float grid_side_height(const GridSurface *surface, const int *loop, int count, int first, int last);

// "expected <expected>, found <found> at {x, y, z}"; false.
bool grid_fail_at(const GridSurface *surface, int place, const char *expected, int found,
                  AssetError *out_error);
