// What a script can reach: Lua's harmless libraries, `require`, and `tweed`.
#pragma once

#include <lua.h>

// Opens everything in a new state. Raises for want of memory.
void script_library_open(lua_State *lua);
// The end of loading: forgets what was kept for it.
void script_library_loaded(lua_State *lua);
