// Errors with whole file names and a traceback.
#include "sandbox/error.h"

#include "data/findings.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/utf8.h>

#define MAX_LINES  10 // of a traceback
#define MAX_LISTED 12 // names in a hint, where none is near
#define MAX_LEVELS 64 // of the stack are searched: each look-up counts from the top

static char *restore_file_name(lua_State *lua, const char *message);
static const char *source_name(const lua_Debug *level);
static char *traceback(lua_State *lua);
static void replace_invalid_utf8(ScriptError *error);

void script_error_make(ScriptError *out_error, lua_State *lua, int message) {
    const int type = lua_type(lua, message);
    if (type == LUA_TSTRING || type == LUA_TNUMBER) // a number is converted: may raise, inside a call
        out_error->message = restore_file_name(lua, lua_tostring(lua, message));
    else
        out_error->message =
            script_format("error(...) was called with a %s instead of a message", lua_typename(lua, type));
    out_error->traceback = traceback(lua);
    replace_invalid_utf8(out_error);
}

void script_error_make_here(ScriptError *out_error, lua_State *lua, const char *file, const char *text) {
    lua_Debug level;
    *out_error = (ScriptError){0};
    for (int i = 0; i < MAX_LEVELS && !out_error->message && lua_getstack(lua, i, &level); i++) {
        lua_getinfo(lua, "Sl", &level);
        if (level.currentline > 0)
            out_error->message = script_format("%s:%d: %s", source_name(&level), level.currentline, text);
    }
    if (!out_error->message) out_error->message = script_format("%s: %s", file, text);
    out_error->traceback = traceback(lua);
    replace_invalid_utf8(out_error);
}

void script_error_prefix(ScriptError *error, const char *owner, const char *callback) {
    if (!callback || !error->message) return;
    char *message = script_format("%s: %s: %s", owner, callback, error->message);
    if (!message) return;
    free(error->message);
    error->message = message;
}

int script_error_raise_unknown(lua_State *lua, const char *kind, const TextNearest *nearest) {
    char hint[128];
    text_nearest_hint(nearest, hint, sizeof hint);
    return luaL_error(lua, "no %s \"%s\"%s", kind, nearest->name, hint);
}

bool script_error_hint(const char *name, const char *const *names, int count, char *buffer, size_t size) {
    const TextNearest nearest = text_nearest_of(name, names, (size_t)count);
    text_nearest_hint(&nearest, buffer, size);
    if (nearest.best || count < 1 || count > MAX_LISTED) return nearest.best != NULL;
    size_t length = (size_t)snprintf(buffer, size, "; there %s", count == 1 ? "is" : "are");
    for (int i = 0; i < count && length < size; i++)
        length += (size_t)snprintf(buffer + length, size - length, "%s %s", i ? "," : "", names[i]);
    return false;
}

// Restores a long file name, which Lua shortens in its messages.
static char *restore_file_name(lua_State *lua, const char *message) {
    lua_Debug level;
    for (int i = 0; i < MAX_LEVELS && lua_getstack(lua, i, &level); i++) {
        lua_getinfo(lua, "S", &level);
        const size_t length = strlen(level.short_src);
        if (level.source[0] == '@' && strncmp(message, level.short_src, length) == 0 &&
            message[length] == ':')
            return script_format("%s%s", source_name(&level), message + length);
    }
    return strdup(message);
}

static const char *source_name(const lua_Debug *level) {
    return level->source[0] == '@' ? level->source + 1 : level->short_src;
}

static char *traceback(lua_State *lua) {
    char text[4096] = "";
    size_t length = 0;
    lua_Debug level;
    for (int i = 0, line_count = 0; i < MAX_LEVELS && line_count < MAX_LINES && lua_getstack(lua, i, &level);
         i++) {
        lua_getinfo(lua, "Sln", &level);
        if (level.currentline <= 0) continue; // C
        const char *in = *level.what == 'm' ? "the file" : level.name ? level.name : "a function";
        const int written = snprintf(text + length, sizeof text - length, "%s%s:%d: in %s",
                                     line_count ? "\n" : "", source_name(&level), level.currentline, in);
        length += (size_t)written;
        if (length >= sizeof text) break;
        line_count++;
    }
    return text[0] ? strdup(text) : NULL;
}

static void replace_invalid_utf8(ScriptError *error) {
    if (error->message) text_utf8_mend(error->message);
    if (error->traceback) text_utf8_mend(error->traceback);
}
