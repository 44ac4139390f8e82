// Instances: entering a script for one character, and its coroutines.
#include "instance.h"

#include "host_data.h"
#include "nearest.h"
#include "self.h"
#include "value_lua.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAME_TIME  1e-9 // s: sums of ticks differ from the sum of waits by rounding
#define MOST_TASKS 1024 // of one instance

static char wait_key; // its address marks what tweed.wait yields

static ScriptState *state_of(const ScriptInstance *instance) {
    return instance->character->state;
}

// Enters the script as this instance.
static bool enter(ScriptInstance *instance, lua_CFunction body, void *context, ScriptError *out_error) {
    ScriptState *state = state_of(instance);
    ScriptInstance *outer = state->running;
    state->running = instance;
    const bool done = script_state_enter(state, body, context, out_error);
    state->running = outer;
    return done;
}

static void report(const ScriptInstance *instance, ScriptError *error) {
    const ScriptCallbacks *callbacks = &instance->character->host->callbacks;
    if (callbacks->failed && state_of(instance)->lua) // else that it was suspended has been told
        callbacks->failed(callbacks->context, instance->character->info.script, instance->name, error);
    script_error_finish(error);
}

// Tasks
// -------------------------------------------------------------------------------------------------------------

// Goes on with a coroutine until it waits or ends; argument_count values are on its stack. Raises nothing.
static void resume(lua_State *lua, ScriptInstance *instance, int index, int argument_count) {
    if (!lua_checkstack(lua, 2)) return; // it goes on at the next tick
    lua_rawgeti(lua, LUA_REGISTRYINDEX, instance->tasks[index].thread);
    lua_State *thread = lua_tothread(lua, -1), *outer = instance->current;
    int count = 0;
    instance->current = thread;
    const int status = script_state_resume(thread, lua, argument_count, &count);
    instance->current = outer;
    ScriptTask *task = &instance->tasks[index]; // where it is now: others may have been added
    if (status == LUA_YIELD) {
        const bool waits = count == 2 && lua_touserdata(thread, -2) == &wait_key;
        task->wake = instance->character->host->time + (waits ? lua_tonumber(thread, -1) : 0.0);
        task->tick = instance->character->host->tick;
        lua_pop(thread, count);
    } else {
        if (status != LUA_OK) {
            ScriptError error;
            script_error_make(&error, thread, -1);
            report(instance, &error);
        }
        luaL_unref(lua, LUA_REGISTRYINDEX, task->thread);
        task->thread = LUA_NOREF;
    }
    lua_pop(lua, 1);
}

static void drop_ended_tasks(ScriptInstance *instance) {
    int count = 0;
    for (int i = 0; i < instance->task_count; i++)
        if (instance->tasks[i].thread != LUA_NOREF) instance->tasks[count++] = instance->tasks[i];
    instance->task_count = count;
}

static void make_room(lua_State *lua, ScriptInstance *instance) {
    if (!instance->current) drop_ended_tasks(instance); // else a task's place is remembered
    if (instance->task_count == MOST_TASKS)
        luaL_error(lua, "more than %d coroutines of one character", MOST_TASKS);
    if (instance->task_count < instance->task_capacity) return;
    const int capacity = instance->task_capacity ? instance->task_capacity * 2 : 4;
    ScriptTask *tasks = realloc(instance->tasks, (size_t)capacity * sizeof *tasks);
    if (!tasks) luaL_error(lua, "not enough memory");
    instance->tasks = tasks;
    instance->task_capacity = capacity;
}

int script_instance_run(lua_State *lua) {
    ScriptInstance *instance = script_self_check(lua, 1);
    luaL_checktype(lua, 2, LUA_TFUNCTION);
    const int argument_count = lua_gettop(lua) - 2;
    make_room(lua, instance);
    lua_State *thread = lua_newthread(lua);
    luaL_checkstack(thread, argument_count + 1, "arguments");
    const int reference = luaL_ref(lua, LUA_REGISTRYINDEX);
    lua_xmove(lua, thread, argument_count + 1);
    instance->tasks[instance->task_count] = (ScriptTask){.thread = reference};
    resume(lua, instance, instance->task_count++, argument_count);
    return 0;
}

int script_instance_wait(lua_State *lua) {
    const ScriptInstance *instance = script_state_of(lua)->running;
    const lua_Number seconds = luaL_checknumber(lua, 1);
    luaL_argcheck(lua, seconds >= 0.0 && seconds <= 1e6, 1, "expected 0 to 1e6 s");
    if (!instance || instance->current != lua)
        return luaL_error(lua, "tweed.wait works only in a coroutine: self:run(function() ... end)");
    lua_pushlightuserdata(lua, &wait_key);
    lua_pushnumber(lua, seconds);
    return lua_yield(lua, 2);
}

static bool is_due(const ScriptTask *task, const ScriptHost *host) {
    return task->thread != LUA_NOREF && task->tick != host->tick && task->wake <= host->time + SAME_TIME;
}

