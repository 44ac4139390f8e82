// tweed.quaternion: rotations {x, y, z, w} for scripts that compute poses.
#pragma once

#include "schema/function.h"

extern const ScriptFunction script_quaternion_functions[];

// Pushes the table.
void script_quaternion_open(lua_State *lua);
