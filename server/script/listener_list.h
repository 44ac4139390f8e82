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
