// What an instance consists of.
#pragma once

#include "data/random.h"
#include "runtime/character_data.h"
#include "runtime/task.h"
#include "script/character.h"

#include <lua.h>

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
    ScriptTask wait;    // what it is about to wait for; wake: from now on
    ScriptListeners listeners;
};

// Enters the script as this instance; NULL: as none.
bool script_instance_enter(ScriptState *state, ScriptInstance *instance, lua_CFunction body, void *context,
                           ScriptError *out_error);
// Tells the application of what a callback or coroutine raised; empties error.
void script_instance_report(ScriptState *state, const ScriptInstance *instance, ScriptError *error);
