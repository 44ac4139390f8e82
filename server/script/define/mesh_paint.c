#include "define/mesh_paint.h"

#include "sandbox/state.h"

#include <math.h>

typedef struct Paint {
    bool pin;
    float max_distance; // negative: none
} Paint;

static const ScriptSchemaField paint_fields[] = {
    {SCRIPT_FIELD(Paint, pin, BOOLEAN)},
    {SCRIPT_FIELD(Paint, max_distance, NUMBER), .minimum = 0.0, .maximum = 10.0, .unit = "m", .number = -1.0},
};
static const ScriptSchema paint_schema = {.size = sizeof(Paint), SCRIPT_FIELDS(paint_fields)};
static const ScriptSchema *const paint_schemas[] = {&paint_schema, NULL};
static const ScriptSchemaField paint_type = {
    .type = SCRIPT_TYPE_TABLE, .schemas = paint_schemas, .expects = "nil or {pin =, max_distance =}"};

static bool paint_vertex(lua_State *lua, ScriptReader *reader, const AssetSurface *surface, int vertex,
                         Paint *out_paint);
static void push_vertex(lua_State *lua, const AssetSurface *surface, int vertex);
static void push_numbers(lua_State *lua, const char *key, const float *numbers, int count);

bool script_mesh_paint(lua_State *lua, ScriptReader *reader, int function, const AssetSurface *surface,
                       ScriptMesh *mesh) {
    const size_t count = (size_t)surface->vertex_count;
    bool *pins = script_arena_alloc(&mesh->arena, count, sizeof *pins), any_pin = false, any_distance = false;
    float *distances = script_arena_alloc(&mesh->arena, count, sizeof *distances);
    bool done = pins && distances;
    if (!done) script_reader_error(reader, "out of memory");
    lua_rawgeti(lua, LUA_REGISTRYINDEX, function);
    for (int i = 0; done && i < surface->vertex_count; i++) {
        Paint paint = {.max_distance = -1.0f};
        done = paint_vertex(lua, reader, surface, i, &paint);
        pins[i] = paint.pin;
        distances[i] = paint.max_distance >= 0.0f ? paint.max_distance : NAN;
        any_pin |= paint.pin;
        any_distance |= paint.max_distance >= 0.0f;
    }
    lua_pop(lua, 1);
    luaL_unref(lua, LUA_REGISTRYINDEX, function);
    mesh->pins = any_pin ? pins : NULL;
    mesh->max_distances = any_distance ? distances : NULL;
    return done;
}

// Calls the function at the top of the stack.
static bool paint_vertex(lua_State *lua, ScriptReader *reader, const AssetSurface *surface, int vertex,
                         Paint *out_paint) {
    ScriptFindings findings = {0};
    lua_pushvalue(lua, -1);
    push_vertex(lua, surface, vertex);
    lua_call(lua, 1, 1);
    script_state_check_time(lua);
    if (lua_isnil(lua, -1)) {
        lua_pop(lua, 1);
        return true;
    }
    ScriptArena *scratch = script_arena_push(lua);
    const ScriptNode *node = script_node_read(lua, -2, false, SCRIPT_MAX_DEFINITION_NODES, scratch);
    ScriptReader own = {.arena = scratch, .findings = &findings, .file = "", .root = node, .prefix = ""};
    script_field_read(&own, &paint_type, node, out_paint);
    const bool right = findings.error_count == 0;
    const float *at = surface->positions[vertex];
    if (!right)
        script_reader_error_at(reader, "paint", "at {%g, %g, %g}: %s%s%s", (double)at[0], (double)at[1],
                               (double)at[2], findings.count ? findings.items[0].path : "",
                               findings.count && *findings.items[0].path ? ": " : "",
                               findings.count ? findings.items[0].message : "out of memory");
    script_findings_finish(&findings);
    script_arena_finish(scratch);
    lua_pop(lua, 2);
    return right;
}

// {position =, uv =, color =, object =, material =}
static void push_vertex(lua_State *lua, const AssetSurface *surface, int vertex) {
    int part = 0;
    while (part + 1 < surface->part_count && vertex >= surface->parts[part + 1].first_vertex) part++;
    luaL_checkstack(lua, 8, "paint");
    lua_createtable(lua, 0, 5);
    push_numbers(lua, "position", surface->positions[vertex], 3);
    if (surface->uvs) push_numbers(lua, "uv", surface->uvs[vertex], 2);
    if (surface->colors) push_numbers(lua, "color", surface->colors[vertex], 4);
    lua_pushstring(lua, surface->parts[part].object);
    lua_setfield(lua, -2, "object");
    lua_pushstring(lua, surface->parts[part].material);
    lua_setfield(lua, -2, "material");
}

static void push_numbers(lua_State *lua, const char *key, const float *numbers, int count) {
    lua_createtable(lua, count, 0);
    for (int i = 0; i < count; i++) {
        lua_pushnumber(lua, (lua_Number)numbers[i]);
        lua_rawseti(lua, -2, i + 1);
    }
    lua_setfield(lua, -2, key);
}
