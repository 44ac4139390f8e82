// Binds a mesh to the bones of cloth.
#pragma once

#include "define/mesh.h"
#include "schema/definition.h"

// Fills in the bones, joints and weights of `made`, in its arena, for the vertices of `mesh`: each is moved
// as the nearest place of the cloth at rest. False with findings, or when memory runs out.
bool script_mesh_bind_cloth(ScriptReader *reader, const ScriptMesh *mesh, ScriptGarmentDef *cloth,
                            ScriptMesh *made);
