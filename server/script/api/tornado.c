// Tornadoes, begun and ended while the world runs.
#include "api/tornado.h"

#include "api/request.h"
#include "host/host.h"
#include "sandbox/state.h"
#include "schema/definition.h"
#include "schema/function.h"

#include <lauxlib.h>
#include <string.h>
#include <text/nearest.h>

static int set(lua_State *lua);
static SimWorld *check_world(lua_State *lua, const char *function);
static void report_change(lua_State *lua);
static int calm(lua_State *lua);

const ScriptFunction script_tornado_functions[] = {
    {"tornado",
     set,
     {{.name = "tornado", .schema = &script_tornado_schema}},
     .help = "Begins a tornado, or changes the one of that name; 16 at most. In callbacks.",
     .example = "tweed.tornado { name = \"twister\", position = { 0, 0, 3 }, radius = .8, strength = 12, "
                "lift = 4 }"},
    {"calm",
     calm,
     {{.name = "name", .type = "string", .help = "A tornado's."}},
     .help = "Ends a tornado. In callbacks.",
     .example = "tweed.calm \"twister\""},
    {0},
};

static int set(lua_State *lua) {
    ScriptTornadoDef def;
    luaL_checktype(lua, 1, LUA_TTABLE);
    script_options_read(lua, 1, &script_tornado_schema, "tornado", &def);
    SimWorld *world = check_world(lua, "tornado");
    SimTornado tornado = {.radius = def.radius, .strength = def.strength, .lift = def.lift};
    memcpy(tornado.position_world, def.position, sizeof def.position);
    memcpy(tornado.velocity_world, def.velocity, sizeof def.velocity);
    lua_settop(lua, 1);
    if (script_request_defer(lua, "world.tornado")) return 0;
    if (!sim_world_set_tornado(world, def.name, &tornado))
        return luaL_error(lua, "tweed.tornado: there are %d tornadoes already, the most there can be",
                          SIM_MAX_TORNADOS);
    report_change(lua);
    return 0;
}

static SimWorld *check_world(lua_State *lua, const char *function) {
    const ScriptState *state = script_state_of(lua);
    if (state->findings)
        luaL_error(lua, "tweed.%s works in callbacks, not while the file is loaded", function);
    return state->host->world;
}

static void report_change(lua_State *lua) {
    const ScriptCallbacks *callbacks = &script_state_of(lua)->host->callbacks;
    if (callbacks->world_changed) callbacks->world_changed(callbacks->context);
}

static int calm(lua_State *lua) {
    const char *name = luaL_checkstring(lua, 1), *names[SIM_MAX_TORNADOS];
    SimWorld *world = check_world(lua, "calm");
    if (sim_world_tornado(world, name, &(SimTornado){0})) {
        lua_createtable(lua, 0, 1);
        lua_pushvalue(lua, 1);
        lua_setfield(lua, -2, "name");
        if (script_request_defer(lua, "world.calm")) return 0;
        sim_world_calm(world, name);
        report_change(lua);
        return 0;
    }
    TextNearest nearest = text_nearest_to(name);
    const int count = sim_world_tornado_names(world, names);
    for (int i = 0; i < count; i++) text_nearest_offer(&nearest, names[i]);
    return script_error_raise_unknown(lua, "tornado", &nearest);
}
