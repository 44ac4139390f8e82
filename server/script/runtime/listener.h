// tweed.on: functions that are called at events.
#pragma once

#include "host/events.h"
#include "sandbox/state.h"

// tweed.on(event, function)
int script_listener_on(lua_State *lua);
// The event named at index; raises for an unknown name.
int script_listener_check_event(lua_State *lua, int index);

// Calls the listeners of the event. instance: NULL for a scene. A listener that raises is removed and
// reported.
void script_listeners_call(ScriptListeners *listeners, ScriptState *state, struct ScriptInstance *instance,
                           const ScriptEvent *event);
