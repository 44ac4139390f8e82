// tweed.on: functions that are called when something happens.
#pragma once

#include "host/events.h"
#include "sandbox/state.h"

// tweed.on(event, function)
int script_listener_on(lua_State *lua);
// The event, checked; raises otherwise.
int script_listener_check_event(lua_State *lua, int index);

// Calls those that listen to it. instance: NULL for a scene's. One that raises is over, and told of.
void script_listeners_call(ScriptListeners *listeners, ScriptState *state, struct ScriptInstance *instance,
                           const ScriptEvent *event);
