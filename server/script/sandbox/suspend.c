// The limits of a script's processor time and memory. A script that exceeds one is suspended: it stops at
// once, its Lua state is discarded, and nothing of it runs until it is reloaded.
#include "host/host.h"
#include "sandbox/state.h"

#include <math.h>
#include <stdio.h>

#define LOADING_SHARE 40 // a script may load for 40 times as long as it may run in a tick: 2 s to 50 ms
#define DEEP          10000
#define WINDOW        60u // ticks of which a script may take half the time

static void stop_for_time(lua_State *lua, lua_Debug *debug);
static uint64_t time_left_ns(ScriptState *state);
static void describe_time(const ScriptState *state, char *buffer, size_t size);
static bool takes_most_time(ScriptState *state, uint64_t used_ns);
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
    if (state->stop_error.message) return;
    if (script_cpu_timer_expired(state->cpu_timer)) // at the very end, with the hook set, or Lua was stuck
        describe_time(state, text, sizeof text);
    else if (!state->loading && !state->host->starting && takes_most_time(state, used_ns))
        snprintf(text, sizeof text, "stopped: more than half of the time of %u ticks", WINDOW);
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
    if (!state->loading && !state->provisional && callbacks->suspended)
        callbacks->suspended(callbacks->context, state->script, state->character, &state->stop_error);
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

// Jumps back to the entry: Lua's own unwinding would run handlers of the script.
static void stop(ScriptState *state, const char *text) {
    if (!state->exit_jump) return; // during lua_newstate, which handles it
    script_error_make_here(&state->stop_error, script_cpu_timer_running(state->cpu_timer), state->file, text);
    script_error_prefix(&state->stop_error, state->character ? state->character : state->script,
                        state->callback);
    longjmp(*state->exit_jump, 1);
}
