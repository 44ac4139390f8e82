// Meshes without weights: imported, or lofted over shapes.
#pragma once

#include "define/mesh.h"

int script_import_mesh(lua_State *lua);
int script_loft_mesh(lua_State *lua);
extern const ScriptSchema script_import_mesh_schema, script_loft_mesh_schema;
