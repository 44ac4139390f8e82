// Constructors that make a definition of a plain table: they note which one it is and where the call stands.
// What the table says is checked where it is used.
#pragma once

#include "data/node.h"

#include <lua.h>

// Pushes the table {definition = origin}, weak in its keys.
void script_origins_push(lua_State *lua);

// Pushes the origin of a call that runs now, as userdata: of the C function at the top of the stack.
const ScriptOrigin *script_origin_here(lua_State *lua, const char *constructor);

// Sets a function of that name (a static text) in the table at the top: tweed.<name>{...} gives the table
// back.
void script_origin_open(lua_State *lua, const char *constructor);
