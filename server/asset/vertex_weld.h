// Vertices as places: formats keep a vertex for each uv or normal at a seam.
#pragma once

#include <stdbool.h>

// Fills in each vertex's place [count], from 0 in the order of the vertices, and the first vertex at each
// place [count, as many as there are places]. A vertex is at the nearest place of an earlier one within
// tolerance (m; 0: the same position), else at one of its own. Returns the number of places; -1 when memory
// runs out.
int asset_weld(const float (*positions)[3], int count, float tolerance, int *out_place_of, int *out_vertices);
