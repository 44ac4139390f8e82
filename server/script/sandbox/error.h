// Errors of scripts.
#pragma once

#include "script/findings.h"

#include <lua.h>
#include <stdbool.h>
#include <text/nearest.h>

// Makes an error of a raised value, with the traceback of `lua` (the main thread or a coroutine).
void script_error_make(ScriptError *out_error, lua_State *lua, int message);
// The same of a text, with the innermost line of the script in front, or with `file` where no script runs.
// Safe in the middle of an allocation of Lua.
void script_error_make_here(ScriptError *out_error, lua_State *lua, const char *file, const char *text);
// Puts "alan: on_tick: " before the message. owner: the character, or the script of a scene. Does nothing if
// callback is NULL.
void script_error_prefix(ScriptError *error, const char *owner, const char *callback);
// Raises "no clip "jmp"; did you mean "jump"?".
int script_error_raise_unknown(lua_State *lua, const char *kind, const TextNearest *nearest);
// Writes "; did you mean "jump"?", or "; there are jump, walk" of a few names where none is near, or "".
// Whether one is near.
bool script_error_hint(const char *name, const char *const *names, int count, char *buffer, size_t size);
