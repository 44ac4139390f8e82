// The globals of scripts: Lua's harmless libraries, `require` and `tweed`.
#pragma once

#include <lua.h>

// Functions that are added to Lua's own.
typedef struct ScriptLibraryAdditions {
    lua_CFunction print, random;
    void (*push_tweed)(lua_State *lua); // the table `tweed`
} ScriptLibraryAdditions;

// Sets the globals of a new state.
void script_library_open(lua_State *lua, const ScriptLibraryAdditions *additions);

// Replaces unsafe functions in the library table at the top: those that the CPU timer could not stop. name:
// "table", "string", "coroutine", or "" for the base library.
void script_safe_library_replace(lua_State *lua, const char *name);

// Seals the table at the top: unknown keys raise an error with the nearest known one, and assignments raise.
// name: the table's name in messages; "" for the globals.
void script_seal(lua_State *lua, const char *name);

// Pushes the text of the value at index: of a table without __tostring "{1, 0.5, name = "x"}", cut after 64
// values; of anything else as tostring has it.
void script_value_text_push(lua_State *lua, int index);
// tostring(value)
int script_value_tostring(lua_State *lua);
