// Functions for running scripts: spawning and removing characters, tornadoes, waiting, listening, random
// numbers.
#include "api/world.h"

#include "data/params.h"
#include "data/value_lua.h"
#include "host/host.h"
#include "runtime/instance.h"
#include "runtime/listener.h"
#include "runtime/task.h"
#include "sandbox/state.h"
#include "schema/definition.h"
#include "schema/function.h"

#include <lauxlib.h>
#include <string.h>
#include <text/nearest.h>

static int spawn(lua_State *lua);
static const ScriptCallbacks *check_callbacks(lua_State *lua, const char *function);
static int remove_named(lua_State *lua);
static int nearest(lua_State *lua);
static int set(lua_State *lua);
static SimWorld *check_world(lua_State *lua, const char *function);
static void report_change(lua_State *lua);
static int calm(lua_State *lua);

const ScriptFunction script_world_functions[] = {
    {"spawn", spawn, .parameters = {{.name = "options", .schema = &script_spawn_schema}},
     .results = {{.name = "name", .type = "string", .help = "The character's name in the world."}},
     .help =
         "Spawns a character at the next tick; 16 a tick, others in the ticks after it. A script that is not "
         "loaded yet is loaded first, in the background; only the ticks of simulation.step wait for it. In "
         "callbacks only.",
     .example = "local name = tweed.spawn { script = \"characters/guard\", position = { 1, 0, 0 } }"},
    {"remove", remove_named,
     .parameters = {{.name = "name",
                     .type = "string",
                     .help = "The name of a character, or of one that is about to spawn."}},
     .help = "Removes a character from the world after all scripts of this tick. In callbacks only.",
     .example = "local name = tweed.spawn { script = \"characters/guard\" }\n"
                "tweed.remove(name)"},
    {"wait", script_task_wait,
     .parameters = {{.name = "seconds", .type = "number", .help = "0 to 1e6 s; 0 is the next tick."}},
     .results = {{.name = "waited", .type = "number"}},
     .help = "Pauses a coroutine of self:run until the first tick at or after that time. Returns how long "
             "the pause was, in s.",
     .example = "tweed.wait(.5)\nlocal dt = tweed.wait(0)"},
    {"wait_for", script_task_wait_for,
     .parameters =
         {{.name = "event", .type = "tweed.Event"},
          {.name = "seconds", .type = "number", .optional = true, .help = "0 to 1e6 s. Default: no limit."}},
     .results = {{.name = "event", .type = "table", .optional = true}},
     .help = "Pauses a coroutine of self:run until an event. Returns the event as the protocol defines it, "
             "or nil when the time is over.",
     .example = "local event = tweed.wait_for(\"fabric.changed\", 5)\n"
                "if event then print(event.tick, event.fabric) end"},
    {"on", script_listener_on,
     .parameters = {{.name = "event", .type = "tweed.Event"},
                    {.name = "listener", .type = "fun(event: table)"}},
     .results = {{.name = "stop", .type = "fun()", .help = "Removes the listener."}},
     .help =
         "Calls a function at each event, with the event as the protocol defines it, at the beginning of the "
         "tick. Events that scripts cause arrive at the next tick. The listener ends when the character is "
         "reset and when the function raises an error. In callbacks only. The events: character.spawned, "
         "character.removed, character.moved, character.changed, character.unstable, script.loaded, "
         "script.failed, script.suspended, fabric.changed, world.changed, simulation.paused, "
         "simulation.resumed, simulation.shed, log.",
     .example = "local stop = tweed.on(\"world.changed\", function(event)\n"
                "  print(event.tick, event.wind.velocity[1])\n"
                "end)"},
    {"random", script_random_lua,
     .parameters = {{.name = "m", .type = "integer", .optional = true},
                    {.name = "n", .type = "integer", .optional = true}},
     .results = {{.name = "number", .type = "number"}},
     .help =
         "A random number from 0 up to but not including 1; with n a whole number from 1 to n, with m and n "
         "from m to n. Each character has its own seed, so runs repeat. math.random is the same function.",
     .example = "local side = tweed.random(2) == 1 and \"left\" or \"right\""},
    {"log", script_log_write,
     .parameters = {{.name = "level", .type = "\"error\"|\"warning\"|\"info\"|\"debug\""},
                    {.name = "text", .type = "any"}},
     .help = "Writes a line to the server's log and to clients that subscribe to it, at most 50 lines a "
             "second. print writes at level info.",
     .example = "tweed.log(\"debug\", \"about to jump\")"},
    {"nearest", nearest,
     .parameters = {{.name = "name", .type = "string"},
                    {.name = "names", .type = "string[]", .help = "What the name could have been."}},
     .results = {{.name = "nearest", .type = "string", .optional = true}},
     .help = "The name in a list that a misspelt one is nearest to, by the letters that differ; nil where "
             "none is near. For the messages of modules. Works while a file is loaded, too.",
     .example = "print(tweed.nearest(\"colour\", { \"length\", \"color\" })) -- color"},
    {0},
};

