// Constructors that make a definition of a plain table: they note which one it is and where the call stands.
// What the table says is checked where it is used.
#pragma once

#include "data/value_tree.h"

#include <lua.h>

// Pushes the table {definition = origin}, weak in its keys.
void script_call_sites_push(lua_State *lua);

// Pushes the origin of a call that runs now, as userdata: of the C function at the top of the stack.
const ScriptCallSite *script_call_site_here(lua_State *lua, const char *constructor);

// Sets a function of that name (a static text) in the table at the top: tweed.<name>{...} gives the table
// back.
void script_constructor_set(lua_State *lua, const char *constructor);
