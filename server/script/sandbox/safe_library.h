// Functions of Lua's libraries that scripts get in another form: these can be stopped, and call nothing of
// the script's over and over behind the hook's back.
#pragma once

#include <lua.h>

// Replaces fields of the library table at the top. name: "table", "string", "coroutine", or "" for the base
// library.
void script_safe_library_replace(lua_State *lua, const char *name);
