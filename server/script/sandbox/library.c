// Allow-listed libraries and sealed globals.
#include "sandbox/library.h"

#include "api/module.h"
#include "sandbox/log.h"
#include "sandbox/random_library.h"
#include "sandbox/require.h"
#include "sandbox/safe_library.h"
#include "sandbox/seal.h"

#include <lauxlib.h>
#include <lualib.h>

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

static void copy_functions(lua_State *lua, int from, const char *const *names);
static void add_library(lua_State *lua, const char *name, lua_CFunction open, const char *const *names);
static void seal_strings(lua_State *lua, int library);

void script_library_open(lua_State *lua) {
    lua_newtable(lua);
    const int library = lua_gettop(lua);
    lua_pushcfunction(lua, luaopen_base);
    lua_call(lua, 0, 1);
    lua_pushvalue(lua, library);
    copy_functions(lua, library + 1, base_functions);
    lua_pushcfunction(lua, script_log_print);
    lua_setfield(lua, -2, "print");
    script_safe_library_replace(lua, "");
    lua_pop(lua, 1);
    lua_settop(lua, library);

    add_library(lua, "string", luaopen_string, string_functions);
    add_library(lua, "table", luaopen_table, table_functions);
    add_library(lua, "math", luaopen_math, math_functions);
    add_library(lua, "utf8", luaopen_utf8, utf8_functions);
    add_library(lua, "coroutine", luaopen_coroutine, coroutine_functions);
    seal_strings(lua, library);

    script_module_open(lua);
    lua_setfield(lua, library, "tweed");
    lua_getfield(lua, library, "tweed");
    script_require_open(lua);
    lua_setfield(lua, library, "require");

    lua_pushvalue(lua, library);
    script_seal_behind_proxy(lua);
    lua_pushvalue(lua, -1);
    lua_setfield(lua, library, "_G");
    lua_pushvalue(lua, library);
    script_seal(lua, "");
    lua_pop(lua, 1);
    lua_rawseti(lua, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS); // what chunks have as _ENV
    lua_settop(lua, library - 1);
}

void script_library_loaded(lua_State *lua) {
    script_module_loaded(lua);
}

static void copy_functions(lua_State *lua, int from, const char *const *names) {
    for (; *names; names++) {
        lua_getfield(lua, from, *names);
        lua_setfield(lua, -2, *names);
    }
}

// Sets field name of the table at the top to a sealed table of what a library of Lua's has of these.
static void add_library(lua_State *lua, const char *name, lua_CFunction open, const char *const *names) {
    lua_pushcfunction(lua, open);
    lua_call(lua, 0, 1);
    lua_newtable(lua);
    copy_functions(lua, lua_gettop(lua) - 1, names);
    if (open == luaopen_math) {
        lua_pushcfunction(lua, script_random_lua);
        lua_setfield(lua, -2, "random");
    }
    script_safe_library_replace(lua, name);
    script_seal(lua, name);
    lua_setfield(lua, -3, name);
    lua_pop(lua, 1);
}

// ("text"):upper() keeps working, and the way to the table that all strings share is closed.
static void seal_strings(lua_State *lua, int library) {
    lua_pushliteral(lua, "");
    lua_getmetatable(lua, -1);
    lua_getfield(lua, library, "string");
    lua_setfield(lua, -2, "__index");
    lua_pushliteral(lua, "sealed");
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 2);
}
