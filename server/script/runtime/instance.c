// Instances: the callbacks and commands of one character.
#include "runtime/instance.h"

#include "data/value_lua.h"
#include "host/host.h"
#include "runtime/listener.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/nearest.h>

typedef struct Call {
    ScriptInstance *instance;
    int run;
    const ScriptValue *arguments;
    ScriptValue result;
} Call;

static void run_tick(ScriptInstance *instance);
static bool start(ScriptInstance *instance, ScriptError *out_error);
static bool enter(ScriptInstance *instance, const char *callback, lua_CFunction body, void *context,
                  ScriptError *out_error);
static ScriptState *state_of(const ScriptInstance *instance);
static void point_self(const ScriptInstance *owner, ScriptInstance *instance);
static int call_on_spawn(lua_State *lua);
static void release(ScriptInstance *instance);
static int call_on_tick(lua_State *lua);
static int call_on_save(lua_State *lua);
static int call_on_restore(lua_State *lua);
static int call_command(lua_State *lua);
static int take_result(lua_State *lua, Call *call);
static void report_unknown(const ScriptCharacterInfo *info, const char *command, ScriptError *out_error);

ScriptInstance *script_instance_create(ScriptCharacter *character, SimCharacterId id, const char *name,
                                       ScriptParams *params, ScriptError *out_error) {
    ScriptInstance *instance = calloc(1, sizeof *instance);
    *out_error = (ScriptError){0};
    if (instance) {
        instance->character = character;
        instance->id = id;
        instance->self = LUA_NOREF;
        instance->params = script_params_retain(params);
        snprintf(instance->name, sizeof instance->name, "%s", name);
    }
    if (!instance)
        out_error->message = strdup("out of memory");
    else if (start(instance, out_error))
        return instance;
    script_instance_destroy(instance);
    return NULL;
}

void script_instance_destroy(ScriptInstance *instance) {
    if (!instance) return;
    release(instance);
    script_params_release(instance->params);
    free(instance->tasks);
    free(instance);
}

ScriptParams *script_instance_params(const ScriptInstance *instance) {
    return instance->params;
}

bool script_instance_reset(ScriptInstance *instance, SimCharacterId id, ScriptError *out_error) {
    ScriptInstance before = *instance;
    *out_error = (ScriptError){0};
    point_self(&before, NULL);
    instance->id = id;
    instance->self = LUA_NOREF;
    instance->tasks = NULL;
    instance->task_count = 0;
    instance->task_capacity = 0;
    instance->listeners = (ScriptListeners){0};
    const bool started = start(instance, out_error);
    if (started) {
        release(&before);
        free(before.tasks);
    } else {
        free(instance->tasks);
        *instance = before;
        point_self(instance, instance);
    }
    return started;
}

void script_instance_shift_time(ScriptInstance *instance, double seconds) {
    script_tasks_shift(instance, seconds);
}

bool script_instance_save(ScriptInstance *instance, ScriptValue *out_saved, ScriptError *out_error) {
    Call call = {.instance = instance, .run = instance->character->on_save, .result = SCRIPT_NULL};
    *out_error = (ScriptError){0};
    const bool is_saved = call.run == LUA_NOREF || enter(instance, "on_save", call_on_save, &call, out_error);
    *out_saved = call.result;
    return is_saved;
}

bool script_instance_restore(ScriptInstance *instance, const ScriptValue *saved, ScriptError *out_error) {
    Call call = {.instance = instance, .run = instance->character->on_restore, .arguments = saved};
    *out_error = (ScriptError){0};
    return call.run == LUA_NOREF || enter(instance, "on_restore", call_on_restore, &call, out_error);
}

ScriptRandomState script_instance_random(const ScriptInstance *instance) {
    ScriptRandomState state;
    memcpy(state.words, instance->random.state, sizeof state.words);
    return state;
}

void script_instance_set_random(ScriptInstance *instance, const ScriptRandomState *state) {
    memcpy(instance->random.state, state->words, sizeof state->words);
}

void script_instance_tick(ScriptInstance *instance) {
    ScriptState *state = state_of(instance);
    if (!script_host_takes_turn(state->host, &instance->pass)) return;
    const ScriptEvent *event = state->host->events.now;
    for (; event && (instance->listeners.count || instance->task_count); event = event->next) {
        script_listeners_call(&instance->listeners, state, instance, event);
        if (state->lua) script_tasks_resume_for_event(instance, event);
    }
    if (state->lua) run_tick(instance); // else it is suspended
}

void script_instance_run_late_tick(ScriptInstance *instance, double time) {
    ScriptState *state = state_of(instance);
    const double now = state->host->time;
    if (!state->lua) return;
    state->host->time = time;
    run_tick(instance);
    state->host->time = now;
}

