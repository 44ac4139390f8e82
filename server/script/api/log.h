// What scripts print: so much at a time that nobody else's lines drown, and no tick is spent on it.
#pragma once

#include <lua.h>

// tweed.log(level, text)
int script_log_write(lua_State *lua);
// print(...)
int script_log_print(lua_State *lua);
