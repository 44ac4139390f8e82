// Functions of Lua's libraries that cannot be stopped, rewritten. Those of `table` work on the raw table:
// with metamethods a loop in C could call a C function for ever, without an instruction for the hook.
#include "data/allocator.h"
#include "sandbox/library.h"
#include "sandbox/pattern.h"
#include "sandbox/state.h"

#include <lauxlib.h>
#include <string.h>

#define MAX_VALUES    (1 << 20) // processed by one call
#define MAX_FORMATTED 64        // values of one string.format
#define MAX_CHUNK     16384     // bytes that load compiles at a time

static int load(lua_State *lua);
static int set_metatable(lua_State *lua);
static int wrap(lua_State *lua);
static int resume(lua_State *lua);
static int format(lua_State *lua);
static void tables_to_text(lua_State *lua, const char *format);
static int repeat(lua_State *lua);
static int concat(lua_State *lua);
static lua_Integer check_table(lua_State *lua, int index);
static lua_Integer check_range(lua_State *lua, lua_Integer first, lua_Integer last);
static int insert(lua_State *lua);
static int move(lua_State *lua);
static int remove_item(lua_State *lua);
static int sort(lua_State *lua);
static int compare(lua_State *lua);
static int unpack(lua_State *lua);

static const struct {
    const char *library, *name;
    lua_CFunction function;
} replacements[] = {
    {"", "load", load},
    {"", "setmetatable", set_metatable},
    {"", "tostring", script_value_tostring},
    {"coroutine", "wrap", wrap},
    {"string", "find", script_pattern_find},
    {"string", "format", format},
    {"string", "gmatch", script_pattern_gmatch},
    {"string", "gsub", script_pattern_gsub},
    {"string", "match", script_pattern_match_lua},
    {"string", "rep", repeat},
    {"table", "concat", concat},
    {"table", "insert", insert},
    {"table", "move", move},
    {"table", "remove", remove_item},
    {"table", "sort", sort},
    {"table", "unpack", unpack},
};

void script_safe_library_replace(lua_State *lua, const char *name) {
    for (size_t i = 0; i < sizeof replacements / sizeof *replacements; i++) {
        if (strcmp(replacements[i].library, name) != 0) continue;
        lua_getfield(lua, -1, replacements[i].name); // Lua's own; unused by most
        lua_pushcclosure(lua, replacements[i].function, 1);
        lua_setfield(lua, -2, replacements[i].name);
    }
}

// load(text, name, mode, environment): never bytecode. Upvalue: Lua's own.
static int load(lua_State *lua) {
    size_t length;
    const int count = lua_gettop(lua) < 4 ? 3 : 4; // a fourth argument, be it nil, is the environment
    luaL_checklstring(lua, 1, &length);
    script_state_check_time(lua);
    if (length > MAX_CHUNK) return luaL_error(lua, "load: more than %d bytes", MAX_CHUNK);
    lua_settop(lua, count);
    lua_pushliteral(lua, "t");
    lua_replace(lua, 3);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, count, LUA_MULTRET);
    return lua_gettop(lua);
}

// setmetatable(table, metatable), without __gc and __close: no hook interrupts them. Upvalue: Lua's own.
static int set_metatable(lua_State *lua) {
    static const char *const refused[] = {"__gc", "__close", "__mode", NULL};
    if (lua_istable(lua, 2)) {
        for (const char *const *name = refused; *name; name++) {
            lua_pushstring(lua, *name);
            if (lua_rawget(lua, 2) != LUA_TNIL) return luaL_error(lua, "setmetatable: no %s here", *name);
            lua_pop(lua, 1);
        }
    }
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, 1);
    return 1;
}

// coroutine.wrap(function)
static int wrap(lua_State *lua) {
    luaL_checktype(lua, 1, LUA_TFUNCTION);
    lua_State *thread = lua_newthread(lua);
    lua_pushvalue(lua, 1);
    lua_xmove(lua, thread, 1);
    lua_pushcclosure(lua, resume, 1);
    return 1;
}

