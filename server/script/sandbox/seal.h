// Tables that scripts may read, and nothing else.
#pragma once

#include <lua.h>

// Makes the table at the top refuse keys that it has not got, with the nearest known one. name: how it is
// called in messages; "" for the globals.
void script_seal(lua_State *lua, const char *name);
// Replaces the table at the top by an empty one that stands for it: what is there cannot be assigned either.
void script_seal_behind_proxy(lua_State *lua);
