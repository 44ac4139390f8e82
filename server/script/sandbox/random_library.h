// Random numbers for scripts.
#pragma once

#include <lua.h>

// tweed.random and math.random: () → [0, 1), (n) → 1..n, (m, n) → m..n, of the running instance.
int script_random_lua(lua_State *lua);
