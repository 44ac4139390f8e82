// tweed.request: what clients of the protocol can ask for, asked by a script.
#pragma once

#include "schema/function.h"

// While the script is being reloaded: has the application do that later, if the script passes, with the table
// on top of the stack as params. The function has checked them. False: it is to be done now.
bool script_request_defer(lua_State *lua, const char *method);

extern const ScriptFunction script_request_functions[];