// Upvalue: the coroutine. A coroutine that failed is not closed: that would run handlers of the script.
static int resume(lua_State *lua) {
    lua_State *thread = lua_tothread(lua, lua_upvalueindex(1));
    int count = lua_gettop(lua);
    if (!lua_checkstack(thread, count)) return luaL_error(lua, "too many arguments to resume");
    lua_xmove(lua, thread, count);
    const int status = script_state_resume(thread, lua, count, &count);
    if (status == LUA_OK || status == LUA_YIELD) {
        luaL_checkstack(lua, count, "too many results to resume");
        lua_xmove(thread, lua, count);
        return count;
    }
    lua_xmove(thread, lua, 1);
    if (lua_type(lua, -1) == LUA_TSTRING) { // where it was resumed
        luaL_where(lua, 1);
        lua_insert(lua, -2);
        lua_concat(lua, 2);
    }
    return lua_error(lua);
}

// string.format(format, ...). Upvalue: Lua's own.
static int format(lua_State *lua) {
    script_state_check_time(lua);
    if (lua_gettop(lua) > MAX_FORMATTED + 1) // each may have a __tostring in C
        return luaL_error(lua, "string.format: more than %d values", MAX_FORMATTED);
    tables_to_text(lua, luaL_checkstring(lua, 1));
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, 1);
    return 1;
}

// Replaces the tables that "%s" takes with their text.
static void tables_to_text(lua_State *lua, const char *format) {
    const int count = lua_gettop(lua);
    for (int i = 2; i <= count && (format = strchr(format, '%'));) {
        format += strspn(format + 1, "-+ #0123456789.") + 1;
        if (!*format) return;
        if (*format == 's' && lua_istable(lua, i)) {
            script_value_text_push(lua, i);
            lua_replace(lua, i);
        }
        if (*format++ != '%') i++;
    }
}

// string.rep(text, count, separator). Upvalue: Lua's own.
static int repeat(lua_State *lua) {
    size_t length, separator;
    luaL_checklstring(lua, 1, &length);
    const lua_Integer count = luaL_checkinteger(lua, 2);
    luaL_optlstring(lua, 3, "", &separator);
    script_state_check_time(lua);
    if (count > 0 && length + separator > SCRIPT_MAX_STRING / (lua_Unsigned)count)
        return luaL_error(lua, "string.rep: more than %d MiB", (int)(SCRIPT_MAX_STRING >> 20));
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, 1);
    return 1;
}

// table.concat(list, separator, first, last)
static int concat(lua_State *lua) {
    size_t length;
    const lua_Integer end = check_table(lua, 1);
    const char *separator = luaL_optlstring(lua, 2, "", &length);
    const lua_Integer first = luaL_optinteger(lua, 3, 1), last = luaL_optinteger(lua, 4, end);
    const lua_Integer count = check_range(lua, first, last);
    luaL_Buffer buffer;
    luaL_buffinit(lua, &buffer);
    for (lua_Integer i = 0; i < count; i++) {
        if (i % 1024 == 0) script_state_check_time(lua); // numbers are made texts
        if (i > 0) luaL_addlstring(&buffer, separator, length);
        lua_rawgeti(lua, 1, first + i);
        if (!lua_isstring(lua, -1))
            return luaL_error(lua, "invalid value (a %s) at index %I in table for 'concat'",
                              luaL_typename(lua, -1), (LUAI_UACINT)(first + i));
        luaL_addvalue(&buffer);
    }
    luaL_pushresult(&buffer);
    return 1;
}

static lua_Integer check_table(lua_State *lua, int index) {
    luaL_checktype(lua, index, LUA_TTABLE);
    script_state_check_time(lua);
    return (lua_Integer)lua_rawlen(lua, index);
}

