// Coroutines, resumed in the order of their start.
#include "runtime/task.h"

#include "data/value_lua.h"
#include "host/host.h"
#include "runtime/instance.h"
#include "runtime/listener.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <text/array.h>

#define SAME_TIME 1e-9 // s: sums of ticks differ from the sum of waits by rounding
#define MAX_TASKS 1024 // of one instance
#define MAX_WAIT  1e6  // s

typedef struct EventResume {
    ScriptInstance *instance;
    const ScriptEvent *event;
} EventResume;

static void make_room(lua_State *lua, ScriptInstance *instance);
static void drop_ended(ScriptInstance *instance);
static void resume(lua_State *lua, ScriptInstance *instance, int index, int argument_count);
static void set_wait(ScriptInstance *instance, ScriptTask *task, int event, uint64_t token);
static ScriptHost *host_of(const ScriptInstance *instance);
static double check_seconds(lua_State *lua, int index);
static ScriptTask *check_wait(lua_State *lua, const char *function);
static int return_result(lua_State *lua, int status, lua_KContext context);
static int resume_waiting(lua_State *lua);
static void resume_with_event(lua_State *lua, ScriptInstance *instance, int index, const ScriptEvent *event);
static bool is_due(const ScriptTask *task, const ScriptHost *host);
static int resume_due(lua_State *lua);
static void resume_in_time(lua_State *lua, ScriptInstance *instance, int index);

