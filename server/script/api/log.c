// tweed.log and print, with a limit of lines per second.
#include "api/world.h"
#include "host/host.h"
#include "runtime/instance.h"
#include "sandbox/library.h"
#include "sandbox/state.h"
#include "schema/function.h"

#include <lauxlib.h>
#include <string.h>
#include <text/log_level.h>
#include <text/utf8.h>

#define MAX_LINES          50   // a second of simulation, and while a script is loaded
#define MAX_LINE           2000 // bytes
#define SECONDS_OF_LOADING UINT64_MAX

static void log_text(lua_State *lua, TextLogLevel level);
static bool may_log(ScriptState *state);
static void write_log(const ScriptState *state, TextLogLevel level, const char *text);

int script_log_write(lua_State *lua) {
    const int level = script_check_choice(lua, 1, NULL, text_log_level_names);
    script_state_check_time(lua);
    script_value_text_push(lua, 2);
    log_text(lua, (TextLogLevel)level);
    return 0;
}

int script_log_print(lua_State *lua) {
    luaL_Buffer buffer;
    const int count = lua_gettop(lua);
    luaL_buffinit(lua, &buffer);
    for (int i = 1; i <= count; i++) {
        script_state_check_time(lua); // a __tostring may be a function in C
        if (i > 1) luaL_addchar(&buffer, '\t');
        script_value_text_push(lua, i);
        luaL_addvalue(&buffer);
    }
    luaL_pushresult(&buffer);
    log_text(lua, TEXT_LOG_INFO);
    return 0;
}

// The text at the top.
static void log_text(lua_State *lua, TextLogLevel level) {
    ScriptState *state = script_state_of(lua);
    char line[MAX_LINE + 1];
    size_t length;
    const char *text = lua_tolstring(lua, -1, &length);
    if (!may_log(state)) return;
    if (length > MAX_LINE) length = MAX_LINE;
    memcpy(line, text, length);
    line[length] = '\0';
    text_utf8_mend(line);
    write_log(state, level, line);
}

// Whether the script may log one more line now.
static bool may_log(ScriptState *state) {
    ScriptLogQuota *quota = &state->log;
    const uint64_t second = state->loading ? SECONDS_OF_LOADING : state->host->second;
    if (second != quota->second) *quota = (ScriptLogQuota){.second = second};
    if (quota->lines++ < MAX_LINES) return true;
    if (quota->lines == MAX_LINES + 1)
        write_log(state, TEXT_LOG_WARNING, "more than 50 lines in a second: the rest is left out");
    return false;
}

static void write_log(const ScriptState *state, TextLogLevel level, const char *text) {
    const ScriptCallbacks *callbacks = &state->host->callbacks;
    if (callbacks->log)
        callbacks->log(callbacks->context, level, state->host->checking ? state->file : state->script,
                       state->running ? state->running->name : NULL, text);
}
