// The methods of `self`, which stands for a character in Lua.
#pragma once

#include "schema/function.h"

#include <lua.h>

// Its documentation.
extern const ScriptObject script_self_object;

// Creates the metatable in a new state.
void script_self_open(lua_State *lua);

// self:pose, self:release and self:bone; see self_pose.c.
extern const ScriptSchema script_posed_bone_schema, script_pose_options_schema;

int script_self_pose(lua_State *lua);
int script_self_release(lua_State *lua);
int script_self_bone(lua_State *lua);
