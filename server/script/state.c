// Making, loading and entering a script's Lua state.
#include "state.h"

#include "host_data.h"
#include "library.h"
#include "source.h"
#include "utf8.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char value_key; // in the registry: what the file returned

static void *allocate(void *context, void *memory, size_t old_size, size_t new_size) {
    ScriptState *state = context;
    if (!memory) old_size = 0; // it then is a type
    if (!new_size) {
        free(memory);
        state->bytes -= old_size;
        state->host->bytes -= old_size;
        return NULL;
    }
    void *grown = realloc(memory, new_size);
    if (!grown) return NULL;
    state->bytes += new_size - old_size;
    state->host->bytes += new_size - old_size;
    return grown;
}

static char *folder_of(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash ? script_format("%.*s", (int)(slash - file), file) : script_copy_text(".");
}

static int open_libraries(lua_State *lua) {
    script_library_open(lua);
    return 0;
}

ScriptState *script_state_create(ScriptHost *host, const char *script, const char *file) {
    ScriptState *state = calloc(1, sizeof *state);
    if (!state) return NULL;
    state->host = host;
    state->script = script_copy_text(script);
    state->file = script_copy_text(file);
    state->folder = folder_of(file);
    state->random = script_random_seeded(host->seed, script);
    state->lua = lua_newstate(allocate, state);
    if (state->lua) *(ScriptState **)lua_getextraspace(state->lua) = state; // threads copy it
    if (state->script && state->file && state->folder && state->lua &&
        script_state_enter(state, open_libraries, NULL, NULL))
        return state;
    script_state_destroy(state);
    return NULL;
}

void script_state_destroy(ScriptState *state) {
    if (!state) return;
    if (state->lua) lua_close(state->lua);
    script_error_finish(&state->raised);
    free(state->script);
    free(state->file);
    free(state->folder);
    free(state);
}

ScriptState *script_state_of(lua_State *lua) {
    return *(ScriptState **)lua_getextraspace(lua);
}

// Entering
// ---------------------------------------------------------------------------------------------------------

// Runs where the error was raised, with the stack still whole.
static int note_error(lua_State *lua) {
    ScriptState *state = script_state_of(lua);
    script_error_finish(&state->raised);
    script_error_make(&state->raised, lua, 1);
    return 1;
}

bool script_state_enter(ScriptState *state, lua_CFunction body, void *context, ScriptError *out_error) {
    lua_State *lua = state->lua;
    const int top = lua_gettop(lua);
    bool done = lua_checkstack(lua, 8);
    if (done) {
        lua_pushcfunction(lua, note_error); // light values: nothing here can raise
        lua_pushcfunction(lua, body);
        lua_pushlightuserdata(lua, context);
        done = lua_pcall(lua, 1, 0, top + 1) == LUA_OK;
        if (!done && !state->raised.message)
            script_error_make(&state->raised, lua, -1); // no handler for memory
        lua_settop(lua, top);
    }
    if (!done && out_error)
        *out_error = state->raised;
    else
        script_error_finish(&state->raised);
    state->raised = (ScriptError){0};
    return done;
}

// Loading
// ----------------------------------------------------------------------------------------------------------

void script_load_chunk(lua_State *lua, const char *file) {
    size_t length = 0;
    char *text = script_read_file(file, &length);
    if (!text) luaL_error(lua, "cannot read %s: %s", file, strerror(errno));
    char name[SCRIPT_PATH_SIZE + 1];
    snprintf(name, sizeof name, "@%s", file);
    const int status = luaL_loadbufferx(lua, text, length, name, "t"); // does not raise
    free(text);
    if (status != LUA_OK) lua_error(lua);
}

typedef struct Loading {
    ScriptArena *arena;
    const ScriptNode *root;
} Loading;

static int load_file(lua_State *lua) {
    Loading *loading = lua_touserdata(lua, 1);
    script_load_chunk(lua, script_state_of(lua)->file);
    lua_call(lua, 0, 1);
    lua_pushvalue(lua, -1);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &value_key);
    loading->root = script_node_read(lua, -1, true, loading->arena);
    return 0;
}

