// Allow-listed libraries, sealed globals, and require.
#include "sandbox/library.h"

#include "host/lookup.h"
#include "sandbox/error.h"
#include "sandbox/state.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <text/nearest.h>

static const char *const base_functions[] = {"_VERSION", "assert",   "error",  "getmetatable", "ipairs",
                                             "load",     "next",     "pairs",  "pcall",        "rawequal",
                                             "rawget",   "rawlen",   "rawset", "select",       "setmetatable",
                                             "tonumber", "tostring", "type",   "xpcall",       NULL};
static const char *const string_functions[] = {"byte",    "char",  "find",   "format", "gmatch",   "gsub",
                                               "len",     "lower", "match",  "pack",   "packsize", "rep",
                                               "reverse", "sub",   "unpack", "upper",  NULL};
static const char *const table_functions[] = {"concat", "insert", "move",   "pack",
                                              "remove", "sort",   "unpack", NULL};
static const char *const utf8_functions[] = {"char", "charpattern", "codepoint", "codes",
                                             "len",  "offset",      NULL};
static const char *const coroutine_functions[] = {"isyieldable", "running", "status", "wrap", "yield", NULL};
static const char *const math_functions[] = {"abs", "acos",       "asin", "atan", "ceil", "cos", "deg",
                                             "exp", "floor",      "fmod", "huge", "log",  "max", "maxinteger",
                                             "min", "mininteger", "modf", "pi",   "rad",  "sin", "sqrt",
                                             "tan", "tointeger",  "type", "ult",  NULL};

static char being_loaded; // marks a module until it has returned

static void seal_behind_proxy(lua_State *lua);
static void copy_functions(lua_State *lua, int from, const char *const *names);
static void add_library(lua_State *lua, const char *name, lua_CFunction open, const char *const *names,
                        const ScriptLibraryAdditions *additions);
static void seal_strings(lua_State *lua, int library);
static void push_require(lua_State *lua);
static int require(lua_State *lua);
static void add_searched_files(ScriptState *state, const char *name);
static void set_refusal(lua_State *lua, const char *field, lua_CFunction function, const char *name);
static int refuse_unknown(lua_State *lua);
static int refuse_assignment(lua_State *lua);

void script_library_open(lua_State *lua, const ScriptLibraryAdditions *additions) {
    lua_newtable(lua);
    const int library = lua_gettop(lua);
    lua_pushcfunction(lua, luaopen_base);
    lua_call(lua, 0, 1);
    lua_pushvalue(lua, library);
    copy_functions(lua, library + 1, base_functions);
    lua_pushcfunction(lua, additions->print);
    lua_setfield(lua, -2, "print");
    script_safe_library_replace(lua, "");
    lua_pop(lua, 1);
    lua_settop(lua, library);

    add_library(lua, "string", luaopen_string, string_functions, additions);
    add_library(lua, "table", luaopen_table, table_functions, additions);
    add_library(lua, "math", luaopen_math, math_functions, additions);
    add_library(lua, "utf8", luaopen_utf8, utf8_functions, additions);
    add_library(lua, "coroutine", luaopen_coroutine, coroutine_functions, additions);
    seal_strings(lua, library);

    additions->push_tweed(lua);
    lua_setfield(lua, library, "tweed");
    lua_getfield(lua, library, "tweed");
    push_require(lua);
    lua_setfield(lua, library, "require");

    lua_pushvalue(lua, library);
    seal_behind_proxy(lua);
    lua_pushvalue(lua, -1);
    lua_setfield(lua, library, "_G");
    lua_pushvalue(lua, library);
    script_seal(lua, "");
    lua_pop(lua, 1);
    lua_rawseti(lua, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS); // the _ENV of chunks
    lua_settop(lua, library - 1);
}

void script_seal(lua_State *lua, const char *name) {
    lua_createtable(lua, 0, 3);
    set_refusal(lua, "__index", refuse_unknown, name);
    set_refusal(lua, "__newindex", refuse_assignment, name);
    lua_pushliteral(lua, "sealed");
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
}

// Replaces the table at the top by an empty proxy that reads from it: existing keys cannot be assigned,
// either.
static void seal_behind_proxy(lua_State *lua) {
    lua_newtable(lua);
    lua_createtable(lua, 0, 3);
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, "__index");
    set_refusal(lua, "__newindex", refuse_assignment, "");
    lua_pushliteral(lua, "sealed");
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
    lua_replace(lua, -2);
}

static void copy_functions(lua_State *lua, int from, const char *const *names) {
    for (; *names; names++) {
        lua_getfield(lua, from, *names);
        lua_setfield(lua, -2, *names);
    }
}

