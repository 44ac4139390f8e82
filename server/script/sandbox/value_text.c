// Tables as text: a list first, then other keys in order, so that each run prints the same.
#include "sandbox/library.h"
#include "sandbox/state.h"

#include <lauxlib.h>
#include <stdio.h>
#include <text/utf8.h>

#define MAX_VALUES 64 // of a table, with those of the tables in it
#define MAX_LEVELS 8
#define MAX_STRING 40 // bytes, within a table

static void push_table(lua_State *lua, int index, int level, int *left);
static void to_text(lua_State *lua, int level, int *left);
static void append(lua_State *lua, const char *separator);
static void next_key(lua_State *lua, int index, lua_Integer count);
static bool is_key(lua_State *lua, int key, lua_Integer count);
static bool comes_before(lua_State *lua, int a, int b);
static void append_field(lua_State *lua, int index, const char *separator, int level, int *left);

void script_value_text_push(lua_State *lua, int index) {
    int left = MAX_VALUES;
    if (lua_istable(lua, index))
        push_table(lua, lua_absindex(lua, index), 0, &left);
    else
        luaL_tolstring(lua, index, NULL);
}

int script_value_tostring(lua_State *lua) {
    luaL_checkany(lua, 1);
    script_state_check_time(lua); // a __tostring may be a function in C
    script_value_text_push(lua, 1);
    return 1;
}

// Pushes the text of the table at the absolute index. left: how many values may be printed yet.
static void push_table(lua_State *lua, int index, int level, int *left) {
    const lua_Integer count = (lua_Integer)lua_rawlen(lua, index);
    const char *separator = "";
    lua_Integer i = 1;
    luaL_checkstack(lua, 16, "a table as text");
    if (luaL_getmetafield(lua, index, "__tostring") != LUA_TNIL) {
        lua_pop(lua, 1);
        luaL_tolstring(lua, index, NULL);
        return;
    }
    lua_pushliteral(lua, "{");
    for (; i <= count && *left > 0 && level < MAX_LEVELS; i++, separator = ", ") {
        --*left;
        lua_rawgeti(lua, index, i);
        to_text(lua, level + 1, left);
        append(lua, separator);
    }
    lua_pushnil(lua);
    next_key(lua, index, count);
    for (; !lua_isnil(lua, -1) && *left > 0 && level < MAX_LEVELS; separator = ", ") {
        --*left;
        append_field(lua, index, separator, level, left);
        next_key(lua, index, count);
    }
    const bool is_whole = i > count && lua_isnil(lua, -1);
    lua_pop(lua, 1);
    lua_pushfstring(lua, is_whole ? "}" : "%s...}", separator);
    lua_concat(lua, 2);
}

// Replaces the value at the top, which is in a table, with its text.
static void to_text(lua_State *lua, int level, int *left) {
    char text[32];
    const int index = lua_gettop(lua), type = lua_type(lua, index);
    if (type == LUA_TTABLE) {
        push_table(lua, index, level, left);
    } else if (type == LUA_TSTRING) {
        size_t length;
        const char *string = lua_tolstring(lua, index, &length);
        lua_pushlstring(lua, string, length > MAX_STRING ? text_utf8_cut(string, MAX_STRING) : length);
        lua_pushfstring(lua, "\"%s%s\"", lua_tostring(lua, -1), length > MAX_STRING ? "..." : "");
        lua_remove(lua, -2);
    } else if (type == LUA_TNUMBER && !lua_isinteger(lua, index)) {
        snprintf(text, sizeof text, "%.7g", lua_tonumber(lua, index));
        lua_pushstring(lua, text);
    } else if (type == LUA_TNUMBER || type == LUA_TBOOLEAN || type == LUA_TUSERDATA) {
        luaL_tolstring(lua, index, NULL);
    } else {
        lua_pushstring(lua, lua_typename(lua, type)); // an address would differ from run to run
    }
    lua_remove(lua, index);
}

// Adds the text at the top to the one below it.
static void append(lua_State *lua, const char *separator) {
    lua_pushstring(lua, separator);
    lua_insert(lua, -2);
    lua_concat(lua, 3);
}

// Replaces the key at the top, nil before the first, with the one that follows it; nil after the last.
static void next_key(lua_State *lua, int index, lua_Integer count) {
    const int last = lua_gettop(lua), best = last + 1, key = last + 2;
    script_state_check_time(lua);
    lua_pushnil(lua);
    lua_pushnil(lua);
    while (lua_next(lua, index)) {
        lua_pop(lua, 1);
        if (!is_key(lua, key, count) || (!lua_isnil(lua, last) && !comes_before(lua, last, key))) continue;
        if (!lua_isnil(lua, best) && !comes_before(lua, key, best)) continue;
        lua_copy(lua, key, best);
    }
    lua_replace(lua, last);
}

// Whether the key is printed as one: other kinds have no order, and keys of the list have been printed.
static bool is_key(lua_State *lua, int key, lua_Integer count) {
    if (lua_isinteger(lua, key)) return lua_tointeger(lua, key) < 1 || lua_tointeger(lua, key) > count;
    return lua_type(lua, key) == LUA_TSTRING || lua_type(lua, key) == LUA_TNUMBER;
}

// Strings come first, then numbers.
static bool comes_before(lua_State *lua, int a, int b) {
    if (lua_type(lua, a) != lua_type(lua, b)) return lua_type(lua, a) == LUA_TSTRING;
    return lua_compare(lua, a, b, LUA_OPLT);
}

// Adds "key = value" of the key at the top, which stays, to the text below it.
static void append_field(lua_State *lua, int index, const char *separator, int level, int *left) {
    const int key = lua_gettop(lua), text = key - 1;
    lua_pushvalue(lua, text);
    lua_pushfstring(lua,
                    lua_type(lua, key) == LUA_TSTRING ? "%s = " : "[%s] = ", luaL_tolstring(lua, key, NULL));
    lua_remove(lua, -2);
    append(lua, separator);
    lua_pushvalue(lua, key);
    lua_rawget(lua, index);
    to_text(lua, level + 1, left);
    append(lua, "");
    lua_replace(lua, text);
}
