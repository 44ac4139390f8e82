// tweed.quaternion: rotations {x, y, z, w} for scripts that compute poses.
#pragma once

#include <lua.h>

// Pushes the table.
void script_quaternion_open(lua_State *lua);