ScriptCallStatus script_instance_call(ScriptInstance *instance, const char *command,
                                      const ScriptValue *arguments, ScriptValue *out_result,
                                      ScriptError *out_error) {
    const ScriptCharacterInfo *info = &instance->character->info;
    *out_result = SCRIPT_NULL;
    *out_error = (ScriptError){0};
    for (int i = 0; i < info->command_count; i++) {
        if (strcmp(info->commands[i].name, command) != 0) continue;
        Call call = {instance, instance->character->command_runs[i], arguments, SCRIPT_NULL};
        char callback[80];
        snprintf(callback, sizeof callback, "commands.%s", command);
        if (!enter(instance, callback, call_command, &call, out_error)) return SCRIPT_CALL_FAILED;
        *out_result = call.result;
        return SCRIPT_CALL_DONE;
    }
    report_unknown(info, command, out_error);
    return SCRIPT_CALL_UNKNOWN;
}

static void run_tick(ScriptInstance *instance) {
    ScriptError error = {0};
    script_tasks_tick(instance);
    if (!instance->ticks || enter(instance, "on_tick", call_on_tick, instance, &error)) return;
    instance->ticks = false;
    script_instance_report(state_of(instance), instance, &error);
}

static bool start(ScriptInstance *instance, ScriptError *out_error) {
    instance->random = script_random_seeded(instance->character->host->seed, instance->name);
    instance->ticks = instance->character->on_tick != LUA_NOREF;
    if (enter(instance, "on_spawn", call_on_spawn, instance, out_error)) return true;
    release(instance);
    return false;
}

static bool enter(ScriptInstance *instance, const char *callback, lua_CFunction body, void *context,
                  ScriptError *out_error) {
    return script_instance_enter(state_of(instance), instance, callback, body, context, out_error);
}

static ScriptState *state_of(const ScriptInstance *instance) {
    return instance->character->state;
}

// Makes the owner's `self` stand for that instance; NULL: for none.
static void point_self(const ScriptInstance *owner, ScriptInstance *instance) {
    lua_State *lua = state_of(owner)->lua;
    if (lua) script_self_point(lua, owner->self, instance);
}

static int call_on_spawn(lua_State *lua) {
    ScriptInstance *instance = lua_touserdata(lua, 1);
    script_self_push(lua, instance);
    lua_pushvalue(lua, -1);
    instance->self = luaL_ref(lua, LUA_REGISTRYINDEX);
    if (instance->character->on_spawn == LUA_NOREF) return 0;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, instance->character->on_spawn);
    lua_insert(lua, -2);
    script_value_push(lua, script_params_value(instance->params));
    lua_call(lua, 2, 0);
    return 0;
}

// Releases everything that Lua holds for the instance.
static void release(ScriptInstance *instance) {
    lua_State *lua = state_of(instance)->lua;
    script_tasks_cancel(instance);
    script_listeners_finish(&instance->listeners, state_of(instance)->host, lua);
    if (lua) script_self_invalidate(lua, instance->self);
    instance->self = LUA_NOREF;
    instance->ticks = false;
}

static int call_on_tick(lua_State *lua) {
    const ScriptInstance *instance = lua_touserdata(lua, 1);
    const ScriptHost *host = instance->character->host;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, instance->character->on_tick);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, instance->self);
    lua_pushnumber(lua, host->dt);
    lua_pushnumber(lua, host->time);
    lua_call(lua, 3, 0);
    return 0;
}

static int call_on_save(lua_State *lua) {
    Call *call = lua_touserdata(lua, 1);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, call->run);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, call->instance->self);
    lua_call(lua, 1, 1);
    if (!lua_istable(lua, -1))
        return luaL_error(lua, "it must return a table of plain data, not %s", luaL_typename(lua, -1));
    return take_result(lua, call);
}

static int call_on_restore(lua_State *lua) {
    const Call *call = lua_touserdata(lua, 1);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, call->run);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, call->instance->self);
    script_value_push(lua, call->arguments);
    lua_call(lua, 2, 0);
    return 0;
}

static int call_command(lua_State *lua) {
    Call *call = lua_touserdata(lua, 1);
    const ScriptValue none = script_value_table();
    lua_rawgeti(lua, LUA_REGISTRYINDEX, call->run);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, call->instance->self);
    script_value_push(lua, call->arguments ? call->arguments : &none);
    lua_call(lua, 2, 1);
    return take_result(lua, call);
}

// Of the function that was called, which is on top of the stack.
static int take_result(lua_State *lua, Call *call) {
    char message[SCRIPT_MESSAGE_SIZE];
    ScriptArena *arena = script_arena_push(lua);
    script_state_check_time(lua);
    const ScriptNode *node = script_node_read(lua, -2, false, SCRIPT_MAX_ARGUMENT_NODES, arena);
    if (!script_value_of_node(&call->result, node, "result", message)) return luaL_error(lua, "%s", message);
    return 0;
}

static void report_unknown(const ScriptCharacterInfo *info, const char *command, ScriptError *out_error) {
    TextNearest nearest = text_nearest_to(command);
    for (int i = 0; i < info->command_count; i++) text_nearest_offer(&nearest, info->commands[i].name);
    char hint[128];
    text_nearest_hint(&nearest, hint, sizeof hint);
    out_error->message = script_format("no command \"%s\"%s", command, hint);
}
