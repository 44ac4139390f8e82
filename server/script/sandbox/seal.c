// By metatables that cannot be got at.
#include "sandbox/seal.h"

#include "sandbox/error.h"

#include <lauxlib.h>
#include <text/nearest.h>

static void set_refusal(lua_State *lua, const char *field, lua_CFunction function, const char *name);
static int refuse_unknown(lua_State *lua);
static int refuse_assignment(lua_State *lua);

void script_seal(lua_State *lua, const char *name) {
    lua_createtable(lua, 0, 3);
    set_refusal(lua, "__index", refuse_unknown, name);
    set_refusal(lua, "__newindex", refuse_assignment, name);
    lua_pushliteral(lua, "sealed");
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
}

void script_seal_behind_proxy(lua_State *lua) {
    lua_newtable(lua);
    lua_createtable(lua, 0, 3);
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, "__index");
    set_refusal(lua, "__newindex", refuse_assignment, "");
    lua_pushliteral(lua, "sealed");
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
    lua_replace(lua, -2);
}

// Sets field of the metatable at the top to the function, with name as its upvalue.
static void set_refusal(lua_State *lua, const char *field, lua_CFunction function, const char *name) {
    lua_pushstring(lua, name);
    lua_pushcclosure(lua, function, 1);
    lua_setfield(lua, -2, field);
}

// (table, key); upvalue: the table's name, "" for the globals
static int refuse_unknown(lua_State *lua) {
    const char *name = lua_tostring(lua, lua_upvalueindex(1));
    const char *key = luaL_tolstring(lua, 2, NULL);
    TextNearest nearest = text_nearest_to(key);
    lua_pushnil(lua);
    while (lua_next(lua, 1)) {
        if (lua_type(lua, -2) == LUA_TSTRING) text_nearest_offer(&nearest, lua_tostring(lua, -2));
        lua_pop(lua, 1);
    }
    if (!*name) return script_error_raise_unknown(lua, "global", &nearest);
    char hint[128];
    text_nearest_hint(&nearest, hint, sizeof hint);
    return luaL_error(lua, "no \"%s\" in %s%s", key, name, hint);
}

static int refuse_assignment(lua_State *lua) {
    const char *name = lua_tostring(lua, lua_upvalueindex(1));
    const char *key = luaL_tolstring(lua, 2, NULL);
    if (*name) return luaL_error(lua, "\"%s\" cannot be assigned: %s is sealed", key, name);
    return luaL_error(lua, "global \"%s\" cannot be assigned: write \"local\" before it", key);
}