// How many from first to last.
static lua_Integer check_range(lua_State *lua, lua_Integer first, lua_Integer last) {
    if (first > last) return 0;
    const lua_Unsigned count = (lua_Unsigned)last - (lua_Unsigned)first + 1;
    if (count == 0 || count > MAX_VALUES) luaL_error(lua, "more than %d values at a time", MAX_VALUES);
    return (lua_Integer)count;
}

// table.insert(list, [position,] value)
static int insert(lua_State *lua) {
    const lua_Integer end = check_table(lua, 1) + 1;
    lua_Integer position = end;
    if (lua_gettop(lua) == 3) {
        position = luaL_checkinteger(lua, 2);
        luaL_argcheck(lua, position >= 1 && position <= end, 2, "position out of bounds");
    } else if (lua_gettop(lua) != 2) {
        return luaL_error(lua, "wrong number of arguments to 'insert'");
    }
    check_range(lua, position, end);
    for (lua_Integer i = end; i > position; i--) {
        lua_rawgeti(lua, 1, i - 1);
        lua_rawseti(lua, 1, i);
    }
    lua_rawseti(lua, 1, position);
    return 0;
}

// table.move(from, first, last, to, [into])
static int move(lua_State *lua) {
    check_table(lua, 1);
    const lua_Integer first = luaL_checkinteger(lua, 2), last = luaL_checkinteger(lua, 3);
    const lua_Integer to = luaL_checkinteger(lua, 4), count = check_range(lua, first, last);
    const int into = lua_isnoneornil(lua, 5) ? 1 : 5;
    check_table(lua, into);
    luaL_argcheck(lua, to <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
    const bool downwards = to > first && to <= last && lua_rawequal(lua, 1, into); // the ranges overlap
    for (lua_Integer i = 0; i < count; i++) {
        const lua_Integer at = downwards ? count - 1 - i : i;
        lua_rawgeti(lua, 1, first + at);
        lua_rawseti(lua, into, to + at);
    }
    lua_pushvalue(lua, into);
    return 1;
}

// table.remove(list, position)
static int remove_item(lua_State *lua) {
    const lua_Integer size = check_table(lua, 1);
    const lua_Integer position = luaL_optinteger(lua, 2, size);
    if (position != size)
        luaL_argcheck(lua, (lua_Unsigned)position - 1 <= (lua_Unsigned)size, 2, "position out of bounds");
    check_range(lua, position, size);
    lua_rawgeti(lua, 1, position);
    for (lua_Integer i = position; i < size; i++) {
        lua_rawgeti(lua, 1, i + 1);
        lua_rawseti(lua, 1, i);
    }
    lua_pushnil(lua);
    lua_rawseti(lua, 1, size > position ? size : position);
    return 1;
}

// table.sort(list, comparison). Upvalue: Lua's own.
static int sort(lua_State *lua) {
    check_range(lua, 1, check_table(lua, 1));
    if (!lua_isnoneornil(lua, 2)) luaL_checktype(lua, 2, LUA_TFUNCTION);
    lua_settop(lua, 2);
    lua_pushcclosure(lua, compare, 1);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, 2, 0);
    return 0;
}

// Upvalue: the script's comparison, or nil.
static int compare(lua_State *lua) {
    script_state_check_time(lua);
    if (lua_isnil(lua, lua_upvalueindex(1))) {
        lua_pushboolean(lua, lua_compare(lua, 1, 2, LUA_OPLT));
        return 1;
    }
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, 2, 1);
    return 1;
}

// table.unpack(list, first, last)
static int unpack(lua_State *lua) {
    const lua_Integer end = check_table(lua, 1);
    const lua_Integer first = luaL_optinteger(lua, 2, 1), last = luaL_optinteger(lua, 3, end);
    const lua_Integer count = check_range(lua, first, last);
    if (!lua_checkstack(lua, (int)count)) return luaL_error(lua, "too many results to unpack");
    for (lua_Integer i = 0; i < count; i++) lua_rawgeti(lua, 1, first + i);
    return (int)count;
}
