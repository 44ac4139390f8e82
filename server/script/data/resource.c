// Resources within userdata, finished by whoever comes first: Lua's collector or the heap.
#include "data/resource.h"

#include "sandbox/state.h"

#include <lauxlib.h>
#include <string.h>

static int collect(lua_State *lua);

void script_resource_metatable(lua_State *lua, const char *described) {
    lua_pushcfunction(lua, collect);
    lua_setfield(lua, -2, "__gc");
    lua_pushstring(lua, described);
    lua_setfield(lua, -2, "__metatable");
}

void *script_resource_push(lua_State *lua, size_t size, int user_value_count, const char *type,
                           void (*finish)(ScriptResource *resource)) {
    ScriptResource *resource = lua_newuserdatauv(lua, size, user_value_count);
    memset(resource, 0, size);
    if (luaL_newmetatable(lua, type)) script_resource_metatable(lua, "sealed");
    script_allocator_own(&script_state_of(lua)->allocator, resource, finish);
    lua_setmetatable(lua, -2);
    return resource;
}

static int collect(lua_State *lua) {
    script_resource_finish(lua_touserdata(lua, 1));
    return 0;
}
