// string.find, match, gmatch and gsub over the matcher that can be stopped.
#include "sandbox/pattern.h"
#include "sandbox/state.h"

#include <ctype.h>
#include <lauxlib.h>
#include <string.h>

static int find(lua_State *lua, bool positions);
static ScriptMatch begin(lua_State *lua, int text, int pattern);
static const char *start_at(lua_State *lua, const ScriptMatch *match, int index);
static bool has_specials(const ScriptMatch *match, const char *pattern);
static const char *find_plain(const ScriptMatch *match, const char *at, const char *wanted);
static int push_captures(ScriptMatch *match, const char *begin, const char *end, bool whole);
static void push_capture(ScriptMatch *match, int index, const char *begin, const char *end);
static int next_match(lua_State *lua);
static void add_text(ScriptMatch *match, luaL_Buffer *buffer, const char *begin, const char *end);
static void add_value(ScriptMatch *match, luaL_Buffer *buffer, const char *begin, const char *end);

int script_pattern_find(lua_State *lua) {
    return find(lua, true);
}

int script_pattern_match_lua(lua_State *lua) {
    return find(lua, false);
}

int script_pattern_gmatch(lua_State *lua) {
    const ScriptMatch match = begin(lua, 1, 2);
    const char *at = start_at(lua, &match, 3);
    lua_settop(lua, 2);
    lua_pushinteger(lua, at ? at - match.text : match.text_end - match.text + 1);
    lua_pushinteger(lua, -1);
    lua_pushcclosure(lua, next_match, 4);
    return 1;
}

int script_pattern_gsub(lua_State *lua) {
    ScriptMatch match = begin(lua, 1, 2);
    const char *at = match.text, *pattern = lua_tostring(lua, 2), *last = NULL;
    const int type = lua_type(lua, 3);
    const bool is_text = type == LUA_TSTRING || type == LUA_TNUMBER;
    luaL_argexpected(lua, is_text || type == LUA_TTABLE || type == LUA_TFUNCTION, 3, "string/function/table");
    const lua_Integer most = luaL_optinteger(lua, 4, match.text_end - match.text + 1);
    const bool anchored = pattern < match.pattern_end && *pattern == '^';
    lua_Integer count = 0;
    luaL_Buffer buffer;
    if (is_text) lua_tostring(lua, 3); // of a number, in its place
    luaL_buffinit(lua, &buffer);
    while (count < most) {
        const char *end = script_pattern_match(&match, at, pattern + anchored);
        if (end && end != last) {
            count++;
            (is_text ? add_text : add_value)(&match, &buffer, at, end);
            at = last = end;
        } else if (at < match.text_end) {
            luaL_addchar(&buffer, *at++);
        } else {
            break;
        }
        if (anchored) break;
    }
    luaL_addlstring(&buffer, at, (size_t)(match.text_end - at));
    luaL_pushresult(&buffer);
    lua_pushinteger(lua, count);
    return 2;
}

static int find(lua_State *lua, bool positions) {
    ScriptMatch match = begin(lua, 1, 2);
    const char *at = start_at(lua, &match, 3), *pattern = lua_tostring(lua, 2), *end = NULL;
    const bool plain = positions && (lua_toboolean(lua, 4) || !has_specials(&match, pattern));
    if (at && plain) {
        at = find_plain(&match, at, pattern);
        end = at ? at + (match.pattern_end - pattern) : NULL;
    } else if (at) {
        const bool anchored = pattern < match.pattern_end && *pattern == '^';
        end = script_pattern_match(&match, at, pattern + anchored);
        while (!end && !anchored && at < match.text_end) end = script_pattern_match(&match, ++at, pattern);
    }
    if (!end) {
        lua_pushnil(lua);
        return 1;
    }
    if (!positions) return push_captures(&match, at, end, true);
    lua_pushinteger(lua, at - match.text + 1);
    lua_pushinteger(lua, end - match.text);
    return 2 + push_captures(&match, at, end, false);
}

static ScriptMatch begin(lua_State *lua, int text, int pattern) {
    size_t length, pattern_length;
    ScriptMatch match = {.lua = lua};
    match.text = luaL_checklstring(lua, text, &length);
    match.text_end = match.text + length;
    match.pattern_end = luaL_checklstring(lua, pattern, &pattern_length);
    match.pattern_end += pattern_length;
    script_state_check_time(lua);
    return match;
}

// The start of the search: a position from 1, negative from the end. NULL behind the end.
static const char *start_at(lua_State *lua, const ScriptMatch *match, int index) {
    const lua_Integer length = match->text_end - match->text;
    lua_Integer start = luaL_optinteger(lua, index, 1);
    if (start < 0) start = start < -length ? 1 : length + start + 1;
    if (start == 0) start = 1;
    return start > length + 1 ? NULL : match->text + (start - 1);
}

