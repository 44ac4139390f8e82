// Cloth from a mesh.
#pragma once

#include "schema/definition.h"

#include <sim/rig.h>

// Fills in rows, columns, closed and positions of cloth that has a mesh, once; of other cloth, reports those
// that are missing. At the path of the cloth. False with findings.
bool script_cloth_complete(ScriptReader *reader, ScriptGarmentDef *cloth);

// The beginning of the names of its bones, of cloth or a chain; NULL: it has no name, or memory runs out.
const char *script_cloth_prefix(ScriptReader *reader, const ScriptGarmentDef *garment);

// The grid and the bones of cloth, without what hangs on a character: for meshes that are bound to it. False
// with findings.
bool script_cloth_grid(ScriptReader *reader, ScriptGarmentDef *cloth, SimGarmentDef *out_garment);
