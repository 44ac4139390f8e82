// Copies a Lua value into an arena, and looks up fields in the copy.
#include "data/value_tree.h"

#include "data/allocator.h"
#include "data/call_site.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 32

typedef struct Reading {
    lua_State *lua;
    ScriptArena *arena;
    int call_sites; // stack index of the table of call sites
    bool keep_functions;
    int node_count, most;
} Reading;

typedef struct OwnedArena {
    ScriptResource resource;
    ScriptArena arena;
} OwnedArena;

static void *allocate(Reading *reading, int count, size_t size);
static void read_value(Reading *reading, int index, int depth, ScriptNode *node);
static const char *copy_text(Reading *reading, const char *text, size_t length);
static void read_table(Reading *reading, int table, int depth, ScriptNode *node);
static const ScriptCallSite *read_call_site(Reading *reading, int table);
static void read_items(Reading *reading, int table, int depth, lua_Integer length, ScriptNode *node);
static void read_fields(Reading *reading, int table, int depth, lua_Integer length, ScriptNode *node);
static int count_fields(lua_State *lua, int table, lua_Integer length);
static bool is_list_key(lua_State *lua, int index, lua_Integer length);
static const char *read_key(Reading *reading, int index);
static int compare_fields(const void *a, const void *b);
static void read_object(Reading *reading, int index, ScriptNode *node);
static void finish_arena(ScriptResource *resource);
static void describe_table(const ScriptNode *node, char *buffer, size_t size);
static bool describe_numbers(const ScriptNode *node, char *buffer, size_t size);

const ScriptNode *script_node_read(lua_State *lua, int index, bool keep_functions, int most_nodes,
                                   ScriptArena *arena) {
    index = lua_absindex(lua, index);
    luaL_checkstack(lua, 8, "a definition");
    script_call_sites_push(lua);
    Reading reading = {.lua = lua,
                       .arena = arena,
                       .call_sites = lua_gettop(lua),
                       .keep_functions = keep_functions,
                       .most = most_nodes};
    ScriptNode *node = allocate(&reading, 1, sizeof *node);
    read_value(&reading, index, 1, node);
    lua_pop(lua, 1);
    return node;
}

ScriptArena *script_arena_push(lua_State *lua) {
    script_allocator_collect(lua);
    OwnedArena *owned = script_resource_push(lua, sizeof *owned, 0, "tweed.arena", finish_arena);
    owned->arena.allocator = script_allocator_of(lua);
    return &owned->arena;
}

bool script_node_is(const ScriptNode *node, ScriptNodeKind kind) {
    return node && node->kind == kind;
}

const ScriptNode *script_node_field(const ScriptNode *node, const char *key) {
    if (!node || node->kind != SCRIPT_NODE_TABLE || !node->field_count) return NULL;
    const ScriptNodeField wanted = {.key = key};
    const ScriptNodeField *found =
        bsearch(&wanted, node->fields, (size_t)node->field_count, sizeof wanted, compare_fields);
    return found ? found->value : NULL;
}

const ScriptNode *script_node_item(const ScriptNode *node, int index) {
    if (!node || node->kind != SCRIPT_NODE_TABLE || index < 1 || index > node->item_count) return NULL;
    return &node->items[index - 1];
}

void script_node_describe(const ScriptNode *node, char *buffer, size_t size) {
    switch (node ? node->kind : SCRIPT_NODE_NIL) {
    case SCRIPT_NODE_NIL:
        snprintf(buffer, size, "nothing");
        break;
    case SCRIPT_NODE_BOOLEAN:
        snprintf(buffer, size, "%s", node->boolean ? "true" : "false");
        break;
    case SCRIPT_NODE_NUMBER:
        snprintf(buffer, size, "%.7g", node->number);
        break;
    case SCRIPT_NODE_STRING:
        snprintf(buffer, size, "the string \"%.40s%s\"", node->text, node->length > 40 ? "..." : "");
        break;
    case SCRIPT_NODE_TABLE:
        describe_table(node, buffer, size);
        break;
    case SCRIPT_NODE_FUNCTION:
        snprintf(buffer, size, "a function");
        break;
    case SCRIPT_NODE_OBJECT:
        snprintf(buffer, size, "a %s", node->object_type + strlen("tweed."));
        break;
    case SCRIPT_NODE_OTHER:
        snprintf(buffer, size, "%s", node->other);
        break;
    }
}

