// Numbers the places of a surface by the surface alone.
#pragma once

#include "grid/welded_surface.h"

// Fills in a number for each place that has triangles, others get -1; [place_count]. Pinned places come
// first, along their edge; then each row of neighbours below, in the order of the one above. Beyond the first
// place, which lies at the back, only what is joined counts: neither the order of vertices and triangles, nor
// where exactly the other places are. Triangles are turned alike. Returns how many numbers there are; -1 when
// memory runs out.
int grid_places_number(const GridSurface *surface, const bool *pinned, int *out_numbers);
