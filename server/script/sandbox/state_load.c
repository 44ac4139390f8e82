// Loads a script's file into its state.
#include "data/allocator.h"
#include "data/lexer.h"
#include "sandbox/state.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char value_key; // in the registry: what the file returned

typedef struct OwnedText {
    ScriptResource resource;
    char *text;
} OwnedText;

typedef struct Loading {
    ScriptArena *arena;
    const ScriptNode *root;
} Loading;

static const char *reason_of(int error);
static void finish_text(ScriptResource *resource);
static int load_file(lua_State *lua);
static int release_value(lua_State *lua);
static int line_in_file(const char *trace, const char *file);
static char *indented(const char *lines);

void script_load_chunk(lua_State *lua, const char *file) {
    size_t length = 0;
    OwnedText *owned = script_resource_push(lua, sizeof *owned, 0, "tweed.text", finish_text);
    script_state_add_file(script_state_of(lua), file);
    owned->text = script_read_file(file, &length);
    if (!owned->text) luaL_error(lua, "cannot read %s: %s", file, reason_of(errno));
    char name[SCRIPT_PATH_SIZE + 1];
    snprintf(name, sizeof name, "@%s", file);
    const int status = luaL_loadbufferx(lua, owned->text, length, name, "t"); // does not raise
    script_resource_finish(&owned->resource);
    lua_remove(lua, -2);
    if (status != LUA_OK) lua_error(lua);
}

const ScriptNode *script_state_load(ScriptState *state, ScriptArena *arena, ScriptSources *sources,
                                    ScriptFindings *findings) {
    Loading loading = {.arena = arena};
    ScriptError error = {0};
    state->findings = findings;
    state->sources = sources;
    if (!script_state_enter(state, load_file, &loading, &error)) {
        script_state_add_error(findings, state->file, "", &error);
        loading.root = NULL;
    }
    script_error_finish(&error);
    return loading.root;
}

void script_state_loaded(ScriptState *state) {
    script_state_enter(state, release_value, NULL, NULL);
    state->findings = NULL;
    state->sources = NULL;
    state->loading = false;
    state->spent_ns = 0;
    state->spent_interval = 0;
    script_state_count_bytes(state);
}

void script_state_add_error(ScriptFindings *findings, const char *own_file, const char *path,
                            const ScriptError *error) {
    const char *message = error->message ? error->message : "out of memory";
    const char *trace = error->traceback ? error->traceback : "";
    const char *colon = strstr(message, ":");
    char *file = strdup(own_file), *rest = NULL;
    int line = 0;
    if (colon) line = (int)strtol(colon + 1, &rest, 10);
    if (line > 0 && rest && strncmp(rest, ": ", 2) == 0) {
        free(file);
        file = script_format("%.*s", (int)(colon - message), message);
        message = rest + 2;
    } else {
        line = line_in_file(trace, own_file); // assert, and error with level 0, give no line
    }
    char *calls = strchr(trace, '\n') ? indented(trace) : NULL; // otherwise it has only the line
    script_findings_add(findings, SCRIPT_SEVERITY_ERROR, file ? file : "?", line, path, "%s%s", message,
                        calls ? calls : "");
    free(calls);
    free(file);
}

static const char *reason_of(int error) {
    if (error == EFBIG) return "expected at most 1 MiB, found more";
    if (error == EINVAL) return "expected a file, found a pipe or device";
    return strerror(error);
}

static void finish_text(ScriptResource *resource) {
    free(((OwnedText *)(void *)resource)->text);
}

static int load_file(lua_State *lua) {
    Loading *loading = lua_touserdata(lua, 1);
    script_load_chunk(lua, script_state_of(lua)->file);
    lua_call(lua, 0, 1);
    lua_pushvalue(lua, -1);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &value_key);
    script_state_check_time(lua);
    loading->root = script_node_read(lua, -1, true, SCRIPT_MAX_DEFINITION_NODES, loading->arena);
    return 0;
}

static int release_value(lua_State *lua) {
    lua_pushnil(lua);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &value_key);
    lua_gc(lua, LUA_GCCOLLECT);
    return 0;
}

// The innermost line of the traceback in the script's own file; 0 if there is none.
static int line_in_file(const char *trace, const char *file) {
    const size_t length = strlen(file);
    for (const char *line = trace; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, file, length) == 0 && line[length] == ':')
            return (int)strtol(line + length + 1, NULL, 10);
    }
    return 0;
}

// Indents each line. Returns NULL when memory runs out.
static char *indented(const char *lines) {
    char *text = strdup("");
    while (text && *lines) {
        const size_t length = strcspn(lines, "\n");
        char *longer = script_format("%s\n    %.*s", text, (int)length, lines);
        free(text);
        text = longer;
        lines += length + (lines[length] == '\n');
    }
    return text;
}