static bool has_specials(const ScriptMatch *match, const char *pattern) {
    for (; pattern < match->pattern_end; pattern++)
        if (*pattern && strchr("^$*+?.([%-", *pattern)) return true;
    return false;
}

static const char *find_plain(const ScriptMatch *match, const char *at, const char *wanted) {
    const size_t length = (size_t)(match->pattern_end - wanted);
    if (!length) return at;
    for (; (size_t)(match->text_end - at) >= length; at++) {
        at = memchr(at, *wanted, (size_t)(match->text_end - at) - length + 1);
        if (!at || memcmp(at, wanted, length) == 0) return at;
        script_state_check_time(match->lua);
    }
    return NULL;
}

static int push_captures(ScriptMatch *match, const char *begin, const char *end, bool whole) {
    const int count = match->capture_count || !whole ? match->capture_count : 1;
    luaL_checkstack(match->lua, count, "too many captures");
    for (int i = 0; i < count; i++) push_capture(match, i, begin, end);
    return count;
}

// Pushes the captures of a match; a pattern without captures captures the whole match.
static void push_capture(ScriptMatch *match, int index, const char *begin, const char *end) {
    lua_State *lua = match->lua;
    if (index >= match->capture_count) {
        if (index != 0) luaL_error(lua, "invalid capture index %%%d", index + 1);
        lua_pushlstring(lua, begin, (size_t)(end - begin));
        return;
    }
    const ScriptCapture *capture = &match->captures[index];
    if (capture->length == SCRIPT_CAPTURE_OPEN) luaL_error(lua, "unfinished capture");
    if (capture->length == SCRIPT_CAPTURE_POSITION)
        lua_pushinteger(lua, capture->begin - match->text + 1);
    else
        lua_pushlstring(lua, capture->begin, (size_t)capture->length);
}

// Upvalues: text, pattern, where to go on, where the last match ended (0 to the text's length; -1: none).
static int next_match(lua_State *lua) {
    ScriptMatch match = begin(lua, lua_upvalueindex(1), lua_upvalueindex(2));
    const char *pattern = lua_tostring(lua, lua_upvalueindex(2));
    const lua_Integer last = lua_tointeger(lua, lua_upvalueindex(4));
    for (const char *at = match.text + lua_tointeger(lua, lua_upvalueindex(3)); at <= match.text_end; at++) {
        const char *end = script_pattern_match(&match, at, pattern);
        if (!end || end - match.text == last) continue;
        lua_pushinteger(lua, end - match.text);
        lua_copy(lua, -1, lua_upvalueindex(3));
        lua_replace(lua, lua_upvalueindex(4));
        return push_captures(&match, at, end, true);
    }
    return 0;
}

// "%1", "%0" and "%%" within the replacement.
static void add_text(ScriptMatch *match, luaL_Buffer *buffer, const char *begin, const char *end) {
    size_t length;
    const char *text = lua_tolstring(match->lua, 3, &length);
    for (const char *p = text; p < text + length; p++) {
        if (*p != '%') {
            luaL_addchar(buffer, *p);
        } else if (*++p == '%') {
            luaL_addchar(buffer, '%');
        } else if (*p == '0') {
            luaL_addlstring(buffer, begin, (size_t)(end - begin));
        } else if (isdigit((unsigned char)*p)) {
            push_capture(match, *p - '1', begin, end);
            luaL_tolstring(match->lua, -1, NULL); // a position is a number
            lua_remove(match->lua, -2);
            luaL_addvalue(buffer);
        } else {
            luaL_error(match->lua, "invalid use of '%%' in replacement string");
        }
    }
}

// Adds the result of the function or table at 3 for a match; nil or false keeps the text.
static void add_value(ScriptMatch *match, luaL_Buffer *buffer, const char *begin, const char *end) {
    lua_State *lua = match->lua;
    script_state_check_time(lua); // it may be a function in C
    if (lua_isfunction(lua, 3)) {
        lua_pushvalue(lua, 3);
        lua_call(lua, push_captures(match, begin, end, true), 1);
    } else {
        push_capture(match, 0, begin, end);
        lua_gettable(lua, 3);
    }
    if (!lua_toboolean(lua, -1)) {
        lua_pop(lua, 1);
        luaL_addlstring(buffer, begin, (size_t)(end - begin));
    } else if (lua_isstring(lua, -1)) {
        luaL_addvalue(buffer);
    } else {
        luaL_error(lua, "invalid replacement value (a %s)", luaL_typename(lua, -1));
    }
}
