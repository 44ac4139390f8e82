// The vertices of a mesh as places: those at one place are one, whatever their normals and uvs.
#pragma once

#include "asset/skin.h"

typedef struct SkinWeld {
    int *place_of; // [vertex_count]
    int *vertices; // [place_count] a vertex at each place
    int place_count;
    int *starts;     // [place_count + 1] of each place's neighbours
    int *neighbours; // places along edges
    int open_edges;  // with one triangle
} SkinWeld;

// Returns false when memory runs out; finish it all the same.
bool skin_weld_init(SkinWeld *weld, const AssetBindDef *def);
void skin_weld_finish(SkinWeld *weld);
