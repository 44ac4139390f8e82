// Creates, enters and stops a script's Lua state.
#include "sandbox/state.h"

#include "host/host.h"
#include "host/lookup.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOADING_SHARE      40 // a script may load for 40 times as long as it may run in a tick: 2 s to 50 ms
#define DEEP               10000
#define WINDOW             60u  // ticks of which a script may take half the time
#define MAX_SEARCHED_FILES 1024 // a script may ask for any number of files that are not there

static void stop_for_memory(void *context, const char *what);
static void stop(ScriptState *state, const char *text);
static char *folder_of(const char *file);
static void stop_for_time(lua_State *lua, lua_Debug *debug);
static void describe_time(const ScriptState *state, char *buffer, size_t size);
static uint64_t time_left_ns(ScriptState *state);
static bool call(ScriptState *state, lua_CFunction body, void *context);
static int handle_error(lua_State *lua);
static void account_call(ScriptState *state);
static bool takes_most_time(ScriptState *state, uint64_t used_ns);
static void discard_lua(ScriptState *state);

ScriptState *script_state_create(ScriptHost *host, const char *script, const char *file) {
    ScriptState *state = calloc(1, sizeof *state);
    if (!state) return NULL;
    state->host = host;
    state->cpu_timer = host->cpu_timer;
    state->loading = true;
    state->allocator =
        (ScriptAllocator){.limit = host->script_memory, .exhausted = stop_for_memory, .context = state};
    state->script = script_copy_text(script);
    state->file = script_copy_text(file);
    state->folder = folder_of(file);
    state->random = script_random_seeded(host->seed, script);
    state->lua = lua_newstate(script_allocator_realloc, &state->allocator);
    if (state->lua) *(ScriptState **)lua_getextraspace(state->lua) = state; // copied to each thread
    if (state->script && state->file && state->folder && state->lua) return state;
    script_state_destroy(state);
    return NULL;
}

void script_state_destroy(ScriptState *state) {
    if (!state) return;
    script_listeners_finish(&state->listeners, state);
    script_value_finish(&state->reply);
    script_allocator_finish(&state->allocator);
    script_state_count_bytes(state);
    script_error_finish(&state->call_error);
    script_error_finish(&state->stop_error);
    script_string_list_finish(&state->files);
    free(state->script);
    free(state->file);
    free(state->folder);
    free(state);
}

ScriptState *script_state_of(lua_State *lua) {
    return *(ScriptState **)lua_getextraspace(lua);
}

bool script_state_enter(ScriptState *state, lua_CFunction body, void *context, ScriptError *out_error) {
    jmp_buf exit_jump;
    volatile bool done = false;
    const bool was_stopped = !state->lua;
    if (!was_stopped) {
        state->exit_jump = &exit_jump;
        script_cpu_timer_start(state->cpu_timer, state->lua, stop_for_time, time_left_ns(state));
        if (setjmp(exit_jump) == 0) done = call(state, body, context);
        state->exit_jump = NULL;
        account_call(state);
    }
    if (!done && state->stop_error.message) {
        script_error_finish(&state->call_error);
        state->call_error.message = script_format(
            "%s%s", was_stopped ? "suspended until it is reloaded: " : "", state->stop_error.message);
        if (state->stop_error.traceback)
            state->call_error.traceback = script_copy_text(state->stop_error.traceback);
    }
    if (!done && out_error)
        *out_error = state->call_error;
    else
        script_error_finish(&state->call_error);
    state->call_error = (ScriptError){0};
    if (!was_stopped && state->stop_error.message) discard_lua(state);
    script_state_count_bytes(state);
    return done;
}

// The host counts only states in use; one that is loading may belong to another thread.
void script_state_count_bytes(ScriptState *state) {
    if (state->loading) return;
    state->host->bytes += state->allocator.bytes - state->counted_bytes;
    state->counted_bytes = state->allocator.bytes;
}

void script_state_move(ScriptState *state, ScriptHost *host) {
    state->host->bytes -= state->counted_bytes;
    state->counted_bytes = 0;
    state->host = host;
    state->cpu_timer = host->cpu_timer;
    state->window_interval = host->interval;
    script_state_count_bytes(state);
}

void script_state_add_file(ScriptState *state, const char *path) {
    script_string_list_add_new(&state->files, path);
}

bool script_state_add_searched_file(ScriptState *state, const char *folder, const char *name) {
    char path[SCRIPT_PATH_SIZE], real[SCRIPT_PATH_SIZE];
    const bool here = strcmp(folder, ".") == 0;
    const int length = snprintf(path, sizeof path, "%s%s%s", here ? "" : folder, here ? "" : "/", name);
    if (length >= SCRIPT_PATH_SIZE || strstr(name, "..")) return false;
    if (state->files.count < MAX_SEARCHED_FILES) script_state_add_file(state, path);
    return script_display_path(state->host, path, real);
}

int script_state_resume(lua_State *thread, lua_State *from, int argument_count, int *out_result_count) {
    ScriptCpuTimer *cpu_timer = script_state_of(from)->cpu_timer;
    script_state_check_time(from);
    script_cpu_timer_switch(cpu_timer, thread);
    const int status = lua_resume(thread, from, argument_count, out_result_count);
    script_cpu_timer_switch(cpu_timer, from);
    return status;
}

