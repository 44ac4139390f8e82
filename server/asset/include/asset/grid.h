// Finds the grid of a surface: rows and columns of cloth in the triangles of any modeller.
#pragma once

#include "asset/find.h"

#include <stdint.h>

#define ASSET_DEFAULT_WELD        0.0001f // m
#define ASSET_MOST_GRID_PARTICLES 16384
#define ASSET_MOST_GRID_ROWS      128 // and columns

typedef struct AssetGridDef {
    const float (*positions)[3]; // [vertex_count], m
    int vertex_count;
    const uint32_t (*triangles)[3]; // [triangle_count]
    int triangle_count;
    float weld;         // m: vertices as near as this are one
    const bool *pinned; // [vertex_count] or NULL; given, all of the top row are pinned
} AssetGridDef;

// Between which places of a surface a particle lies. Shares add up to 1.
typedef struct AssetGridSource {
    int places[4];
    float shares[4];
} AssetGridSource;

typedef struct AssetGrid {
    int rows, columns;
    bool closed;           // the last column is the first one's neighbour
    float (*positions)[3]; // [rows * columns] row by row
    int place_count;
    int *place_of;            // [vertex_count] those that are welded are at one place
    AssetGridSource *sources; // [rows * columns]; NULL: the places are the particles
} AssetGrid;

// Row 0 is the side, or the loop of a ring, that is pinned, or else highest. Columns run so that the
// surface's outside is down x along the columns; those of a ring begin where row 0 is farthest back (least
// z). Triangles are paired to the quads that are nearest to rectangles. Returns false and what is wrong, at
// which place: three faces at an edge, several pieces, no open edge, no grid, a size that is not metres.
// Finish the grid all the same.
bool asset_grid_find(const AssetGridDef *def, AssetGrid *grid, AssetError *out_error);

// Divides any sheet with four corners, or ring, evenly into rows (2 to ASSET_MOST_GRID_ROWS) of columns (2,
// in a ring 3, to as many). Row 0, columns and errors are as above.
bool asset_grid_divide(const AssetGridDef *def, int rows, int columns, AssetGrid *grid,
                       AssetError *out_error);

void asset_grid_finish(AssetGrid *grid);

typedef struct AssetFaces {
    int particle_count, face_count;
    float (
        *positions)[3]; // [particle_count] from the pinned ones at the back on, row by row of neighbours down
    bool *pinned;       // [particle_count]
    bool hangs_all_round; // nothing is pinned by the definition, and there is one open edge only
    int (*faces)[4]; // [face_count] particles, counter-clockwise on the side on which most triangles are; the
                     // fourth of a triangle is -1
    int *particle_of; // [vertex_count]; -1: of no triangle
} AssetFaces;

// Takes any surface as it is. Two triangles that make nearly a rectangle become one face, the best first.
// Pinned is what the definition pins, or else all of the open edge that is highest. Fails like
// asset_grid_find, but for what is no grid. The order of vertices and triangles does not count. Particles
// keep their numbers where vertices move and are joined as before. Finish the faces all the same.
bool asset_faces_find(const AssetGridDef *def, AssetFaces *faces, AssetError *out_error);
void asset_faces_finish(AssetFaces *faces);
