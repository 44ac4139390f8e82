// Converts plain data between Lua, nodes and ScriptValue.
#pragma once

#include "data/value_tree.h"
#include "script/value.h"

#include <lua.h>

#define SCRIPT_MESSAGE_SIZE 256

// Pushes the value; NULL is nil. Raises when memory runs out and for values nested deeper than 64.
void script_value_push(lua_State *lua, const ScriptValue *value);

// Pushes a list of numbers.
void script_floats_push(lua_State *lua, const float *numbers, int count);

// Converts a node, called `what` in messages (may be ""). False for functions, objects, numbers that are not
// finite and strings that are not UTF-8, with a message: "result.points[2]: expected plain data, found a
// function". A table with only the keys 1 to n becomes a list, an empty one a table.
bool script_value_of_node(ScriptValue *out_value, const ScriptNode *node, const char *what,
                          char out_message[SCRIPT_MESSAGE_SIZE]);
