// Constructors that only mark a table as a definition, with their name and the line of the call. The
// definition is checked where it is used.
#pragma once

#include "data/value_tree.h"

#include <lua.h>

// Pushes the table {definition = call site}, with weak keys.
void script_call_sites_push(lua_State *lua);

// Pushes the call site of the running C function, as userdata.
const ScriptCallSite *script_call_site_here(lua_State *lua, const char *constructor);

// Sets the function `constructor` (a static string) in the table at the top. tweed.<constructor>{...} returns
// its table.
void script_constructor_set(lua_State *lua, const char *constructor);
