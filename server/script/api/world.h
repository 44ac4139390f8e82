// What a running script may ask for: random, spawn, wait and the like, and tornadoes.
#pragma once

#include "schema/function.h"

extern const ScriptFunction script_world_functions[];
// tweed.tornado and tweed.calm.
extern const ScriptFunction script_tornado_functions[];

// tweed.random, and math.random too.
int script_random_lua(lua_State *lua);
// The character of that name is removed; raises where there is none. function: for that error.
void script_remove_character(lua_State *lua, const char *function, const char *name);

// While the script is being reloaded: has the application do that later, if the script passes, with the table
// on top of the stack as params. The function has checked them. False: it is to be done now.
bool script_request_defer(lua_State *lua, const char *method);

extern const ScriptFunction script_request_functions[];

// tweed.log(level, text)
int script_log_write(lua_State *lua);
// print(...)
int script_log_print(lua_State *lua);
