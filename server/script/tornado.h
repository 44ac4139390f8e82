// Tornadoes, begun and ended while the world runs.
#pragma once

#include <lua.h>

// tweed.tornado {name, position, radius, strength, lift, velocity}
int script_tornado_set(lua_State *lua);
// tweed.calm(name)
int script_tornado_calm(lua_State *lua);
