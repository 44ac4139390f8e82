// Characters that scripts let come and go.
#pragma once

#include <lua.h>

// tweed.spawn{script =, name =, position =, rotation =, params =} → the name it is going to have
int script_spawn(lua_State *lua);
// tweed.remove(name)
int script_remove(lua_State *lua);
// The character of that name goes; raises where there is none. function: for that error.
void script_remove_character(lua_State *lua, const char *function, const char *name);
