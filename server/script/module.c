// `tweed`: constructors, and what a running script may ask for.
#include "module.h"

#include "clip.h"
#include "definition.h"
#include "host_data.h"
#include "import.h"
#include "instance.h"
#include "library.h"
#include "options.h"
#include "origin.h"
#include "quaternion.h"
#include "random.h"
#include "self.h"
#include "skeleton.h"
#include "tornado.h"
#include "utf8.h"
#include "value_lua.h"

#include <lauxlib.h>
#include <string.h>

static const char *const constructors[] = {
    "character", "bone",     "aim",   "position", "twist",  "ellipsoid", "sphere", "capsule", "plane",
    "cloth",     "pendulum", "chain", "seam",     "fabric", "wind",      "scene",  NULL};

// Log
// --------------------------------------------------------------------------------------------------------------

void script_module_log(lua_State *lua, ScriptLogLevel level, const char *message) {
    const ScriptState *state = script_state_of(lua);
    const ScriptCallbacks *callbacks = &state->host->callbacks;
    if (!callbacks->log) return;
    char *text = lua_newuserdatauv(lua, strlen(message) + 1, 0);
    strcpy(text, message);
    script_utf8_mend(text);
    callbacks->log(callbacks->context, level, state->script, state->running ? state->running->name : NULL,
                   text);
    lua_pop(lua, 1);
}

// tweed.log(level, text)
static int write_log(lua_State *lua) {
    static const char *const levels[] = {"error", "warning", "info", "debug", NULL}; // as ScriptLogLevel
    const int level = luaL_checkoption(lua, 1, NULL, levels);
    script_module_log(lua, (ScriptLogLevel)level, luaL_tolstring(lua, 2, NULL));
    return 0;
}

// Spawn
// ------------------------------------------------------------------------------------------------------------

// tweed.spawn {script, name, position, rotation, params} → the name it is going to have
static int spawn(lua_State *lua) {
    const ScriptState *state = script_state_of(lua);
    const ScriptCallbacks *callbacks = &state->host->callbacks;
    char name[65] = "", message[SCRIPT_MESSAGE_SIZE] = "";
    ScriptSpawnDef def;
    luaL_checktype(lua, 1, LUA_TTABLE);
    script_options_read(lua, 1, &script_spawn_schema, "spawn", &def);
    if (state->findings)
        return luaL_error(lua, "tweed.spawn works in callbacks, not while the file is loaded");
    if (!callbacks->spawn) return luaL_error(lua, "tweed.spawn: there is no world to come into");
    ScriptValue params = script_value_table();
    if (def.params && !script_value_of_node(&params, def.params, "params", message))
        return luaL_error(lua, "spawn.%s", message);
    ScriptSpawn wish = {.script = def.script, .name = def.name, .params = &params};
    memcpy(wish.root_world.position, def.position, sizeof def.position);
    memcpy(wish.root_world.rotation, def.rotation, sizeof def.rotation);
    const bool granted = callbacks->spawn(callbacks->context, &wish, name, message);
    script_value_finish(&params);
    if (!granted) return luaL_error(lua, "tweed.spawn: %s", message);
    lua_pushstring(lua, name);
    return 1;
}

// The table
// -----------------------------------------------------------------------------------------------------------

static const luaL_Reg functions[] = {
    {"calm", script_tornado_calm},
    {"clip", script_clip_define},
    {"has_asset", script_import_has},
    {"import", script_skeleton_import},
    {"log", write_log},
    {"random", script_random_lua},
    {"skeleton", script_skeleton_define},
    {"spawn", spawn},
    {"tornado", script_tornado_set},
    {"wait", script_instance_wait},
    {NULL, NULL},
};

void script_module_open(lua_State *lua) {
    script_skeleton_open(lua);
    script_clip_open(lua);
    script_self_open(lua);
    luaL_newlib(lua, functions);
    script_origin_open(lua, constructors);
    script_quaternion_open(lua);
    lua_setfield(lua, -2, "quaternion");
    script_seal(lua, "tweed");
}

void script_module_loaded(lua_State *lua) {
    script_import_loaded(lua);
}
