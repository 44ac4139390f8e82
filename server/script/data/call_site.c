// Definitions are the author's own tables; a table in the registry maps them to their call sites.
#include "data/call_site.h"

#include <lauxlib.h>
#include <string.h>

static char call_sites_key;

static int define(lua_State *lua);

void script_call_sites_push(lua_State *lua) {
    if (lua_rawgetp(lua, LUA_REGISTRYINDEX, &call_sites_key) == LUA_TTABLE) return;
    lua_pop(lua, 1);
    lua_newtable(lua);
    lua_createtable(lua, 0, 1);
    lua_pushliteral(lua, "k");
    lua_setfield(lua, -2, "__mode");
    lua_setmetatable(lua, -2);
    lua_pushvalue(lua, -1);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &call_sites_key);
}

const ScriptCallSite *script_call_site_here(lua_State *lua, const char *constructor) {
    lua_Debug caller = {.source = "", .currentline = 0};
    if (lua_getstack(lua, 1, &caller)) lua_getinfo(lua, "Sl", &caller);
    const bool known = caller.source[0] == '@' && caller.currentline > 0;
    const char *file = known ? caller.source + 1 : "";
    ScriptCallSite *call_site = lua_newuserdatauv(lua, sizeof *call_site + strlen(file) + 1, 0);
    call_site->constructor = constructor;
    call_site->line = known ? caller.currentline : 0;
    memcpy(call_site->file, file, strlen(file) + 1);
    return call_site;
}

void script_constructor_set(lua_State *lua, const char *constructor) {
    lua_pushlightuserdata(lua, (void *)constructor); // a static string
    lua_pushcclosure(lua, define, 1);
    lua_setfield(lua, -2, constructor);
}

// upvalue: the constructor's name
static int define(lua_State *lua) {
    const char *constructor = lua_touserdata(lua, lua_upvalueindex(1));
    if (lua_isnoneornil(lua, 1))
        return luaL_error(lua, "tweed.%s: expected a table, found %s", constructor, luaL_typename(lua, 1));
    lua_settop(lua, 1);
    if (!lua_istable(lua, 1)) return 1; // reported where it is used, with other errors there
    script_call_sites_push(lua);
    lua_pushvalue(lua, 1);
    script_call_site_here(lua, constructor);
    lua_rawset(lua, 2);
    lua_settop(lua, 1);
    return 1;
}
