// The surface of a garment of cloth: its grid of particles, made smooth, with thickness.
#pragma once

#include "shape/cage_surface.h"
#include "shape/cloth_skin.h"

typedef struct ScriptClothSurface {
    ScriptSurface surface;
    ScriptClothPoint *skin; // [surface.vertex_count] what carries each vertex
} ScriptClothSurface;

// thickness: m. Returns false when memory runs out.
bool script_cloth_surface(ScriptArena *arena, const SimGarmentDef *garment, float thickness,
                          ScriptClothSurface *out);
