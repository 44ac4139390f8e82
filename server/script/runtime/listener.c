// A listener belongs to the character whose callback created it, and ends with that character.
#include "runtime/listener.h"

#include "data/value_lua.h"
#include "host/host.h"
#include "runtime/instance.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <text/array.h>
#include <text/nearest.h>

#define MAX_LISTENERS 1024 // of one character

typedef struct Call {
    int function;
    const ScriptValue *params;
} Call;

static void push_owner(lua_State *lua, const ScriptState *state);
static int stop(lua_State *lua);
static ScriptListeners *listeners_here(const ScriptState *state);
static ScriptListener *add(lua_State *lua, ScriptListeners *listeners);
static int call(lua_State *lua);
static void drop_ended(ScriptListeners *listeners);

int script_listener_check_event(lua_State *lua, int index) {
    const char *name = luaL_checkstring(lua, index);
    const int event = script_event_kind(name);
    if (event != SCRIPT_EVENT_NONE) return event;
    TextNearest nearest = text_nearest_to(name);
    for (int i = 0; i < SCRIPT_EVENT_KINDS; i++) text_nearest_offer(&nearest, script_event_names[i]);
    return script_error_raise_unknown(lua, "event", &nearest);
}

int script_listener_on(lua_State *lua) {
    ScriptState *state = script_state_of(lua);
    const int event = script_listener_check_event(lua, 1);
    luaL_checktype(lua, 2, LUA_TFUNCTION);
    if (state->findings) return luaL_error(lua, "tweed.on works in callbacks, not while the file is loaded");
    lua_settop(lua, 2);
    const uint64_t id = ++state->host->last_number;
    lua_pushinteger(lua, (lua_Integer)id);
    push_owner(lua, state);
    lua_pushcclosure(lua, stop, 2);
    lua_insert(lua, 2);
    ScriptListeners *listeners = listeners_here(state);
    ScriptListener *listener = add(lua, listeners);
    *listener = (ScriptListener){id, event,
                                 luaL_ref(lua, LUA_REGISTRYINDEX)}; // counted when nothing can raise any more
    listeners->count++;
    state->host->events.listening[event]++;
    return 1;
}

void script_listeners_call(ScriptListeners *listeners, ScriptState *state, ScriptInstance *instance,
                           const ScriptEvent *event) {
    const int count = listeners->count;
    for (int i = 0; i < count && state->lua; i++) {
        const ScriptListener listener = listeners->items[i]; // read again: a listener may add others
        if (listener.event != event->kind || listener.function == LUA_NOREF) continue;
        Call context = {listener.function, &event->value};
        ScriptError error;
        if (script_instance_enter(state, instance, script_event_names[event->kind - 1], call, &context,
                                  &error))
            continue;
        script_listener_remove(state->host, state->lua, &listeners->items[i]);
        script_instance_report(state, instance, &error);
    }
    drop_ended(listeners);
}

// Pushes the `self` that the listeners belong to; nil for a scene's.
static void push_owner(lua_State *lua, const ScriptState *state) {
    if (state->running)
        lua_rawgeti(lua, LUA_REGISTRYINDEX, state->running->self);
    else
        lua_pushnil(lua);
}

// The function that tweed.on returns. Upvalues: the listener's id, and its owner.
static int stop(lua_State *lua) {
    ScriptState *state = script_state_of(lua);
    const uint64_t id = (uint64_t)lua_tointeger(lua, lua_upvalueindex(1));
    ScriptInstance *const *owner = lua_touserdata(lua, lua_upvalueindex(2));
    if (owner && !*owner) return 0; // the character is removed, with its listeners
    ScriptListeners *listeners = owner ? &(*owner)->listeners : &state->listeners;
    for (int i = 0; i < listeners->count; i++)
        if (listeners->items[i].id == id)
            script_listener_remove(state->host, state->lua, &listeners->items[i]);
    return 0;
}

static ScriptListeners *listeners_here(const ScriptState *state) {
    return state->running ? &state->running->listeners : (ScriptListeners *)&state->listeners;
}

static ScriptListener *add(lua_State *lua, ScriptListeners *listeners) {
    if (listeners->count == MAX_LISTENERS)
        luaL_error(lua, "more than %d listeners of one character", MAX_LISTENERS);
    if (!TEXT_ARRAY_GROW(listeners->items, listeners->count, listeners->capacity))
        luaL_error(lua, "out of memory");
    return &listeners->items[listeners->count];
}

static int call(lua_State *lua) {
    const Call *call = lua_touserdata(lua, 1);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, call->function);
    script_value_push(lua, call->params);
    lua_call(lua, 1, 0);
    return 0;
}

static void drop_ended(ScriptListeners *listeners) {
    int count = 0;
    for (int i = 0; i < listeners->count; i++)
        if (listeners->items[i].function != LUA_NOREF) listeners->items[count++] = listeners->items[i];
    listeners->count = count;
}