// What was due when the tick began, each once, in the order of beginning.
static int resume_due(lua_State *lua) {
    ScriptInstance *instance = lua_touserdata(lua, 1);
    const int count = instance->task_count;
    for (int i = 0; i < count; i++)
        if (is_due(&instance->tasks[i], instance->character->host)) resume(lua, instance, i, 0);
    return 0;
}

// Life
// --------------------------------------------------------------------------------------------------------------

// Lets go of all that Lua holds for the instance.
static void end(ScriptInstance *instance) {
    lua_State *lua = state_of(instance)->lua;
    for (int i = 0; lua && i < instance->task_count; i++) // their places in the registry are there: no raise
        luaL_unref(lua, LUA_REGISTRYINDEX, instance->tasks[i].thread);
    instance->task_count = 0;
    if (lua) script_self_end(lua, instance->self);
    instance->self = LUA_NOREF;
    instance->ticks = false;
}

static int begin_body(lua_State *lua) {
    ScriptInstance *instance = lua_touserdata(lua, 1);
    script_self_push(lua, instance);
    lua_pushvalue(lua, -1);
    instance->self = luaL_ref(lua, LUA_REGISTRYINDEX);
    if (instance->character->on_spawn == LUA_NOREF) return 0;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, instance->character->on_spawn);
    lua_insert(lua, -2);
    script_value_push(lua, &instance->params);
    lua_call(lua, 2, 0);
    return 0;
}

static bool begin(ScriptInstance *instance, ScriptError *out_error) {
    instance->random = script_random_seeded(instance->character->host->seed, instance->name);
    instance->ticks = instance->character->on_tick != LUA_NOREF;
    if (enter(instance, begin_body, instance, out_error)) return true;
    end(instance);
    return false;
}

ScriptInstance *script_instance_create(ScriptCharacter *character, SimCharacterId id, const char *name,
                                       const ScriptValue *params, ScriptError *out_error) {
    ScriptInstance *instance = calloc(1, sizeof *instance);
    *out_error = (ScriptError){0};
    if (instance) {
        instance->character = character;
        instance->id = id;
        instance->self = LUA_NOREF;
        instance->params = script_value_table();
        snprintf(instance->name, sizeof instance->name, "%s", name);
    }
    if (!instance || (params && !script_value_copy(&instance->params, params)))
        out_error->message = script_copy_text("not enough memory");
    else if (begin(instance, out_error))
        return instance;
    script_instance_destroy(instance);
    return NULL;
}

void script_instance_destroy(ScriptInstance *instance) {
    if (!instance) return;
    end(instance);
    script_value_finish(&instance->params);
    free(instance->tasks);
    free(instance);
}

bool script_instance_reset(ScriptInstance *instance, ScriptError *out_error) {
    *out_error = (ScriptError){0};
    end(instance);
    return begin(instance, out_error);
}

// Ticks
// -------------------------------------------------------------------------------------------------------------

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

void script_instance_tick(ScriptInstance *instance) {
    ScriptError error = {0};
    if (!state_of(instance)->lua) return; // suspended
    if (instance->task_count) {
        if (!enter(instance, resume_due, instance, &error)) report(instance, &error);
        drop_ended_tasks(instance);
    }
    if (instance->ticks && !enter(instance, call_on_tick, instance, &error)) {
        instance->ticks = false;
        report(instance, &error);
    }
}

// Commands
// ----------------------------------------------------------------------------------------------------------

typedef struct Call {
    ScriptInstance *instance;
    int run;
    const ScriptValue *arguments;
    ScriptValue result;
} Call;

static int call_command(lua_State *lua) {
    Call *call = lua_touserdata(lua, 1);
    char message[SCRIPT_MESSAGE_SIZE];
    const ScriptValue none = script_value_table();
    lua_rawgeti(lua, LUA_REGISTRYINDEX, call->run);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, call->instance->self);
    script_value_push(lua, call->arguments ? call->arguments : &none);
    lua_call(lua, 2, 1);
    ScriptArena *arena = script_arena_push(lua);
    const ScriptNode *node = script_node_read(lua, -2, false, arena);
    if (!script_value_of_node(&call->result, node, "result", message)) return luaL_error(lua, "%s", message);
    return 0;
}

static void report_unknown(const ScriptCharacterInfo *info, const char *command, ScriptError *out_error) {
    ScriptNearest nearest = script_nearest_to(command);
    for (int i = 0; i < info->command_count; i++) script_nearest_offer(&nearest, info->commands[i].name);
    char hint[128];
    script_nearest_hint(&nearest, hint, sizeof hint);
    out_error->message = script_format("no command \"%s\"%s", command, hint);
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
        if (!enter(instance, call_command, &call, out_error)) return SCRIPT_CALL_FAILED;
        *out_result = call.result;
        return SCRIPT_CALL_DONE;
    }
    report_unknown(info, command, out_error);
    return SCRIPT_CALL_UNKNOWN;
}
