// Each module is loaded once per state, while the script itself is.
#include "sandbox/require.h"

#include "host/lookup.h"
#include "sandbox/state.h"

#include <lauxlib.h>
#include <stdio.h>

static char being_loaded; // its address stands for a module until it has returned

static int require(lua_State *lua);
static void note_sought(ScriptState *state, const char *name);

void script_require_open(lua_State *lua) {
    lua_newtable(lua);
    lua_insert(lua, -2);
    lua_setfield(lua, -2, "tweed");
    lua_pushcclosure(lua, require, 1);
}

// upvalue: the table of modules by name
static int require(lua_State *lua) {
    const char *name = luaL_checkstring(lua, 1);
    ScriptState *state = script_state_of(lua);
    lua_settop(lua, 1);
    lua_getfield(lua, lua_upvalueindex(1), name);
    if (lua_touserdata(lua, -1) == &being_loaded)
        return luaL_error(lua, "module \"%s\" requires itself, or has failed before", name);
    if (!lua_isnil(lua, -1)) return 1;

    char path[SCRIPT_PATH_SIZE], message[SCRIPT_REQUEST_MESSAGE_SIZE];
    if (!state->findings)
        return luaL_error(lua, "require \"%s\": modules are loaded with the file, not later", name);
    note_sought(state, name);
    if (!script_find_module(state->host, name, path, message)) return luaL_error(lua, "%s", message);
    script_load_chunk(lua, path);
    lua_pushlightuserdata(lua, &being_loaded);
    lua_setfield(lua, lua_upvalueindex(1), name);
    lua_pushvalue(lua, 1);
    lua_call(lua, 1, 1);
    if (lua_isnil(lua, -1)) {
        lua_pushboolean(lua, 1);
        lua_replace(lua, -2);
    }
    lua_pushvalue(lua, -1);
    lua_setfield(lua, lua_upvalueindex(1), name);
    return 1;
}

static void note_sought(ScriptState *state, const char *name) {
    const ScriptStringList *const lists[] = {&state->host->folders, &state->host->directories};
    char path[512], file[512 + 4];
    if (!script_path_of_module(name, path)) return;
    snprintf(file, sizeof file, "%s.lua", path);
    for (size_t list = 0; list < 2; list++)
        for (int i = 0; i < lists[list]->count; i++)
            if (script_state_add_searched_file(state, lists[list]->items[i], file)) return;
}
