// Coroutines of self:run, and the events and times that resume them.
#pragma once

#include "host/events.h"

#include <lua.h>
#include <stdint.h>

struct ScriptInstance;

// A paused coroutine resumes at the first tick at which its time has come or its event has happened.
typedef struct ScriptTask {
    int thread;     // reference in the registry; LUA_NOREF: removed
    double begun;   // s: the time at which it began to wait
    double wake;    // s: resumes at the first tick at or after this time; may be infinite
    uint64_t tick;  // the tick in which it began to wait; it resumes in a later one
    int event;      // the event that resumes it, too; or SCRIPT_EVENT_NONE
    uint64_t token; // the request, for SCRIPT_EVENT_ANSWER
} ScriptTask;

// self:run(function, ...): starts a coroutine, which runs at once until it waits.
int script_task_run(lua_State *lua);
// tweed.wait(seconds) → the seconds that it took
int script_task_wait(lua_State *lua);
// tweed.wait_for(event, seconds)
int script_task_wait_for(lua_State *lua);
// Whether Lua runs in a coroutine of self:run, which can wait.
bool script_task_can_wait(lua_State *lua);
// Pauses the coroutine until the result with that token arrives. The caller must return the return value. The
// script gets the result, or the error is raised.
int script_task_wait_for_answer(lua_State *lua, uint64_t token);

// Resumes the tasks that wait for an event, and the tasks whose time has come.
void script_tasks_resume_for_event(struct ScriptInstance *instance, const ScriptEvent *event);
void script_tasks_tick(struct ScriptInstance *instance);
// The time of the simulation jumps by so many seconds: what the tasks wait for, too.
void script_tasks_shift(struct ScriptInstance *instance, double seconds);
// Cancels all tasks of the instance.
void script_tasks_cancel(struct ScriptInstance *instance);
