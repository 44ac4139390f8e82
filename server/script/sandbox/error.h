// What is said when a script fails.
#pragma once

#include "script/findings.h"

#include <lua.h>
#include <text/nearest.h>

// Makes the error of a value that was raised on lua (the state's own or a coroutine), with lua's stack as
// traceback.
void script_error_make(ScriptError *out_error, lua_State *lua, int message);
// The same of a text, to which the innermost line of the script is added. Asks nothing of Lua that it could
// not answer in the middle of an allocation.
void script_error_make_here(ScriptError *out_error, lua_State *lua, const char *text);
// Raises "no clip "jmp"; did you mean "jump"?".
int script_error_raise_unknown(lua_State *lua, const char *kind, const TextNearest *nearest);
// "; did you mean "jump"?", or "; there are jump, walk" of a few names where none comes near, or "".
void script_error_hint(const char *name, const char *const *names, int count, char *buffer, size_t size);
