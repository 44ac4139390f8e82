// Plain data between Lua and values.
#pragma once

#include "data/value_tree.h"
#include "script/value.h"

#include <lua.h>

#define SCRIPT_MESSAGE_SIZE 256

// Pushes it; NULL is nil. Raises for want of memory, and for what is nested deeper than 64.
void script_value_push(lua_State *lua, const ScriptValue *value);

// Pushes a list of them.
void script_floats_push(lua_State *lua, const float *numbers, int count);

// From a node, called `what` in messages ("" for nothing). Functions, objects, numbers that are not finite
// and texts that are no UTF-8 don't pass: false, and the message names them, "result.points[2]: expected
// plain data, found a function". A table with keys 1 to n alone is a list, an empty one a table.
bool script_value_of_node(ScriptValue *out_value, const ScriptNode *node, const char *what,
                          char out_message[SCRIPT_MESSAGE_SIZE]);
