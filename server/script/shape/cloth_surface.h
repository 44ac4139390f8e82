// The surface of a garment of cloth: its grid of particles, made smooth, with thickness.
#pragma once

#include "shape/cloth_skin.h"
#include "shape/surface.h"

// thickness: m. False when memory runs out.
bool script_cloth_surface(ScriptArena *arena, const SimGarmentDef *garment, float thickness,
                          ScriptSurface *out_surface);
// The particles that carry a vertex of it.
ScriptClothPoint script_cloth_surface_skin(const SimGarmentDef *garment, const ScriptPlace *place);
