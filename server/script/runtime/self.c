// `self`, which stands for an instance in Lua, and entering the script as that instance.
#include "host/host.h"
#include "runtime/instance.h"

#include <lauxlib.h>

ScriptInstance *script_self_check(lua_State *lua, int index) {
    ScriptInstance **instance = luaL_testudata(lua, index, SCRIPT_SELF_TYPE);
    if (!instance) luaL_error(lua, "expected self as the first argument: write self:method(...)");
    if (!*instance) luaL_error(lua, "this character is gone, or was reset: its self is no longer valid");
    return *instance;
}

void script_self_push(lua_State *lua, ScriptInstance *instance) {
    ScriptInstance **self = lua_newuserdatauv(lua, sizeof *self, 1);
    *self = NULL;
    lua_newtable(lua);
    lua_setiuservalue(lua, -2, 1);
    luaL_setmetatable(lua, SCRIPT_SELF_TYPE);
    *self = instance;
}

void script_self_point(lua_State *lua, int reference, ScriptInstance *instance) {
    if (reference == LUA_NOREF || !lua_checkstack(lua, 2)) return;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, reference);
    ScriptInstance **self = lua_touserdata(lua, -1);
    if (self) *self = instance;
    lua_pop(lua, 1);
}

void script_self_invalidate(lua_State *lua, int reference) {
    script_self_point(lua, reference, NULL);
    if (lua_checkstack(lua, 2)) luaL_unref(lua, LUA_REGISTRYINDEX, reference);
}

bool script_instance_enter(ScriptState *state, ScriptInstance *instance, const char *callback,
                           lua_CFunction body, void *context, ScriptError *out_error) {
    ScriptInstance *outer = state->running;
    state->running = instance;
    state->character = instance ? instance->name : NULL;
    state->callback = callback;
    state->host->running = true;
    const bool done = script_state_enter(state, body, context, out_error);
    state->host->running = false;
    state->character = state->callback = NULL;
    state->running = outer;
    if (!done && state->lua)
        script_error_prefix(out_error, instance ? instance->name : state->script, callback);
    return done;
}

void script_instance_report(ScriptState *state, const ScriptInstance *instance, ScriptError *error) {
    const ScriptCallbacks *callbacks = &state->host->callbacks;
    if (callbacks->failed && state->lua) // a suspension is reported already
        callbacks->failed(callbacks->context, state->script, instance ? instance->name : NULL, error);
    script_error_finish(error);
}
