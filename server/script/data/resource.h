// Userdata that hold something Lua cannot free.
#pragma once

#include "data/allocator.h"

#include <lua.h>

// Pushes size bytes, all zero, that begin with a ScriptResource. `finish` is called once: when Lua collects
// the userdata, or when its state goes, however it goes. type: of the metatable, made where it is missing.
void *script_resource_push(lua_State *lua, size_t size, int user_value_count, const char *type,
                           void (*finish)(ScriptResource *resource));
// Gives the metatable at the top what makes userdata of that kind go properly.
void script_resource_metatable(lua_State *lua, const char *described);
