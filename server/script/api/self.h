// `self`: what a script can do with one character.
#pragma once

#include "runtime/instance.h"
#include "schema/function.h"

#include <lua.h>

#define SCRIPT_SELF_TYPE "tweed.self" // of its userdata

// What authors are told of it.
extern const ScriptObject script_self_object;

// Makes the metatable, in a new state.
void script_self_open(lua_State *lua);
// Pushes a new `self` of the instance.
void script_self_push(lua_State *lua, ScriptInstance *instance);
// From now on it stands for nobody, and its methods say so. Raises nothing.
void script_self_invalidate(lua_State *lua, int reference);
// The instance of `self` at index; raises if it is none, or its character is gone.
ScriptInstance *script_self_check(lua_State *lua, int index);