void script_state_check_time(lua_State *lua) {
    if (script_cpu_timer_expired(script_state_of(lua)->cpu_timer)) stop_for_time(lua, NULL);
}

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

static void stop_for_memory(void *context, const char *what) {
    ScriptState *state = context;
    lua_Debug level;
    char text[128];
    if (state->exit_jump && lua_getstack(script_cpu_timer_running(state->cpu_timer), DEEP, &level))
        snprintf(text, sizeof text, "stopped: calls nested deeper than %d use up its memory", DEEP);
    else
        snprintf(text, sizeof text, "stopped: %s; a script may have %zu MiB", what,
                 state->allocator.limit >> 20);
    stop(state, text);
}

// Jumps back to the entry, out of whatever runs: Lua's own unwinding would run handlers of the script.
static void stop(ScriptState *state, const char *text) {
    if (!state->exit_jump) return; // during lua_newstate, which handles it
    script_error_make_here(&state->stop_error, script_cpu_timer_running(state->cpu_timer), text);
    longjmp(*state->exit_jump, 1);
}

static char *folder_of(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash ? script_format("%.*s", (int)(slash - file), file) : script_copy_text(".");
}

static void stop_for_time(lua_State *lua, lua_Debug *debug) {
    (void)debug;
    ScriptState *state = script_state_of(lua);
    char text[128];
    describe_time(state, text, sizeof text);
    stop(state, text);
}

static void describe_time(const ScriptState *state, char *buffer, size_t size) {
    const unsigned long long ms = state->host->script_budget_ns / 1000000;
    if (state->loading)
        snprintf(buffer, size, "stopped: loading takes more than %llu ms", LOADING_SHARE * ms);
    else
        snprintf(buffer, size, "stopped: more than %llu ms in one tick", ms);
}

// All calls in a tick share one budget; while the simulation is paused, all calls in an equal period.
static uint64_t time_left_ns(ScriptState *state) {
    const ScriptHost *host = state->host;
    uint64_t budget_ns = host->script_budget_ns;
    if (state->loading || host->starting) budget_ns *= LOADING_SHARE; // no tick waits for them
    if (!state->loading && state->spent_interval != host->interval) {
        state->spent_interval = host->interval;
        state->spent_ns = 0;
    }
    return budget_ns > state->spent_ns ? budget_ns - state->spent_ns : 0;
}

static bool call(ScriptState *state, lua_CFunction body, void *context) {
    lua_State *lua = state->lua;
    const int top = lua_gettop(lua);
    if (!lua_checkstack(lua, 8)) return false;
    lua_pushcfunction(lua, handle_error); // light values: nothing here can raise
    lua_pushcfunction(lua, body);
    lua_pushlightuserdata(lua, context);
    const bool done = lua_pcall(lua, 1, 0, top + 1) == LUA_OK;
    if (!done && !state->call_error.message)
        script_error_make(&state->call_error, lua, -1); // the handler failed
    lua_settop(lua, top);
    return done;
}

// The message handler: runs with the stack of the error.
static int handle_error(lua_State *lua) {
    ScriptState *state = script_state_of(lua);
    script_error_finish(&state->call_error);
    script_error_make(&state->call_error, lua, 1);
    return 1;
}

// Books the time of a call, and stops the script if it has used too much.
static void account_call(ScriptState *state) {
    const uint64_t used_ns = script_cpu_timer_stop(state->cpu_timer);
    char text[128] = "";
    state->spent_ns += used_ns;
    if (state->stop_error.message) return;
    if (script_cpu_timer_expired(state->cpu_timer)) // expired at the very end, with the hook set
        describe_time(state, text, sizeof text);
    else if (!state->loading && !state->host->starting && takes_most_time(state, used_ns))
        snprintf(text, sizeof text, "stopped: more than half of the time of %u ticks", WINDOW);
    if (*text) state->stop_error.message = script_format("%s: %s", state->file, text);
}

// Whether the script stays within its budget in each tick but takes most of the time of many ticks.
static bool takes_most_time(ScriptState *state, uint64_t used_ns) {
    const ScriptHost *host = state->host;
    if (host->interval >= state->window_interval + WINDOW) {
        state->window_interval = host->interval;
        state->window_ns = 0;
    }
    state->window_ns += used_ns;
    const double slack = (double)host->script_budget_ns / SCRIPT_DEFAULT_BUDGET_NS; // for slow machines
    return host->dt > 0.0 && (double)state->window_ns > WINDOW * 0.5e9 * host->dt * fmax(1.0, slack);
}

static void discard_lua(ScriptState *state) {
    const ScriptCallbacks *callbacks = &state->host->callbacks;
    script_allocator_finish(&state->allocator);
    state->lua = NULL;
    state->running = NULL;
    if (!state->loading && !state->provisional && callbacks->suspended)
        callbacks->suspended(callbacks->context, state->script, &state->stop_error);
}
