// An instance: the state of a script for one character.
#pragma once

#include "runtime/task.h"
#include "sandbox/state.h"
#include "script/character.h"

#include <lua.h>

struct ScriptInstance {
    ScriptCharacter *character;
    SimCharacterId id;
    char name[TEXT_NAME_BYTES + 1];
    ScriptParams *params;
    uint64_t pass; // of the host's, in which it ran last
    ScriptRandom random;
    int self;          // reference of the userdata, LUA_NOREF before it exists
    bool ticks;        // on_tick is to be called
    ScriptTask *tasks; // [task_count], oldest first
    int task_count;
    size_t task_capacity;
    lua_State *current; // the coroutine of a task that runs, NULL for none
    ScriptTask wait;    // the event or time that the task begins to wait for; wake: seconds from now
    ScriptListeners listeners;
};

// Enters the script for this instance; NULL: for none. callback: named in errors, "on_tick".
bool script_instance_enter(ScriptState *state, ScriptInstance *instance, const char *callback,
                           lua_CFunction body, void *context, ScriptError *out_error);
// Reports the error of a callback or coroutine to the application, and frees it.
void script_instance_report(ScriptState *state, const ScriptInstance *instance, ScriptError *error);

#define SCRIPT_SELF_TYPE "tweed.self" // the metatable of `self`

// Pushes a new `self` of the instance.
void script_self_push(lua_State *lua, ScriptInstance *instance);
// Makes a `self` stand for that instance; NULL: its methods raise. Does not raise.
void script_self_point(lua_State *lua, int reference, ScriptInstance *instance);
// Makes a `self` stand for no instance for good, and frees the reference. Does not raise.
void script_self_invalidate(lua_State *lua, int reference);
// The instance of `self` at index; raises if it is no `self` or its character has been removed.
ScriptInstance *script_self_check(lua_State *lua, int index);
