// What is painted at the vertices of a mesh becomes that of a garment's particles.
#pragma once

#include "schema/definition.h"

#include <asset/grid.h>

// Fills in what the mesh of the cloth paints: pins, where the cloth has none yet, max distances, fabrics and
// thicknesses; positions, rows and columns are set. place_of: [vertex_count]. sources: [rows * columns]
// between which places each particle lies; NULL: the places are the particles. False with findings.
bool script_cloth_paint(ScriptReader *reader, ScriptGarmentDef *cloth, int place_count, const int *place_of,
                        const AssetGridSource *sources);