// Sets the field `name` of the table at the top to a sealed table of the allowed functions of one of Lua's
// libraries.
static void add_library(lua_State *lua, const char *name, lua_CFunction open, const char *const *names,
                        const ScriptLibraryAdditions *additions) {
    lua_pushcfunction(lua, open);
    lua_call(lua, 0, 1);
    lua_newtable(lua);
    copy_functions(lua, lua_gettop(lua) - 1, names);
    if (open == luaopen_math) {
        lua_pushcfunction(lua, additions->random);
        lua_setfield(lua, -2, "random");
    }
    script_safe_library_replace(lua, name);
    script_seal(lua, name);
    lua_setfield(lua, -3, name);
    lua_pop(lua, 1);
}

// Keeps ("text"):upper() working and hides the metatable that all strings share.
static void seal_strings(lua_State *lua, int library) {
    lua_pushliteral(lua, "");
    lua_getmetatable(lua, -1);
    lua_getfield(lua, library, "string");
    lua_setfield(lua, -2, "__index");
    lua_pushliteral(lua, "sealed");
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 2);
}

static void push_require(lua_State *lua) {
    lua_newtable(lua);
    lua_insert(lua, -2);
    lua_setfield(lua, -2, "tweed");
    lua_pushcclosure(lua, require, 1);
}

// upvalue: the table of modules by name
static int require(lua_State *lua) {
    const char *name = luaL_checkstring(lua, 1);
    ScriptState *state = script_state_of(lua);
    lua_settop(lua, 1);
    lua_getfield(lua, lua_upvalueindex(1), name);
    if (lua_touserdata(lua, -1) == &being_loaded)
        return luaL_error(lua, "module \"%s\" requires itself, or has failed before", name);
    if (!lua_isnil(lua, -1)) return 1;

    char path[SCRIPT_PATH_SIZE], message[SCRIPT_REQUEST_MESSAGE_SIZE];
    if (!state->findings)
        return luaL_error(lua, "require \"%s\": modules are loaded with the file, not later", name);
    add_searched_files(state, name);
    if (!script_find_module(state->host, name, path, message)) return luaL_error(lua, "%s", message);
    script_load_chunk(lua, path);
    lua_pushlightuserdata(lua, &being_loaded);
    lua_setfield(lua, lua_upvalueindex(1), name);
    lua_pushvalue(lua, 1);
    lua_call(lua, 1, 1);
    if (lua_isnil(lua, -1)) {
        lua_pushboolean(lua, 1);
        lua_replace(lua, -2);
    }
    lua_pushvalue(lua, -1);
    lua_setfield(lua, lua_upvalueindex(1), name);
    return 1;
}

static void add_searched_files(ScriptState *state, const char *name) {
    const ScriptStringList *const lists[] = {&state->host->folders, &state->host->directories};
    char path[512], file[512 + 4];
    if (!script_path_of_module(name, path)) return;
    snprintf(file, sizeof file, "%s.lua", path);
    for (size_t list = 0; list < 2; list++)
        for (int i = 0; i < lists[list]->count; i++)
            if (script_state_add_searched_file(state, lists[list]->items[i], file)) return;
}

// Sets field of the metatable at the top to the function, with name as its upvalue.
static void set_refusal(lua_State *lua, const char *field, lua_CFunction function, const char *name) {
    lua_pushstring(lua, name);
    lua_pushcclosure(lua, function, 1);
    lua_setfield(lua, -2, field);
}

// (table, key); upvalue: the table's name, "" for the globals
static int refuse_unknown(lua_State *lua) {
    const char *name = lua_tostring(lua, lua_upvalueindex(1));
    const char *key = luaL_tolstring(lua, 2, NULL);
    TextNearest nearest = text_nearest_to(key);
    lua_pushnil(lua);
    while (lua_next(lua, 1)) {
        if (lua_type(lua, -2) == LUA_TSTRING) text_nearest_offer(&nearest, lua_tostring(lua, -2));
        lua_pop(lua, 1);
    }
    if (!*name) return script_error_raise_unknown(lua, "global", &nearest);
    char hint[128];
    text_nearest_hint(&nearest, hint, sizeof hint);
    return luaL_error(lua, "no \"%s\" in %s%s", key, name, hint);
}

static int refuse_assignment(lua_State *lua) {
    const char *name = lua_tostring(lua, lua_upvalueindex(1));
    const char *key = luaL_tolstring(lua, 2, NULL);
    if (*name) return luaL_error(lua, "\"%s\" cannot be assigned: %s is sealed", key, name);
    return luaL_error(lua, "global \"%s\" cannot be assigned: write \"local\" before it", key);
}