int script_task_run(lua_State *lua) {
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

bool script_task_can_wait(lua_State *lua) {
    const ScriptInstance *instance = script_state_of(lua)->running;
    return instance && instance->current == lua;
}

int script_task_wait(lua_State *lua) {
    const double seconds = check_seconds(lua, 1);
    check_wait(lua, "wait")->wake = seconds;
    return lua_yield(lua, 0);
}

int script_task_wait_for(lua_State *lua) {
    const int event = script_listener_check_event(lua, 1);
    const double seconds = lua_isnoneornil(lua, 2) ? (double)INFINITY : check_seconds(lua, 2);
    *check_wait(lua, "wait_for") = (ScriptTask){.wake = seconds, .event = event};
    return lua_yield(lua, 0); // the values it is resumed with are the result
}

int script_task_wait_for_answer(lua_State *lua, uint64_t token) {
    *check_wait(lua, "request") =
        (ScriptTask){.wake = (double)INFINITY, .event = SCRIPT_EVENT_ANSWER, .token = token};
    return lua_yieldk(lua, 0, 0, return_result);
}

void script_tasks_resume_for_event(ScriptInstance *instance, const ScriptEvent *event) {
    EventResume event_resume = {instance, event};
    ScriptError error;
    bool waits = false;
    for (int i = 0; i < instance->task_count && !waits; i++)
        waits = instance->tasks[i].event == event->kind && instance->tasks[i].token == event->token;
    if (!waits) return;
    if (!script_instance_enter(instance->character->state, instance, "coroutine", resume_waiting,
                               &event_resume, &error))
        script_instance_report(instance->character->state, instance, &error);
    drop_ended(instance);
}

void script_tasks_tick(ScriptInstance *instance) {
    ScriptError error;
    bool due = false;
    for (int i = 0; i < instance->task_count && !due; i++)
        due = is_due(&instance->tasks[i], host_of(instance));
    if (!due) return;
    if (!script_instance_enter(instance->character->state, instance, "coroutine", resume_due, instance,
                               &error))
        script_instance_report(instance->character->state, instance, &error);
    drop_ended(instance);
}

void script_tasks_shift(ScriptInstance *instance, double seconds) {
    for (int i = 0; i < instance->task_count; i++) {
        instance->tasks[i].begun += seconds;
        instance->tasks[i].wake += seconds;
    }
}

void script_tasks_cancel(ScriptInstance *instance) {
    lua_State *lua = instance->character->state->lua;
    for (int i = 0; i < instance->task_count; i++) {
        set_wait(instance, &instance->tasks[i], SCRIPT_EVENT_NONE, 0);
        if (lua)
            luaL_unref(lua, LUA_REGISTRYINDEX, instance->tasks[i].thread); // does not raise: the slot exists
    }
    instance->task_count = 0;
}

static void make_room(lua_State *lua, ScriptInstance *instance) {
    if (!instance->current) drop_ended(instance); // otherwise the index of a running task would change
    if (instance->task_count == MAX_TASKS)
        luaL_error(lua, "more than %d coroutines of one character", MAX_TASKS);
    if (!TEXT_ARRAY_GROW(instance->tasks, instance->task_count, instance->task_capacity))
        luaL_error(lua, "out of memory");
}

static void drop_ended(ScriptInstance *instance) {
    int count = 0;
    for (int i = 0; i < instance->task_count; i++)
        if (instance->tasks[i].thread != LUA_NOREF) instance->tasks[count++] = instance->tasks[i];
    instance->task_count = count;
}

// Resumes a coroutine until it waits or ends; argument_count values are on its stack. Does not raise.
static void resume(lua_State *lua, ScriptInstance *instance, int index, int argument_count) {
    if (!lua_checkstack(lua, 2)) return; // it resumes at the next tick
    lua_rawgeti(lua, LUA_REGISTRYINDEX, instance->tasks[index].thread);
    lua_State *thread = lua_tothread(lua, -1), *outer = instance->current;
    ScriptState *state = instance->character->state;
    ScriptInstance *outer_instance = state->running; // another instance, if its coroutine started this one
    int count = 0;
    state->running = instance;
    instance->current = thread;
    instance->wait = (ScriptTask){0}; // default: wait for the next tick
    set_wait(instance, &instance->tasks[index], SCRIPT_EVENT_NONE, 0);
    const int status = script_state_resume(thread, lua, argument_count, &count);
    instance->current = outer;
    state->running = outer_instance;
    ScriptTask *task = &instance->tasks[index]; // read again: tasks may have been added
    if (status == LUA_YIELD) {
        const ScriptTask *wait = &instance->wait;
        task->begun = host_of(instance)->time;
        task->wake = task->begun + wait->wake;
        task->tick = host_of(instance)->tick;
        set_wait(instance, task, wait->event, wait->token);
        lua_pop(thread, count);
    } else {
        if (status != LUA_OK) {
            ScriptError error;
            script_error_make(&error, thread, -1);
            script_error_prefix(&error, instance->name, "coroutine");
            script_instance_report(state, instance, &error);
        }
        luaL_unref(lua, LUA_REGISTRYINDEX, task->thread);
        task->thread = LUA_NOREF;
    }
    instance->wait = (ScriptTask){0};
    lua_pop(lua, 1);
}

// Sets the event a task waits for, and counts it in the host's listeners.
static void set_wait(ScriptInstance *instance, ScriptTask *task, int event, uint64_t token) {
    int *listening = host_of(instance)->events.listening;
    if (task->event > SCRIPT_EVENT_NONE && task->event <= SCRIPT_EVENT_KINDS) listening[task->event]--;
    if (event > SCRIPT_EVENT_NONE && event <= SCRIPT_EVENT_KINDS) listening[event]++;
    task->event = event;
    task->token = token;
}

static ScriptHost *host_of(const ScriptInstance *instance) {
    return instance->character->host;
}

static double check_seconds(lua_State *lua, int index) {
    const lua_Number seconds = luaL_checknumber(lua, index);
    if (!(seconds >= 0.0 && seconds <= MAX_WAIT))
        luaL_argerror(lua, index, lua_pushfstring(lua, "expected 0 to 1e6 s, found %f", seconds));
    return seconds;
}

static ScriptTask *check_wait(lua_State *lua, const char *function) {
    if (!script_task_can_wait(lua))
        luaL_error(lua, "tweed.%s works only in a coroutine: self:run(function() ... end)", function);
    return &script_state_of(lua)->running->wait;
}

static int return_result(lua_State *lua, int status, lua_KContext context) {
    (void)status;
    (void)context;
    if (lua_toboolean(lua, -2)) return 1;
    return luaL_error(lua, "%s", lua_tostring(lua, -1));
}

static int resume_waiting(lua_State *lua) {
    const EventResume *event_resume = lua_touserdata(lua, 1);
    ScriptInstance *instance = event_resume->instance;
    const int count = instance->task_count;
    for (int i = 0; i < count; i++) {
        const ScriptTask *task = &instance->tasks[i];
        if (task->thread != LUA_NOREF && task->event == event_resume->event->kind &&
            task->token == event_resume->event->token)
            resume_with_event(lua, instance, i, event_resume->event);
    }
    return 0;
}

static void resume_with_event(lua_State *lua, ScriptInstance *instance, int index, const ScriptEvent *event) {
    const bool answers = event->kind == SCRIPT_EVENT_ANSWER;
    luaL_checkstack(lua, 4, "an event");
    lua_rawgeti(lua, LUA_REGISTRYINDEX, instance->tasks[index].thread);
    lua_State *thread = lua_tothread(lua, -1);
    if (answers) lua_pushboolean(lua, !event->failed);
    script_value_push(lua, &event->value);
    const int count = answers ? 2 : 1;
    if (!lua_checkstack(thread, count)) luaL_error(lua, "out of memory");
    lua_xmove(lua, thread, count);
    lua_pop(lua, 1);
    resume(lua, instance, index, count);
}

static bool is_due(const ScriptTask *task, const ScriptHost *host) {
    return task->thread != LUA_NOREF && task->tick != host->tick && task->wake <= host->time + SAME_TIME;
}

// Resumes each task that was due when the tick began, once.
static int resume_due(lua_State *lua) {
    ScriptInstance *instance = lua_touserdata(lua, 1);
    const int count = instance->task_count;
    for (int i = 0; i < count; i++)
        if (is_due(&instance->tasks[i], host_of(instance))) resume_in_time(lua, instance, i);
    return 0;
}

// tweed.wait returns the time it took; tweed.wait_for returns nothing when its time is over.
static void resume_in_time(lua_State *lua, ScriptInstance *instance, int index) {
    const ScriptTask *task = &instance->tasks[index];
    const bool waits_for = task->event != SCRIPT_EVENT_NONE;
    luaL_checkstack(lua, 1, "a coroutine");
    lua_rawgeti(lua, LUA_REGISTRYINDEX, task->thread);
    lua_State *thread = lua_tothread(lua, -1);
    lua_pop(lua, 1);
    if (!waits_for && !lua_checkstack(thread, 1)) luaL_error(lua, "out of memory");
    if (!waits_for) lua_pushnumber(thread, host_of(instance)->time - task->begun);
    resume(lua, instance, index, waits_for ? 0 : 1);
}
