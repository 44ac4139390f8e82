// Sends requests to the server by the application's callback, like a client's.
#include "api/world.h"
#include "data/value_lua.h"
#include "host/host.h"
#include "runtime/task.h"
#include "sandbox/state.h"

#include <lauxlib.h>

#define MOST_REQUESTS 64                // of one script in a tick
#define MOST_BYTES    ((size_t)1 << 20) // of their params

static int request(lua_State *lua);
static void read_params(lua_State *lua, int index, ScriptValue *out_params);
static const char *count_request(ScriptState *state, const ScriptValue *params);

const ScriptFunction script_request_functions[] = {
    {"request", request,
     .parameters =
         {{.name = "method",
           .type = "string",
           .help = "The method's name in protocol/openrpc.json, such as \"fabric.set\"."},
          {.name = "params", .type = "table", .optional = true, .help = "The method's parameters."}},
     .results = {{.name = "result", .type = "any"}},
     .help = "Calls a method of the protocol with the same parameters and errors as a client: character.*, "
             "fabric.*, world.*, server.*, simulation.pause, simulation.resume and script.list. Most methods "
             "return at once. Two kinds run after all scripts of this tick: methods that run scripts "
             "(character.spawn, character.remove, character.reset, character.call) and, while this script is "
             "being reloaded, methods that change something. For these a coroutine of self:run waits until "
             "the next tick and gets the result; elsewhere the result is nil. In callbacks only.",
     .example = "tweed.request(\"fabric.set\", { fabric = \"silk\", values = { damping = 2 } })\n"
                "tweed.request(\"world.set\", { wind = { velocity = { 4, 0, 0 } } })"},
    {0},
};

bool script_request_defer(lua_State *lua, const char *method) {
    const ScriptState *state = script_state_of(lua);
    const ScriptCallbacks *callbacks = &state->host->callbacks;
    char message[SCRIPT_REQUEST_MESSAGE_SIZE] = "";
    ScriptValue params, reply = SCRIPT_NULL;
    if (!state->provisional || !callbacks->request) return false;
    read_params(lua, lua_gettop(lua), &params);
    const ScriptRequestStatus status =
        callbacks->request(callbacks->context, method, &params, 0, &reply, message);
    script_value_finish(&params);
    script_value_finish(&reply);
    if (status == SCRIPT_REQUEST_REFUSED) luaL_error(lua, "%s: %s", method, message);
    return true;
}

// tweed.request(method, params) → the result
static int request(lua_State *lua) {
    ScriptState *state = script_state_of(lua);
    const ScriptCallbacks *callbacks = &state->host->callbacks;
    char message[SCRIPT_REQUEST_MESSAGE_SIZE] = "";
    ScriptValue params;
    const char *method = luaL_checkstring(lua, 1);
    if (state->findings)
        return luaL_error(lua, "tweed.request works in callbacks, not while the file is loaded");
    if (!callbacks->request) return luaL_error(lua, "tweed.request: works only in a running server");
    const uint64_t token = script_task_can_wait(lua) ? ++state->host->last_number : 0;
    read_params(lua, 2, &params);
    script_value_finish(&state->reply);
    const char *excess = count_request(state, &params);
    if (excess) {
        script_value_finish(&params);
        return luaL_error(lua, "%s: %s", method, excess);
    }
    const ScriptRequestStatus status =
        callbacks->request(callbacks->context, method, &params, token, &state->reply, message);
    script_value_finish(&params);
    if (status == SCRIPT_REQUEST_REFUSED) return luaL_error(lua, "%s: %s", method, message);
    if (status == SCRIPT_REQUEST_DONE) {
        script_value_push(lua, &state->reply);
        return 1;
    }
    return token ? script_task_wait_for_answer(lua, token) : 0;
}

// NULL, or why it is one too many. What a request changes is told to every client.
static const char *count_request(ScriptState *state, const ScriptValue *params) {
    const ScriptHost *host = state->host;
    if (state->request_interval != host->interval) {
        state->request_interval = host->interval;
        state->requests = 0;
        state->request_bytes = 0;
    }
    state->requests++;
    state->request_bytes += script_value_bytes(params);
    if (host->starting) return NULL; // nobody waits for a tick
    if (state->requests > MOST_REQUESTS) return "a script may send 64 requests in a tick";
    return state->request_bytes > MOST_BYTES ? "the requests of a script may have 1 MiB of params in a tick"
                                             : NULL;
}

static void read_params(lua_State *lua, int index, ScriptValue *out_params) {
    char message[SCRIPT_MESSAGE_SIZE];
    *out_params = script_value_table();
    if (lua_isnoneornil(lua, index)) return;
    luaL_checktype(lua, index, LUA_TTABLE);
    ScriptArena *arena = script_arena_push(lua);
    script_state_check_time(lua);
    const ScriptNode *node = script_node_read(lua, index, false, SCRIPT_MAX_ARGUMENT_NODES, arena);
    if (!script_value_of_node(out_params, node, "params", message)) luaL_error(lua, "%s", message);
}
