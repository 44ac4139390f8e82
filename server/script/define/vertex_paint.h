// What a script's function says of the vertices of an imported surface.
#pragma once

#include "define/mesh.h"

#include <asset/surface.h>

// Calls the function, a reference in the registry, which is released, for each vertex, and fills in the pins
// and max distances of the mesh. False with a finding if it returns something wrong, or when memory runs out.
bool script_mesh_paint(lua_State *lua, ScriptReader *reader, int function, const AssetSurface *surface,
                       ScriptMesh *mesh);
