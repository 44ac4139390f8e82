// Coroutines of self:run, and what they wait for.
#pragma once

#include "host/events.h"

#include <lua.h>
#include <stdint.h>

struct ScriptInstance;

// One that has paused goes on at the first tick after, once the time has come or what it waits for has.
typedef struct ScriptTask {
    int thread;     // reference in the registry; LUA_NOREF: it is over
    double begun;   // s: since when it waits
    double wake;    // s: goes on at the first tick that is not before; may be infinite
    uint64_t tick;  // in which it began to wait: it goes on in a later one
    int event;      // that it waits for as well; SCRIPT_EVENT_NONE
    uint64_t token; // of SCRIPT_EVENT_ANSWER
} ScriptTask;

// self:run(function, ...): begins a coroutine, which runs at once until it waits.
int script_task_run(lua_State *lua);
// tweed.wait(seconds) → how long it was
int script_task_wait(lua_State *lua);
// tweed.wait_for(event, seconds)
int script_task_wait_for(lua_State *lua);
// Whether Lua is in a coroutine of self:run, which may wait.
bool script_task_can_wait(lua_State *lua);
// Pauses it until the answer of that token comes: what is returned, and must be, is the calling function's
// own result. The answer is what the script gets, or an error that is raised.
int script_task_wait_for_answer(lua_State *lua, uint64_t token);

// Goes on with those that wait for the event, and after with those whose time has come.
void script_tasks_resume_for_event(struct ScriptInstance *instance, const ScriptEvent *event);
void script_tasks_tick(struct ScriptInstance *instance);
// Lets go of all that Lua holds for them.
void script_tasks_cancel(struct ScriptInstance *instance);
