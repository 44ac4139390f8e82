// self:pose, self:release and self:bone.
#pragma once

#include "schema/schema.h"

#include <lua.h>

extern const ScriptSchema script_posed_bone_schema, script_pose_options_schema;

int script_self_pose(lua_State *lua);
int script_self_release(lua_State *lua);
int script_self_bone(lua_State *lua);
