// Functions for running scripts: spawn, remove, wait, wait_for, on, random, log, tornadoes, requests.
#pragma once

#include "schema/function.h"

extern const ScriptFunction script_world_functions[];
// tweed.tornado and tweed.calm.
extern const ScriptFunction script_tornado_functions[];

// tweed.random, which is math.random too.
int script_random_lua(lua_State *lua);
// Removes the character of that name; raises if there is none. function: its name, for the error.
void script_remove_character(lua_State *lua, const char *function, const char *name);

// While the script is provisional (being reloaded), sends the method to the application to run after the
// reload succeeds, with the table on top of the stack as its params, and returns true. False: the caller acts
// at once.
bool script_request_defer(lua_State *lua, const char *method);

extern const ScriptFunction script_request_functions[];

// tweed.log(level, text)
int script_log_write(lua_State *lua);
// print(...)
int script_log_print(lua_State *lua);
