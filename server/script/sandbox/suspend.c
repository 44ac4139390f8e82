// The limits of a script's processor time and memory. A script that exceeds one is suspended: it stops at
// once, its Lua state is discarded, and nothing of it runs until it is reloaded.
#include "host/host.h"
#include "sandbox/state.h"

#include <math.h>
#include <stdio.h>

#define LOADING_SHARE 40 // a script may load for 40 times as long as it may run in a tick: 2 s to 50 ms
#define DEEP          10000

static void stop_for_time(lua_State *lua, lua_Debug *debug);
static uint64_t time_left_ns(ScriptState *state);
static void describe_time(const ScriptState *state, char *buffer, size_t size);
static void count_time(ScriptState *state, uint64_t used_ns);
static uint64_t window_ns(const ScriptState *state);
static double most_window_ns(const ScriptHost *host);
static ScriptState *largest(const ScriptHost *host, size_t (*share)(const ScriptState *state));
static size_t memory_of(const ScriptState *state);
static size_t time_of(const ScriptState *state);
static void suspend_for_all(ScriptState *state, const char *text);
static void stop(ScriptState *state, const char *text);

void script_state_start_time(ScriptState *state) {
    script_cpu_timer_start(state->cpu_timer, state->lua, stop_for_time, state->exit_jump,
                           time_left_ns(state));
}

void script_state_check_time(lua_State *lua) {
    if (script_cpu_timer_expired(script_state_of(lua)->cpu_timer)) stop_for_time(lua, NULL);
}

void script_state_account_time(ScriptState *state) {
    const uint64_t used_ns = script_cpu_timer_stop(state->cpu_timer);
    char text[128] = "";
    state->spent_ns += used_ns;
    if (!state->loading && !state->host->starting) count_time(state, used_ns);
    if (state->stop_error.message) return;
    if (script_cpu_timer_expired(state->cpu_timer)) // at the very end, with the hook set, or Lua was stuck
        describe_time(state, text, sizeof text);
    else if (!state->loading && !state->host->starting &&
             (double)state->window_ns > most_window_ns(state->host))
        snprintf(text, sizeof text, "stopped: more than half of the time of %u ticks", SCRIPT_WINDOW);
    if (!*text) return;
    state->stop_error.message = script_format("%s: %s", state->file, text);
    script_error_prefix(&state->stop_error, state->character ? state->character : state->script,
                        state->callback);
}

void script_state_stop_for_memory(void *context, const char *what) {
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

void script_state_suspend(ScriptState *state) {
    const ScriptCallbacks *callbacks = &state->host->callbacks;
    script_allocator_finish(&state->allocator);
    state->lua = NULL;
    state->running = NULL;
    script_state_reset_time(state); // it takes no more
    if (!state->loading && !state->provisional && callbacks->suspended)
        callbacks->suspended(callbacks->context, state->script, state->character, &state->stop_error);
}

void script_states_limit(ScriptHost *host) {
    char text[160];
    ScriptState *state;
    while (host->bytes > host->total_memory && (state = largest(host, memory_of)) &&
           state->counted_bytes > 0) {
        snprintf(text, sizeof text,
                 "stopped: all scripts together may have %zu MiB, and of these it has the most, %zu MiB",
                 host->total_memory >> 20, state->counted_bytes >> 20);
        suspend_for_all(state, text);
    }
    while ((double)host->window_ns > most_window_ns(host) && (state = largest(host, time_of)) &&
           window_ns(state) > 0) {
        snprintf(
            text, sizeof text,
            "stopped: all scripts together take more than half of the time of %u ticks, and it takes the "
            "most of it",
            SCRIPT_WINDOW);
        suspend_for_all(state, text);
    }
}

void script_state_reset_time(ScriptState *state) {
    state->host->window_ns -= window_ns(state);
    state->window_ns = 0;
}

// The host counts only states in use; one that is loading may belong to another thread.
void script_state_count_bytes(ScriptState *state) {
    if (state->loading) return;
    state->host->bytes += state->allocator.bytes - state->counted_bytes;
    state->counted_bytes = state->allocator.bytes;
}

static void stop_for_time(lua_State *lua, lua_Debug *debug) {
    (void)debug;
    ScriptState *state = script_state_of(lua);
    char text[128];
    describe_time(state, text, sizeof text);
    stop(state, text);
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

static void describe_time(const ScriptState *state, char *buffer, size_t size) {
    const unsigned long long ms = state->host->script_budget_ns / 1000000;
    if (state->loading)
        snprintf(buffer, size, "stopped: loading takes more than %llu ms", LOADING_SHARE * ms);
    else
        snprintf(buffer, size, "stopped: more than %llu ms in one tick", ms);
}

// A script may stay within its budget in each tick and yet take most of the time of many ticks.
static void count_time(ScriptState *state, uint64_t used_ns) {
    ScriptHost *host = state->host;
    const uint64_t most_ns =
        host->script_budget_ns; // what one that was stuck has taken beyond does not recur
    host->spent_ns += used_ns < most_ns ? used_ns : most_ns;
    host->window_ns += used_ns;
    state->window_ns = window_ns(state) + used_ns;
    state->window_interval = host->window_interval;
}

// In the host's window.
static uint64_t window_ns(const ScriptState *state) {
    return state->window_interval == state->host->window_interval ? state->window_ns : 0;
}

static double most_window_ns(const ScriptHost *host) {
    const double slack = (double)host->script_budget_ns / SCRIPT_DEFAULT_BUDGET_NS; // for slow machines
    return host->dt > 0.0 ? SCRIPT_WINDOW * 0.5e9 * host->dt * fmax(1.0, slack) : (double)INFINITY;
}

// The one in use with the largest share. NULL: there is none.
static ScriptState *largest(const ScriptHost *host, size_t (*share)(const ScriptState *state)) {
    ScriptState *found = NULL;
    for (ScriptState *state = host->states; state; state = state->next)
        if (state->lua && !state->loading && !state->exit_jump && (!found || share(state) > share(found)))
            found = state;
    return found;
}

static size_t memory_of(const ScriptState *state) {
    return state->counted_bytes;
}

static size_t time_of(const ScriptState *state) {
    return (size_t)window_ns(state);
}

static void suspend_for_all(ScriptState *state, const char *text) {
    state->stop_error.message = script_format("%s: %s", state->file, text);
    state->character = NULL;
    script_error_prefix(&state->stop_error, state->script, NULL);
    script_state_suspend(state);
    script_state_count_bytes(state);
}

// Jumps back to the entry: Lua's own unwinding would run handlers of the script.
static void stop(ScriptState *state, const char *text) {
    if (!state->exit_jump) return; // during lua_newstate, which handles it
    script_error_make_here(&state->stop_error, script_cpu_timer_running(state->cpu_timer), state->file, text);
    script_error_prefix(&state->stop_error, state->character ? state->character : state->script,
                        state->callback);
    longjmp(*state->exit_jump, 1);
}
