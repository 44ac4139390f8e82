// What an instance consists of.
#pragma once

#include "character_data.h"
#include "random.h"
#include "script/character.h"

#include <lua.h>

// A coroutine of self:run.
typedef struct ScriptTask {
    int thread;    // reference in the registry; LUA_NOREF: it is over
    double wake;   // s: goes on at the first tick that is not before
    uint64_t tick; // in which it began to wait: it goes on in a later one
} ScriptTask;

struct ScriptInstance {
    ScriptCharacter *character;
    SimCharacterId id;
    char name[65];
    ScriptValue params;
    ScriptRandom random;
    int self;          // reference of the userdata, LUA_NOREF before
    bool ticks;        // on_tick is to be called
    ScriptTask *tasks; // [task_count], oldest first
    int task_count, task_capacity;
    lua_State *current; // the coroutine of a task that runs, NULL for none
};

// self:run(function, ...): begins a coroutine, which runs at once until it waits.
int script_instance_run(lua_State *lua);
// tweed.wait(seconds)
int script_instance_wait(lua_State *lua);
