// The table `tweed` that scripts see.
#pragma once

#include "schema/function.h"

// What a running script may ask for: random, spawn, wait and the like.
extern const ScriptFunction script_module_functions[];

// Pushes it.
void script_module_open(lua_State *lua);
// The end of loading: lets go of imported files that no script holds.
void script_module_loaded(lua_State *lua);
