// The queue of events for scripts: the protocol's events, and results of requests that complete later.
#pragma once

#include "script/host.h"

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

enum { SCRIPT_EVENT_NONE, SCRIPT_EVENT_KINDS = 14, SCRIPT_EVENT_ANSWER };

typedef struct ScriptEvent {
    struct ScriptEvent *next;
    int kind;       // 1 to SCRIPT_EVENT_KINDS: an event; SCRIPT_EVENT_ANSWER
    uint64_t token; // the request that it completes
    bool failed;    // the request failed: the value is the message
    ScriptValue value;
} ScriptEvent;

typedef struct ScriptEvents {
    ScriptEvent *now;          // for this tick's scripts, in order
    ScriptEvent *first, *last; // for the next tick's scripts
    int waiting;               // events for the next tick, without results of requests
    uint64_t lost;             // dropped since the last tick
    int listening[SCRIPT_EVENT_KINDS + 1];
} ScriptEvents;

// A function that is called when an event happens.
typedef struct ScriptListener {
    uint64_t id;
    int event;
    int function; // reference in the registry; LUA_NOREF: removed
} ScriptListener;

// The listeners of one character or scene.
typedef struct ScriptListeners {
    ScriptListener *items; // [count], oldest first
    int count;
    size_t capacity;
} ScriptListeners;

// SCRIPT_EVENT_NONE for an unknown name.
int script_event_kind(const char *name);
// [SCRIPT_EVENT_KINDS], the first one's kind is 1.
extern const char *const script_event_names[];
void script_events_finish(ScriptEvents *events);

// Removes one listener, or all. lua: the Lua state that holds the functions; NULL: it is discarded.
void script_listener_remove(ScriptHost *host, lua_State *lua, ScriptListener *listener);
void script_listeners_finish(ScriptListeners *listeners, ScriptHost *host, lua_State *lua);
