// The application does it, once no script runs.
#include "api/spawn.h"

#include "data/value_lua.h"
#include "host/host.h"
#include "sandbox/state.h"
#include "schema/definition.h"
#include "schema/function.h"

#include <lauxlib.h>
#include <string.h>

static const ScriptCallbacks *check_callbacks(lua_State *lua, const char *function);

int script_spawn(lua_State *lua) {
    char name[65] = "", message[SCRIPT_REQUEST_MESSAGE_SIZE] = "";
    ScriptSpawnDef def;
    luaL_checktype(lua, 1, LUA_TTABLE);
    script_options_read(lua, 1, &script_spawn_schema, "spawn", &def);
    const ScriptCallbacks *callbacks = check_callbacks(lua, "tweed.spawn");
    if (!callbacks->spawn) return luaL_error(lua, "tweed.spawn: there is no world to come into");
    ScriptValue params = script_value_table();
    if (def.params && !script_value_of_node(&params, def.params, "params", message))
        return luaL_error(lua, "spawn.%s", message);
    ScriptSpawn spawn = {.script = def.script, .name = def.name, .params = &params};
    memcpy(spawn.root_world.position, def.position, sizeof def.position);
    memcpy(spawn.root_world.rotation, def.rotation, sizeof def.rotation);
    const bool accepted = callbacks->spawn(callbacks->context, &spawn, name, message);
    script_value_finish(&params);
    if (!accepted) return luaL_error(lua, "tweed.spawn: %s", message);
    lua_pushstring(lua, name);
    return 1;
}

int script_remove(lua_State *lua) {
    script_remove_character(lua, "tweed.remove", luaL_checkstring(lua, 1));
    return 0;
}

void script_remove_character(lua_State *lua, const char *function, const char *name) {
    char message[SCRIPT_REQUEST_MESSAGE_SIZE] = "";
    const ScriptCallbacks *callbacks = check_callbacks(lua, function);
    if (!callbacks->remove) luaL_error(lua, "%s: there is no world to go from", function);
    if (!callbacks->remove(callbacks->context, name, message)) luaL_error(lua, "%s: %s", function, message);
}

static const ScriptCallbacks *check_callbacks(lua_State *lua, const char *function) {
    const ScriptState *state = script_state_of(lua);
    if (state->findings) luaL_error(lua, "%s works in callbacks, not while the file is loaded", function);
    return &state->host->callbacks;
}