// Each line on a line of its own, set in. NULL for want of memory.
static char *indented(const char *lines) {
    char *text = script_copy_text("");
    while (text && *lines) {
        const size_t length = strcspn(lines, "\n");
        char *longer = script_format("%s\n    %.*s", text, (int)length, lines);
        free(text);
        text = longer;
        lines += length + (lines[length] == '\n');
    }
    return text;
}

// "file:line: message" of Lua's own making, and the calls that led there, as a finding.
static void add_error(ScriptFindings *findings, const ScriptState *state, const ScriptError *error) {
    const char *message = error->message ? error->message : "not enough memory";
    const char *trace = error->traceback ? error->traceback : "";
    const char *colon = strstr(message, ":");
    char *file = script_copy_text(state->file), *rest = NULL;
    int line = 0;
    if (colon) line = (int)strtol(colon + 1, &rest, 10);
    if (line > 0 && rest && strncmp(rest, ": ", 2) == 0) {
        free(file);
        file = script_format("%.*s", (int)(colon - message), message);
        message = rest + 2;
    } else {
        line = 0;
    }
    char *calls = strchr(trace, '\n') ? indented(trace) : NULL; // else it tells no more than the line
    script_findings_add(findings, SCRIPT_SEVERITY_ERROR, file ? file : "?", line, "", "%s%s", message,
                        calls ? calls : "");
    free(calls);
    free(file);
}

const ScriptNode *script_state_load(ScriptState *state, ScriptArena *arena, ScriptSources *sources,
                                    ScriptFindings *findings) {
    Loading loading = {.arena = arena};
    ScriptError error = {0};
    state->findings = findings;
    state->sources = sources;
    if (!script_state_enter(state, load_file, &loading, &error)) {
        add_error(findings, state, &error);
        loading.root = NULL;
    }
    script_error_finish(&error);
    return loading.root;
}

static int let_go(lua_State *lua) {
    lua_pushnil(lua);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &value_key);
    script_library_loaded(lua);
    lua_gc(lua, LUA_GCCOLLECT);
    return 0;
}

void script_state_loaded(ScriptState *state) {
    script_state_enter(state, let_go, NULL, NULL);
    state->findings = NULL;
    state->sources = NULL;
}

// Errors
// -----------------------------------------------------------------------------------------------------------

#define MOST_LINES  10 // of a traceback
#define MOST_LEVELS 64 // that are looked at: each look-up counts from the top, and recursion may be deep

static const char *source_name(const lua_Debug *level) {
    return level->source[0] == '@' ? level->source + 1 : level->short_src;
}

// Lua shortens a long file name in its messages: puts the whole back.
static char *whole_message(lua_State *lua, const char *message) {
    lua_Debug level;
    for (int i = 0; i < MOST_LEVELS && lua_getstack(lua, i, &level); i++) {
        lua_getinfo(lua, "S", &level);
        const size_t length = strlen(level.short_src);
        if (level.source[0] == '@' && strncmp(message, level.short_src, length) == 0 &&
            message[length] == ':')
            return script_format("%s%s", source_name(&level), message + length);
    }
    return script_copy_text(message);
}

static char *traceback(lua_State *lua) {
    char text[4096] = "";
    size_t length = 0;
    lua_Debug level;
    for (int i = 0, told = 0; i < MOST_LEVELS && told < MOST_LINES && lua_getstack(lua, i, &level); i++) {
        lua_getinfo(lua, "Sln", &level);
        if (level.currentline <= 0) continue; // C
        const char *in = *level.what == 'm' ? "the file" : level.name ? level.name : "a function";
        const int written = snprintf(text + length, sizeof text - length, "%s%s:%d: in %s", told ? "\n" : "",
                                     source_name(&level), level.currentline, in);
        length += (size_t)written;
        if (length >= sizeof text) break;
        told++;
    }
    return text[0] ? script_copy_text(text) : NULL;
}

void script_error_make(ScriptError *out_error, lua_State *lua, int message) {
    const int type = lua_type(lua, message);
    if (type == LUA_TSTRING || type == LUA_TNUMBER) // of a number a text is made: may raise, within a call
        out_error->message = whole_message(lua, lua_tostring(lua, message));
    else
        out_error->message =
            script_format("error(...) was called with a %s instead of a message", lua_typename(lua, type));
    out_error->traceback = traceback(lua);
    if (out_error->message) script_utf8_mend(out_error->message);
    if (out_error->traceback) script_utf8_mend(out_error->traceback);
}
