// The queue of events between the server and scripts, and the count of listeners.
#include "host/events.h"

#include "host/host.h"

#include <inttypes.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WAITING 1024 // between two ticks, which may be far apart

const char *const script_event_names[SCRIPT_EVENT_KINDS] = {"character.spawned",  "character.removed",
                                                            "character.moved",    "character.changed",
                                                            "character.unstable", "script.loaded",
                                                            "script.failed",      "script.suspended",
                                                            "fabric.changed",     "world.changed",
                                                            "simulation.paused",  "simulation.resumed",
                                                            "simulation.shed",    "log"};

static void finish_list(ScriptEvent *event);
static bool append(ScriptEvents *events, ScriptEvent wanted);

int script_event_kind(const char *name) {
    for (int i = 0; i < SCRIPT_EVENT_KINDS; i++)
        if (strcmp(script_event_names[i], name) == 0) return i + 1;
    return SCRIPT_EVENT_NONE;
}

void script_events_finish(ScriptEvents *events) {
    finish_list(events->now);
    finish_list(events->first);
    *events = (ScriptEvents){0};
}

bool script_host_has_listeners(const ScriptHost *host, const char *event) {
    return host && (host->running || host->events.listening[script_event_kind(event)] > 0);
}

void script_host_queue_event(ScriptHost *host, const char *event, ScriptValue params) {
    ScriptEvents *events = &host->events;
    if (events->waiting == MAX_WAITING || !script_host_has_listeners(host, event)) {
        events->lost += events->waiting == MAX_WAITING;
        script_value_finish(&params);
    } else if (append(events, (ScriptEvent){.kind = script_event_kind(event), .value = params})) {
        events->waiting++;
    }
}

void script_host_complete_request(ScriptHost *host, uint64_t token, bool done, ScriptValue answer) {
    append(&host->events,
           (ScriptEvent){.kind = SCRIPT_EVENT_ANSWER, .token = token, .failed = !done, .value = answer});
}

void script_host_deliver_events(ScriptHost *host) {
    ScriptEvents *events = &host->events;
    if (!script_host_begin_pass(host)) return;
    finish_list(events->now);
    events->now = events->first;
    events->first = events->last = NULL;
    events->waiting = 0;
    if (!events->lost) return;
    char message[128];
    snprintf(message, sizeof message,
             "%" PRIu64 " events for scripts were dropped: more than %d between two ticks", events->lost,
             MAX_WAITING);
    events->lost = 0;
    if (host->callbacks.log)
        host->callbacks.log(host->callbacks.context, TEXT_LOG_WARNING, "scripts", NULL, message);
}

void script_listener_remove(ScriptHost *host, lua_State *lua, ScriptListener *listener) {
    if (listener->function == LUA_NOREF) return;
    if (lua) luaL_unref(lua, LUA_REGISTRYINDEX, listener->function);
    listener->function = LUA_NOREF;
    host->events.listening[listener->event]--;
}

void script_listeners_finish(ScriptListeners *listeners, ScriptHost *host, lua_State *lua) {
    for (int i = 0; i < listeners->count; i++) script_listener_remove(host, lua, &listeners->items[i]);
    free(listeners->items);
    *listeners = (ScriptListeners){0};
}

static void finish_list(ScriptEvent *event) {
    while (event) {
        ScriptEvent *done = event;
        event = event->next;
        script_value_finish(&done->value);
        free(done);
    }
}

static bool append(ScriptEvents *events, ScriptEvent wanted) {
    ScriptEvent *event = malloc(sizeof *event);
    if (!event) {
        script_value_finish(&wanted.value);
        return false;
    }
    *event = wanted;
    if (events->last)
        events->last->next = event;
    else
        events->first = event;
    events->last = event;
    return true;
}
