// The functions that listen to events.
#pragma once

#include <stdint.h>

typedef struct ScriptListener {
    uint64_t id;
    int event;
    int function; // reference in the registry; LUA_NOREF: it is over
} ScriptListener;

// Of one character, or of a scene.
typedef struct ScriptListeners {
    ScriptListener *items; // [count], oldest first
    int count, capacity;
} ScriptListeners;

struct ScriptState;

// Lets go of all that Lua holds for one, or for them.
void script_listener_remove(struct ScriptState *state, ScriptListener *listener);
void script_listeners_finish(ScriptListeners *listeners, struct ScriptState *state);
