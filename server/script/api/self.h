// `self`: what a script can do with one character.
#pragma once

#include "schema/function.h"

#include <lua.h>

// What authors are told of it.
extern const ScriptObject script_self_object;

// Makes the metatable, in a new state.
void script_self_open(lua_State *lua);

// self:pose, self:release and self:bone, in a file of their own.
extern const ScriptSchema script_posed_bone_schema, script_pose_options_schema;

int script_self_pose(lua_State *lua);
int script_self_release(lua_State *lua);
int script_self_bone(lua_State *lua);
