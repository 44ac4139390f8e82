// Giving functions to Lua.
#include "schema/function.h"

void script_functions_set(lua_State *lua, const ScriptFunction *functions) {
    for (; functions->name; functions++) {
        lua_pushcfunction(lua, functions->function);
        lua_setfield(lua, -2, functions->name);
    }
}
