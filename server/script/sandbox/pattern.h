// Lua's patterns with a matcher that the CPU timer can stop: a short pattern may take exponential time, and
// no hook interrupts Lua's own matcher. Same patterns, same results (Lua 5.4 Reference Manual, 6.4.1).
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#define SCRIPT_MAX_CAPTURES 32

typedef struct ScriptCapture {
    const char *begin;
    ptrdiff_t length; // or one of the two below
} ScriptCapture;

enum { SCRIPT_CAPTURE_OPEN = -1, SCRIPT_CAPTURE_POSITION = -2 };

typedef struct ScriptMatch {
    lua_State *lua;
    const char *text, *text_end;
    const char *pattern_end;
    ScriptCapture captures[SCRIPT_MAX_CAPTURES];
    int capture_count;
    int depth;
    unsigned steps;
} ScriptMatch;

// The end of the match that begins at `at`, with its captures; NULL if there is none. Raises for a malformed
// pattern. Does not return when the script's time is up.
const char *script_pattern_match(ScriptMatch *match, const char *at, const char *pattern);

// string.find, match, gmatch and gsub.
int script_pattern_find(lua_State *lua);
int script_pattern_match_lua(lua_State *lua);
int script_pattern_gmatch(lua_State *lua);
int script_pattern_gsub(lua_State *lua);
