// The userdata that `self` is.
#include "api/self.h"

#include <lauxlib.h>

ScriptInstance *script_self_check(lua_State *lua, int index) {
    ScriptInstance **instance = luaL_testudata(lua, index, SCRIPT_SELF_TYPE);
    if (!instance) luaL_error(lua, "expected self as the first argument: write self:method(...)");
    if (!*instance) luaL_error(lua, "this character is gone, or was reset: its self is no longer valid");
    return *instance;
}

void script_self_push(lua_State *lua, ScriptInstance *instance) {
    ScriptInstance **self = lua_newuserdatauv(lua, sizeof *self, 1);
    *self = NULL;
    lua_newtable(lua);
    lua_setiuservalue(lua, -2, 1);
    luaL_setmetatable(lua, SCRIPT_SELF_TYPE);
    *self = instance;
}

void script_self_invalidate(lua_State *lua, int reference) {
    if (reference == LUA_NOREF || !lua_checkstack(lua, 2)) return;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, reference);
    ScriptInstance **self = lua_touserdata(lua, -1);
    if (self) *self = NULL;
    lua_pop(lua, 1);
    luaL_unref(lua, LUA_REGISTRYINDEX, reference);
}
