// Registers functions in Lua and reads their arguments. Owns no C memory while Lua may raise.
#include "schema/function.h"

#include "sandbox/state.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

static void read(lua_State *lua, int index, const ScriptSchema *schema, const ScriptSchemaField *field,
                 const char *what, void *out);

void script_options_read(lua_State *lua, int index, const ScriptSchema *schema, const char *what, void *out) {
    script_schema_defaults(schema, out);
    read(lua, index, schema, NULL, what, out);
}

void script_argument_read(lua_State *lua, int index, const ScriptSchemaField *field, const char *what,
                          void *out) {
    read(lua, index, NULL, field, what, out);
}

int script_check_choice(lua_State *lua, int index, const char *fallback, const char *const choices[]) {
    const char *word = fallback ? luaL_optstring(lua, index, fallback) : luaL_checkstring(lua, index);
    luaL_Buffer known;
    for (int i = 0; choices[i]; i++)
        if (strcmp(choices[i], word) == 0) return i;
    luaL_buffinit(lua, &known);
    for (int i = 0; choices[i]; i++) {
        luaL_addstring(&known, i == 0 ? "expected \"" : choices[i + 1] ? "\", \"" : "\" or \"");
        luaL_addstring(&known, choices[i]);
    }
    luaL_addstring(&known, "\"");
    luaL_pushresult(&known);
    const char *message = lua_pushfstring(lua, "%s, found \"%s\"", lua_tostring(lua, -1), word);
    return luaL_argerror(lua, index, message);
}

void script_functions_set(lua_State *lua, const ScriptFunction *functions) {
    for (; functions->name; functions++) {
        lua_pushcfunction(lua, functions->function);
        lua_setfield(lua, -2, functions->name);
    }
}

// Reads by the schema or, if NULL, by the field.
static void read(lua_State *lua, int index, const ScriptSchema *schema, const ScriptSchemaField *field,
                 const char *what, void *out) {
    char message[512] = "";
    ScriptFindings findings = {0};
    const bool given = !lua_isnoneornil(lua, index); // read before the arena is pushed there
    index = lua_absindex(lua, index);
    ScriptArena *arena = script_arena_push(lua);
    if (!given) return;
    if (!lua_istable(lua, index))
        luaL_error(lua, "%s: expected a table, found %s", what, luaL_typename(lua, index));
    script_state_check_time(lua);
    const ScriptNode *node = script_node_read(lua, index, false, SCRIPT_MAX_ARGUMENT_NODES, arena);
    ScriptReader reader = {.arena = arena, .findings = &findings, .file = "", .root = node, .prefix = what};
    if (schema)
        script_schema_read(&reader, schema, node, out);
    else
        script_field_read(&reader, field, node, out);
    const bool failed = findings.error_count > 0;
    if (findings.count)
        snprintf(message, sizeof message, "%s: %s", findings.items[0].path, findings.items[0].message);
    script_findings_finish(&findings);
    if (failed) luaL_error(lua, "%s", *message ? message : "out of memory");
}
