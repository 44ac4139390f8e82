// What a script can reach: Lua's harmless libraries, `require`, and `tweed`.
#pragma once

#include <lua.h>

// What is put beside Lua's own functions.
typedef struct ScriptLibraryAdditions {
    lua_CFunction print, random;
    void (*push_tweed)(lua_State *lua); // the table `tweed`
} ScriptLibraryAdditions;

// Sets the globals of a new state.
void script_library_open(lua_State *lua, const ScriptLibraryAdditions *additions);

// Replaces fields of the library table at the top. name: "table", "string", "coroutine", or "" for the base
// library.
void script_safe_library_replace(lua_State *lua, const char *name);

// Makes the table at the top refuse keys that it has not got, with the nearest known one. name: how it is
// called in messages; "" for the globals.
void script_seal(lua_State *lua, const char *name);
// Replaces the table at the top by an empty one that stands for it: what is there cannot be assigned either.
void script_seal_behind_proxy(lua_State *lua);

// Pushes the text of the value at index: of a table without __tostring "{1, 0.5, name = "x"}", cut after 64
// values; of anything else as tostring has it.
void script_value_text_push(lua_State *lua, int index);
// tostring(value)
int script_value_tostring(lua_State *lua);
