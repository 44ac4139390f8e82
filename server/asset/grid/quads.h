// A surface as quads between places.
#pragma once

#include "grid/welded_surface.h"

// Pairs triangles to quads, in the winding of the triangles; out_quads: [triangle_count]. Returns their
// number; -1 with an error where one makes none with another.
int grid_quads_find(const GridSurface *surface, int (*out_quads)[4], AssetError *out_error);

// The same, but only quads whose corners are as near to right angles (rad); paired: [triangle_count] which
// triangles are in one. Returns their number; -1 when memory runs out.
int grid_quads_pair(const GridSurface *surface, float most_bend, bool *paired, int (*out_quads)[4]);
