// Values as people read them: what print, tostring and string.format make of them.
#pragma once

#include <lua.h>

// Pushes the text of the value at index: of a table without __tostring "{1, 0.5, name = "x"}", cut after 64
// values; of anything else as tostring has it.
void script_value_text_push(lua_State *lua, int index);
// tostring(value)
int script_value_tostring(lua_State *lua);
