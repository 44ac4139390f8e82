// Creates, enters and moves a script's Lua state; suspend.c limits its time and memory.
#include "sandbox/state.h"

#include "host/host.h"
#include "host/lookup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SEARCHED_FILES 1024 // a script may search for any number of missing files

static void link_state(ScriptState *state, ScriptHost *host);
static void unlink_state(ScriptState *state);
static char *folder_of(const char *file);
static bool call(ScriptState *state, lua_CFunction body, void *context);
static int handle_error(lua_State *lua);

ScriptState *script_state_create(ScriptHost *host, const char *script, const char *file) {
    ScriptState *state = calloc(1, sizeof *state);
    if (!state) return NULL;
    state->host = host;
    state->cpu_timer = host->cpu_timer;
    state->loading = true;
    state->import = host->import;
    link_state(state, host);
    state->allocator = (ScriptAllocator){
        .limit = host->script_memory, .exhausted = script_state_stop_for_memory, .context = state};
    state->script = strdup(script);
    state->file = strdup(file);
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
    unlink_state(state);
    script_listeners_finish(&state->listeners, state->host, state->lua);
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

bool script_state_enter(ScriptState *state, lua_CFunction body, void *context, ScriptError *out_error) {
    jmp_buf exit_jump;
    volatile bool done = false;
    const bool was_suspended = !state->lua;
    if (!was_suspended) {
        state->exit_jump = &exit_jump;
        script_state_start_time(state);
        if (setjmp(exit_jump) == 0) done = call(state, body, context);
        state->exit_jump = NULL;
        script_state_account_time(state);
    }
    if (!done && state->stop_error.message) {
        script_error_finish(&state->call_error);
        state->call_error.message = script_format(
            "%s%s", was_suspended ? "suspended until it is reloaded: " : "", state->stop_error.message);
        if (state->stop_error.traceback) state->call_error.traceback = strdup(state->stop_error.traceback);
    }
    if (!done && out_error)
        *out_error = state->call_error;
    else
        script_error_finish(&state->call_error);
    state->call_error = (ScriptError){0};
    if (!was_suspended && state->stop_error.message) script_state_suspend(state);
    script_state_count_bytes(state);
    if (!state->loading) script_states_limit(state->host);
    return done;
}

void script_state_move(ScriptState *state, ScriptHost *host) {
    state->host->bytes -= state->counted_bytes;
    state->counted_bytes = 0;
    unlink_state(state);
    state->host = host;
    state->cpu_timer = host->cpu_timer;
    link_state(state, host);
    script_state_count_bytes(state);
}

void script_state_add_file(ScriptState *state, const char *path) {
    if (state->host->read) script_read_files_add(state->host->read, path);
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

static void link_state(ScriptState *state, ScriptHost *host) {
    state->next = host->states;
    state->previous = &host->states;
    if (state->next) state->next->previous = &state->next;
    host->states = state;
}

static void unlink_state(ScriptState *state) {
    script_state_reset_time(state);
    *state->previous = state->next;
    if (state->next) state->next->previous = state->previous;
}

static char *folder_of(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash ? script_format("%.*s", (int)(slash - file), file) : strdup(".");
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
