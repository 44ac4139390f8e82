// `require`: modules of a script's own state, found below the scene's folder and the script folders only.
#pragma once

#include <lua.h>

// Pops the table `tweed`, pushes the function; `require "tweed"` gives that table.
void script_require_open(lua_State *lua);