static void *allocate(Reading *reading, int count, size_t size) {
    void *memory = script_arena_alloc(reading->arena, (size_t)count, size);
    if (!memory) luaL_error(reading->lua, "out of memory");
    return memory;
}

static void read_value(Reading *reading, int index, int depth, ScriptNode *node) {
    lua_State *lua = reading->lua;
    if (++reading->node_count > reading->most)
        luaL_error(lua, "a definition of more than %d values", reading->most);
    switch (lua_type(lua, index)) {
    case LUA_TNIL:
        break;
    case LUA_TBOOLEAN:
        node->kind = SCRIPT_NODE_BOOLEAN;
        node->boolean = lua_toboolean(lua, index);
        break;
    case LUA_TNUMBER:
        node->kind = SCRIPT_NODE_NUMBER;
        node->number = lua_tonumber(lua, index);
        break;
    case LUA_TSTRING:
        node->kind = SCRIPT_NODE_STRING;
        node->text = lua_tolstring(lua, index, &node->length);
        node->text = copy_text(reading, node->text, node->length);
        break;
    case LUA_TTABLE:
        read_table(reading, index, depth, node);
        break;
    case LUA_TFUNCTION:
        node->kind = SCRIPT_NODE_FUNCTION;
        node->function = LUA_NOREF;
        if (!reading->keep_functions) break;
        lua_pushvalue(lua, index);
        node->function = luaL_ref(lua, LUA_REGISTRYINDEX);
        break;
    default:
        read_object(reading, index, node);
    }
}

static const char *copy_text(Reading *reading, const char *text, size_t length) {
    const char *copy = script_arena_bytes(reading->arena, text, length);
    if (!copy) luaL_error(reading->lua, "out of memory");
    return copy;
}

static void read_table(Reading *reading, int table, int depth, ScriptNode *node) {
    const lua_Unsigned length = lua_rawlen(reading->lua, table);
    if (depth > MAX_DEPTH)
        luaL_error(reading->lua, "tables nested deeper than %d: does one contain itself?", MAX_DEPTH);
    if (length > (lua_Unsigned)reading->most)
        luaL_error(reading->lua, "a list of more than %d values", reading->most);
    luaL_checkstack(reading->lua, 8, "nested tables");
    node->kind = SCRIPT_NODE_TABLE;
    node->call_site = read_call_site(reading, table);
    read_items(reading, table, depth, (lua_Integer)length, node);
    read_fields(reading, table, depth, (lua_Integer)length, node);
}

static const ScriptCallSite *read_call_site(Reading *reading, int table) {
    lua_State *lua = reading->lua;
    lua_pushvalue(lua, table);
    lua_rawget(lua, reading->call_sites);
    const ScriptCallSite *call_site = lua_touserdata(lua, -1);
    lua_pop(lua, 1);
    return call_site;
}

static void read_items(Reading *reading, int table, int depth, lua_Integer length, ScriptNode *node) {
    ScriptNode *items = allocate(reading, (int)length, sizeof *items);
    for (lua_Integer i = 1; i <= length; i++) {
        lua_rawgeti(reading->lua, table, i);
        read_value(reading, lua_gettop(reading->lua), depth + 1, &items[i - 1]);
        lua_pop(reading->lua, 1);
    }
    node->items = items;
    node->item_count = (int)length;
}

