#include "define/mesh_paint.h"

#include "sandbox/state.h"

#include <math.h>
#include <string.h>

typedef struct Paint {
    bool pin;
    float max_distance; // negative: none
    bool bone, cut;
} Paint;

static const ScriptSchemaField paint_fields[] = {
    {SCRIPT_FIELD(Paint, pin, BOOLEAN)},
    {SCRIPT_FIELD(Paint, max_distance, NUMBER), .minimum = 0.0, .maximum = 10.0, .unit = "m", .number = -1.0},
    {SCRIPT_FIELD(Paint, bone, BOOLEAN)},
    {SCRIPT_FIELD(Paint, cut, BOOLEAN)},
};
static const ScriptSchema paint_schema = {.size = sizeof(Paint), SCRIPT_FIELDS(paint_fields)};
static const ScriptSchema *const paint_schemas[] = {&paint_schema, NULL};
static const ScriptSchemaField paint_type = {.type = SCRIPT_TYPE_TABLE,
                                             .schemas = paint_schemas,
                                             .expects = "nil or {pin =, max_distance =, bone =, cut =}"};

static bool paint_vertex(lua_State *lua, ScriptReader *reader, const AssetSurface *surface, int vertex,
                         Paint *out_paint);
static bool cut(ScriptReader *reader, const bool *cuts, ScriptMesh *mesh);
static void push_vertex(lua_State *lua, const AssetSurface *surface, int vertex);
static void push_numbers(lua_State *lua, const char *key, const float *numbers, int count);

bool script_mesh_paint(lua_State *lua, ScriptReader *reader, int function, const AssetSurface *surface,
                       ScriptMesh *mesh) {
    const size_t count = (size_t)surface->vertex_count;
    bool *pins = script_arena_alloc(&mesh->arena, count, sizeof *pins), any_pin = false, any_distance = false;
    float *distances = script_arena_alloc(&mesh->arena, count, sizeof *distances);
    bool *cuts = script_arena_alloc(&mesh->arena, count, sizeof *cuts);
    bool *bones = script_arena_alloc(&mesh->arena, count, sizeof *bones), any_bone = false;
    bool done = pins && distances && bones && cuts;
    if (!done) script_reader_error(reader, "out of memory");
    lua_rawgeti(lua, LUA_REGISTRYINDEX, function);
    for (int i = 0; done && i < surface->vertex_count; i++) {
        Paint paint = {.max_distance = -1.0f};
        done = paint_vertex(lua, reader, surface, i, &paint);
        cuts[i] = paint.cut;
        pins[i] = paint.pin && !paint.cut;
        distances[i] = paint.max_distance >= 0.0f ? paint.max_distance : NAN;
        any_pin |= pins[i];
        bones[i] = paint.bone && !paint.cut;
        any_bone |= bones[i];
        any_distance |= paint.max_distance >= 0.0f;
    }
    lua_pop(lua, 1);
    luaL_unref(lua, LUA_REGISTRYINDEX, function);
    mesh->pins = any_pin ? pins : NULL;
    mesh->max_distances = any_distance ? distances : NULL;
    mesh->bone_marks = any_bone ? bones : NULL;
    return done && cut(reader, cuts, mesh);
}

// Leaves out the cut vertices and their triangles.
static bool cut(ScriptReader *reader, const bool *cuts, ScriptMesh *mesh) {
    SimRenderMesh *surface = &mesh->surface;
    uint32_t(*triangles)[3] = (uint32_t(*)[3])surface->triangles; // in the mesh's arena, as all below
    uint32_t *left = script_arena_alloc(&mesh->arena, (size_t)surface->vertex_count, sizeof *left), count = 0;
    if (!left) return false;
    for (int i = 0; i < surface->vertex_count; i++) {
        left[i] = count;
        if (cuts[i]) continue;
        memmove((void *)surface->positions[count], surface->positions[i], sizeof *surface->positions);
        memmove((void *)surface->normals[count], surface->normals[i], sizeof *surface->normals);
        if (surface->uvs) memmove((void *)surface->uvs[count], surface->uvs[i], sizeof *surface->uvs);
        if (mesh->pins) ((bool *)mesh->pins)[count] = mesh->pins[i];
        if (mesh->bone_marks) ((bool *)mesh->bone_marks)[count] = mesh->bone_marks[i];
        if (mesh->max_distances) ((float *)mesh->max_distances)[count] = mesh->max_distances[i];
        count++;
    }
    surface->vertex_count = (int)count;
    count = 0;
    for (int i = 0; i < surface->triangle_count; i++) {
        const uint32_t *corner = triangles[i];
        if (cuts[corner[0]] || cuts[corner[1]] || cuts[corner[2]]) continue;
        for (int k = 0; k < 3; k++) triangles[count][k] = left[corner[k]];
        count++;
    }
    surface->triangle_count = (int)count;
    if (count > 0) return true;
    script_reader_error_at(reader, "paint", "expected triangles that are not cut, found none");
    return false;
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
