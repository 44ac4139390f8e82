// Vertices and triangles of cloth that has thickness, from a cage of quads.
#pragma once

#include "shape/subdivide.h"

typedef enum ScriptSides {
    SCRIPT_SIDES_BOTH,
    SCRIPT_SIDES_OUTER, // with the rim
    SCRIPT_SIDES_INNER,
} ScriptSides;

typedef struct ScriptSurfaceDef {
    ScriptCage cage;          // the middle of the cloth
    const float (*uvs)[4][2]; // [quad_count], m, of each corner, or NULL: all 0
    bool flatten;             // whether panels are laid flat, so that uvs have the surface's lengths
    const float (
        *pattern)[3];       // [point_count], of the cloth as it is cut, whose lengths they have then; or NULL
    const float *thickness; // [point_count], m; 0: a sheet without an inner side
    int levels;             // of subdivision
    ScriptSides sides;
} ScriptSurfaceDef;

typedef struct ScriptSurface {
    int vertex_count, triangle_count;
    float (*positions)[3], (*normals)[3], (*uvs)[2]; // [vertex_count]
    ScriptPlace *places;                             // [vertex_count], in the cage
    uint32_t (*triangles)[3];                        // [triangle_count]
} ScriptSurface;

// Returns false when memory runs out.
bool script_surface_make(ScriptArena *arena, const ScriptSurfaceDef *def, ScriptSurface *out_surface);