static void read_fields(Reading *reading, int table, int depth, lua_Integer length, ScriptNode *node) {
    lua_State *lua = reading->lua;
    node->field_count = count_fields(lua, table, length);
    ScriptNodeField *fields = allocate(reading, node->field_count, sizeof *fields);
    ScriptNode *values = allocate(reading, node->field_count, sizeof *values);
    node->fields = fields;
    int count = 0;
    lua_pushnil(lua);
    while (lua_next(lua, table)) {
        if (!is_list_key(lua, -2, length)) {
            read_value(reading, lua_gettop(lua), depth + 1, &values[count]);
            fields[count] = (ScriptNodeField){read_key(reading, -2), &values[count]};
            count++;
        }
        lua_pop(lua, 1);
    }
    if (count > 1) qsort(fields, (size_t)count, sizeof *fields, compare_fields); // lua_next has no order
}

static int count_fields(lua_State *lua, int table, lua_Integer length) {
    int count = 0;
    lua_pushnil(lua);
    while (lua_next(lua, table)) {
        lua_pop(lua, 1);
        if (!is_list_key(lua, -1, length)) count++;
    }
    return count;
}

// Whether the key is 1 to length, an item of the list.
static bool is_list_key(lua_State *lua, int index, lua_Integer length) {
    if (!lua_isinteger(lua, index)) return false;
    const lua_Integer key = lua_tointeger(lua, index);
    return key >= 1 && key <= length;
}

static const char *read_key(Reading *reading, int index) {
    lua_State *lua = reading->lua;
    if (lua_type(lua, index) == LUA_TSTRING) {
        size_t length;
        const char *text = lua_tolstring(lua, index, &length);
        return copy_text(reading, text, length);
    }
    char text[64];
    if (lua_isinteger(lua, index))
        snprintf(text, sizeof text, "[%lld]", (long long)lua_tointeger(lua, index));
    else if (lua_isnumber(lua, index))
        snprintf(text, sizeof text, "[%.14g]", lua_tonumber(lua, index));
    else
        snprintf(text, sizeof text, "[a %s]", luaL_typename(lua, index));
    return copy_text(reading, text, strlen(text));
}

static int compare_fields(const void *a, const void *b) {
    return strcmp(((const ScriptNodeField *)a)->key, ((const ScriptNodeField *)b)->key);
}

static void read_object(Reading *reading, int index, ScriptNode *node) {
    static const char *const types[] = {SCRIPT_SKELETON_TYPE, SCRIPT_CLIP_TYPE, SCRIPT_MESH_TYPE};
    lua_State *lua = reading->lua;
    node->kind = SCRIPT_NODE_OTHER;
    node->other = lua_type(lua, index) == LUA_TTHREAD ? "a coroutine" : "an object";
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const ScriptObjectHeader *object = luaL_testudata(lua, index, types[i]);
        if (!object) continue;
        node->kind = SCRIPT_NODE_OBJECT;
        node->object = object;
        node->object_type = types[i];
    }
}

static void finish_arena(ScriptResource *resource) {
    script_arena_finish(&((OwnedArena *)(void *)resource)->arena);
}

static void describe_table(const ScriptNode *node, char *buffer, size_t size) {
    if (node->call_site)
        snprintf(buffer, size, "tweed.%s{...}", node->call_site->constructor);
    else if (!node->item_count || node->field_count)
        snprintf(buffer, size, "a table");
    else if (!describe_numbers(node, buffer, size))
        snprintf(buffer, size, "a list of %d", node->item_count);
}

// "{0, 0, 1, 1}" for up to four numbers; false for anything else.
static bool describe_numbers(const ScriptNode *node, char *buffer, size_t size) {
    if (node->item_count > 4) return false;
    size_t length = 0;
    for (int i = 0; i < node->item_count && length < size; i++) {
        if (node->items[i].kind != SCRIPT_NODE_NUMBER) return false;
        length +=
            (size_t)snprintf(buffer + length, size - length, "%s%.7g", i ? ", " : "{", node->items[i].number);
    }
    if (length < size) snprintf(buffer + length, size - length, "}");
    return true;
}
