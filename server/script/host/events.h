// What happens, on its way to scripts: the protocol's events, and answers to requests that had to wait.
#pragma once

#include "script/value.h"

#include <stdbool.h>
#include <stdint.h>

enum { SCRIPT_EVENT_NONE, SCRIPT_EVENT_KINDS = 12, SCRIPT_EVENT_ANSWER };

typedef struct ScriptEvent {
    struct ScriptEvent *next;
    int kind;       // 1 to SCRIPT_EVENT_KINDS: an event; SCRIPT_EVENT_ANSWER
    uint64_t token; // of the request that it answers
    bool failed;    // the answer is an error: its value is the message
    ScriptValue value;
} ScriptEvent;

typedef struct ScriptEvents {
    ScriptEvent *now;          // that this tick's scripts get, in order
    ScriptEvent *first, *last; // that the next tick's will
    int waiting;               // of these, without answers
    uint64_t lost;             // since the last tick, there being too many
    int listening[SCRIPT_EVENT_KINDS + 1];
} ScriptEvents;

// A function that is called when an event happens.
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

// SCRIPT_EVENT_NONE for an unknown name.
int script_event_kind(const char *name);
// [SCRIPT_EVENT_KINDS], the first one's kind is 1.
extern const char *const script_event_names[];
void script_events_finish(ScriptEvents *events);