const ScriptFunction script_tornado_functions[] = {
    {"tornado", set, .parameters = {{.name = "tornado", .schema = &script_tornado_schema}},
     .help = "Starts a tornado, or changes the one of that name. At most 16 at a time. In callbacks only.",
     .example = "tweed.tornado { name = \"twister\", position = { 0, 0, 3 }, radius = .8, strength = 12, "
                "lift = 4 }"},
    {"calm", calm, .parameters = {{.name = "name", .type = "string", .help = "A tornado's name."}},
     .help = "Ends a tornado. In callbacks only.", .example = "tweed.calm \"twister\""},
    {0},
};

void script_remove_character(lua_State *lua, const char *function, const char *name) {
    char message[SCRIPT_REQUEST_MESSAGE_SIZE] = "";
    const ScriptCallbacks *callbacks = check_callbacks(lua, function);
    if (!callbacks->remove) luaL_error(lua, "%s: works only in a running scene", function);
    if (!callbacks->remove(callbacks->context, name, message)) luaL_error(lua, "%s: %s", function, message);
}

int script_random_lua(lua_State *lua) {
    ScriptState *state = script_state_of(lua);
    ScriptRandom *random = state->running ? &state->running->random : &state->random;
    if (lua_gettop(lua) == 0) {
        lua_pushnumber(lua, (double)(script_random_next(random) >> 11) * 0x1p-53);
        return 1;
    }
    const bool one = lua_gettop(lua) == 1;
    const lua_Integer low = one ? 1 : luaL_checkinteger(lua, 1), high = luaL_checkinteger(lua, one ? 1 : 2);
    luaL_argcheck(lua, low <= high, one ? 1 : 2, "interval is empty");
    lua_pushinteger(lua, (lua_Integer)((lua_Unsigned)low +
                                       script_random_up_to(random, (lua_Unsigned)high - (lua_Unsigned)low)));
    return 1;
}

static int spawn(lua_State *lua) {
    char name[TEXT_NAME_BYTES + 1] = "", message[SCRIPT_REQUEST_MESSAGE_SIZE] = "";
    ScriptSpawnDef def;
    ScriptState *state = script_state_of(lua);
    luaL_checktype(lua, 1, LUA_TTABLE);
    script_options_read(lua, 1, &script_spawn_schema, "spawn", &def);
    const ScriptCallbacks *callbacks = check_callbacks(lua, "tweed.spawn");
    if (!callbacks->spawn) return luaL_error(lua, "tweed.spawn: works only in a running scene");
    ScriptValue params = script_value_table();
    if (def.params && !script_value_of_node(&params, def.params, "params", message))
        return luaL_error(lua, "spawn.%s", message);
    ScriptSpawn spawn = {.script = def.script,
                         .name = def.name,
                         .params = script_params_create_charged(params, &state->allocator)};
    if (!spawn.params)
        return luaL_error(lua,
                          "tweed.spawn: no memory is left for params; a script, with those of all "
                          "characters that it has spawned, may have %d MiB",
                          (int)(state->allocator.limit >> 20));
    memcpy(spawn.root_world.position, def.position, sizeof def.position);
    memcpy(spawn.root_world.rotation, def.rotation, sizeof def.rotation);
    const bool accepted = callbacks->spawn(callbacks->context, &spawn, name, message);
    script_params_release(spawn.params);
    if (!accepted) return luaL_error(lua, "tweed.spawn: %s", message);
    lua_pushstring(lua, name);
    return 1;
}

static const ScriptCallbacks *check_callbacks(lua_State *lua, const char *function) {
    const ScriptState *state = script_state_of(lua);
    if (state->findings) luaL_error(lua, "%s works in callbacks, not while the file is loaded", function);
    return &state->host->callbacks;
}

static int remove_named(lua_State *lua) {
    script_remove_character(lua, "tweed.remove", luaL_checkstring(lua, 1));
    return 0;
}

static int nearest(lua_State *lua) {
    TextNearest nearest = text_nearest_to(luaL_checkstring(lua, 1));
    luaL_checktype(lua, 2, LUA_TTABLE);
    const lua_Integer count = (lua_Integer)lua_rawlen(lua, 2);
    for (lua_Integer i = 1; i <= count; i++, lua_pop(lua, 1)) {
        script_state_check_time(lua);
        const bool is_string = lua_rawgeti(lua, 2, i) == LUA_TSTRING;
        luaL_argcheck(lua, is_string, 2, "expected a list of strings");
        text_nearest_offer(&nearest, lua_tostring(lua, -1)); // the list keeps it
    }
    lua_pushstring(lua, nearest.best); // nil for NULL
    return 1;
}

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
        sim_world_remove_tornado(world, name);
        report_change(lua);
        return 0;
    }
    TextNearest nearest = text_nearest_to(name);
    const int count = sim_world_tornado_names(world, names);
    for (int i = 0; i < count; i++) text_nearest_offer(&nearest, names[i]);
    return script_error_raise_unknown(lua, "tornado", &nearest);
}
