// What a script can reach: Lua's harmless libraries, `require`, and `tweed`.
#pragma once

#include <lua.h>

// Opens everything in a new state. Raises for want of memory.
void script_library_open(lua_State *lua);
// The end of loading: forgets what was kept for it.
void script_library_loaded(lua_State *lua);

// Makes the table at the top refuse keys that it has not got, with the nearest known one. name: how it is
// called in messages; "" for the globals.
void script_seal(lua_State *lua, const char *name);
