// `self`: what a script can do with one character.
#pragma once

#include "schema/function.h"

#include <lua.h>

// What authors are told of it.
extern const ScriptObject script_self_object;

// Makes the metatable, in a new state.
void script_self_open(lua_State *lua);
