// Cloth from a mesh.
#pragma once

#include "schema/definition.h"

// Fills in rows, columns, closed and positions of cloth that has a mesh, once; of other cloth, reports those
// that are missing. At the path of the cloth. False with findings.
bool script_cloth_complete(ScriptReader *reader, ScriptGarmentDef *cloth);
