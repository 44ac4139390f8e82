// The end of listeners.
#include "sandbox/listener_list.h"

#include "host/host.h"
#include "sandbox/state.h"

#include <lauxlib.h>
#include <stdlib.h>

void script_listener_remove(ScriptState *state, ScriptListener *listener) {
    if (listener->function == LUA_NOREF) return;
    if (state->lua) luaL_unref(state->lua, LUA_REGISTRYINDEX, listener->function);
    listener->function = LUA_NOREF;
    state->host->events.listening[listener->event]--;
}

void script_listeners_finish(ScriptListeners *listeners, ScriptState *state) {
    for (int i = 0; i < listeners->count; i++) script_listener_remove(state, &listeners->items[i]);
    free(listeners->items);
    *listeners = (ScriptListeners){0};
}
