// Converts ScriptValues to Lua tables, and nodes to ScriptValues.
#include "data/value_lua.h"

#include "data/path.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <text/utf8.h>

#define MAX_DEPTH 64
#define MAX_TEXT  ((size_t)256 << 10) // bytes of all strings together

typedef struct Conversion {
    ScriptNodePath path;
    const char *what;
    char *message;
    size_t text_bytes; // of all strings until now
} Conversion;

static void push(lua_State *lua, const ScriptValue *value, int depth);
static bool convert(Conversion *conversion, const ScriptNode *node, ScriptValue *out_value);
static bool fail(Conversion *conversion, const char *expected, const ScriptNode *node);
static bool convert_table(Conversion *conversion, const ScriptNode *node, ScriptValue *out_value);
static bool convert_step(Conversion *conversion, ScriptStep step, const ScriptNode *node,
                         ScriptValue *out_value);

void script_value_push(lua_State *lua, const ScriptValue *value) {
    push(lua, value, 1);
}

void script_floats_push(lua_State *lua, const float *numbers, int count) {
    lua_createtable(lua, count, 0);
    for (int i = 0; i < count; i++) {
        lua_pushnumber(lua, (lua_Number)numbers[i]);
        lua_rawseti(lua, -2, i + 1);
    }
}

bool script_value_of_node(ScriptValue *out_value, const ScriptNode *node, const char *what,
                          char out_message[SCRIPT_MESSAGE_SIZE]) {
    Conversion conversion = {.what = what, .message = out_message};
    out_message[0] = '\0';
    const bool converted = convert(&conversion, node, out_value);
    if (!converted && !out_message[0]) snprintf(out_message, SCRIPT_MESSAGE_SIZE, "%s: out of memory", what);
    return converted;
}

static void push(lua_State *lua, const ScriptValue *value, int depth) {
    if (depth > MAX_DEPTH) luaL_error(lua, "values nested deeper than %d", MAX_DEPTH);
    luaL_checkstack(lua, 4, "values");
    switch (value ? value->kind : SCRIPT_VALUE_NULL) {
    case SCRIPT_VALUE_NULL:
        lua_pushnil(lua);
        break;
    case SCRIPT_VALUE_BOOLEAN:
        lua_pushboolean(lua, value->boolean);
        break;
    case SCRIPT_VALUE_NUMBER:
        if (floor(value->number) == value->number && fabs(value->number) <= 0x1p53)
            lua_pushinteger(lua, (lua_Integer)value->number); // so that 3 prints as 3
        else
            lua_pushnumber(lua, value->number);
        break;
    case SCRIPT_VALUE_STRING:
        lua_pushlstring(lua, value->string, value->count);
        break;
    case SCRIPT_VALUE_LIST:
        lua_createtable(lua, (int)value->count, 0);
        for (size_t i = 0; i < value->count; i++) {
            push(lua, &value->items[i], depth + 1);
            lua_rawseti(lua, -2, (lua_Integer)i + 1);
        }
        break;
    case SCRIPT_VALUE_TABLE:
        lua_createtable(lua, 0, (int)value->count);
        for (size_t i = 0; i < value->count; i++) {
            push(lua, &value->fields[i].value, depth + 1);
            lua_setfield(lua, -2, value->fields[i].key);
        }
        break;
    }
}

static bool convert(Conversion *conversion, const ScriptNode *node, ScriptValue *out_value) {
    *out_value = SCRIPT_NULL;
    switch (node->kind) {
    case SCRIPT_NODE_NIL:
        return true;
    case SCRIPT_NODE_BOOLEAN:
        *out_value = script_value_boolean(node->boolean);
        return true;
    case SCRIPT_NODE_NUMBER:
        *out_value = script_value_number(node->number);
        return isfinite(node->number) || fail(conversion, "a finite number", node);
    case SCRIPT_NODE_STRING:
        if (!text_is_utf8(node->text, node->length)) return fail(conversion, "UTF-8", node);
        conversion->text_bytes += node->length;
        if (conversion->text_bytes > MAX_TEXT)
            return fail(conversion, "at most 256 KiB of text in all", node);
        return script_value_string(out_value, node->text, node->length);
    case SCRIPT_NODE_TABLE:
        if (convert_table(conversion, node, out_value)) return true;
        script_value_finish(out_value);
        return false;
    default:
        return fail(conversion, "plain data", node);
    }
}

static bool fail(Conversion *conversion, const char *expected, const ScriptNode *node) {
    char path[128], found[64];
    script_node_path_format(&conversion->path, path, sizeof path);
    script_node_describe(node, found, sizeof found);
    const bool both = *conversion->what && *path && *path != '[', any = *conversion->what || *path;
    if (!conversion->message[0])
        snprintf(conversion->message, SCRIPT_MESSAGE_SIZE, "%s%s%s%sexpected %s, found %s", conversion->what,
                 both ? "." : "", path, any ? ": " : "", expected, found);
    return false;
}

static bool convert_table(Conversion *conversion, const ScriptNode *node, ScriptValue *out_value) {
    const bool is_list = node->item_count && !node->field_count;
    *out_value = is_list ? script_value_list() : script_value_table();
    if (node->item_count && node->field_count)
        return fail(conversion, "a list or a table with names, not both", node);
    bool converted = true;
    ScriptValue value;
    for (int i = 0; converted && i < node->item_count; i++)
        converted = convert_step(conversion, (ScriptStep){.index = i + 1}, &node->items[i], &value) &&
                    script_value_append(out_value, value);
    for (int i = 0; converted && i < node->field_count; i++) {
        const ScriptNodeField *field = &node->fields[i];
        if (*field->key == '[' || !text_is_utf8(field->key, strlen(field->key)))
            return fail(conversion, "keys that are names", node);
        converted = convert_step(conversion, (ScriptStep){.key = field->key}, field->value, &value) &&
                    script_value_add(out_value, field->key, value); // Lua has each key once
    }
    return converted;
}

static bool convert_step(Conversion *conversion, ScriptStep step, const ScriptNode *node,
                         ScriptValue *out_value) {
    conversion->path.steps[conversion->path.count++] = step; // nodes are less deep than paths
    const bool converted = convert(conversion, node, out_value);
    conversion->path.count--;
    return converted;
}
