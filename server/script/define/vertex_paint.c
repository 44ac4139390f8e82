#include "define/vertex_paint.h"

#include "sandbox/state.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MOST_FABRICS 16 // of one mesh

typedef struct Paint {
    bool pin;
    float max_distance, thickness; // negative: none
    const char *fabric;            // NULL: none
    bool bone, cut;
} Paint;

// What is painted so far, in the mesh's arena.
typedef struct Painted {
    bool *pins, *bones, *cuts;
    float *distances, *thicknesses;
    int *fabrics;
    const char **names; // [MOST_FABRICS]
    int name_count;
    bool any_pin, any_bone, any_distance, any_thickness;
    bool says_pin; // be it that there is none
} Painted;

static const ScriptSchemaField paint_fields[] = {
    {SCRIPT_FIELD(Paint, pin, BOOLEAN)},
    {SCRIPT_FIELD(Paint, max_distance, NUMBER), .minimum = 0.0, .maximum = 10.0, .unit = "m", .number = -1.0},
    {SCRIPT_FIELD(Paint, thickness, NUMBER), .minimum = 0.0, .maximum = 0.1, .unit = "m", .number = -1.0},
    {SCRIPT_FIELD(Paint, fabric, NAME), .expects = "the name of a fabric"},
    {SCRIPT_FIELD(Paint, bone, BOOLEAN)},
    {SCRIPT_FIELD(Paint, cut, BOOLEAN)},
};
static const ScriptSchema paint_schema = {.size = sizeof(Paint), SCRIPT_FIELDS(paint_fields)};
static const ScriptSchemaField paint_type = {
    .type = SCRIPT_TYPE_TABLE,
    .schemas = SCRIPT_ONE_SCHEMA(paint_schema),
    .expects = "nil or {pin =, max_distance =, thickness =, fabric =, bone =, cut =}"};

static bool allocate(ScriptMesh *mesh, Painted *out_painted);
static bool paint_vertex(lua_State *lua, ScriptReader *reader, const AssetSurface *surface, int vertex,
                         ScriptMesh *mesh, Painted *painted);
static bool keep(ScriptReader *reader, const Paint *paint, int vertex, ScriptMesh *mesh, Painted *painted);
static void warn_of_no_pins(ScriptReader *reader, const AssetSurface *surface);
static void list_names(const AssetSurface *surface, size_t offset, char *out_list, size_t size);
static int name_fabric(ScriptReader *reader, const char *name, ScriptMesh *mesh, Painted *painted);
static bool cut(ScriptReader *reader, const bool *cuts, ScriptMesh *mesh);
static void push_vertex(lua_State *lua, const AssetSurface *surface, int vertex);
static void push_numbers(lua_State *lua, const char *key, const float *numbers, int count);

bool script_mesh_paint(lua_State *lua, ScriptReader *reader, int function, const AssetSurface *surface,
                       ScriptMesh *mesh) {
    Painted painted = {0};
    bool done = allocate(mesh, &painted);
    if (!done) script_reader_error(reader, "out of memory");
    lua_rawgeti(lua, LUA_REGISTRYINDEX, function);
    for (int i = 0; done && i < surface->vertex_count; i++)
        done = paint_vertex(lua, reader, surface, i, mesh, &painted);
    lua_pop(lua, 1);
    luaL_unref(lua, LUA_REGISTRYINDEX, function);
    if (done && painted.says_pin && !painted.any_pin) warn_of_no_pins(reader, surface);
    mesh->pins = painted.any_pin ? painted.pins : NULL;
    mesh->max_distances = painted.any_distance ? painted.distances : NULL;
    mesh->thicknesses = painted.any_thickness ? painted.thicknesses : NULL;
    mesh->fabrics = painted.name_count > 0 ? painted.fabrics : NULL;
    mesh->fabric_names = painted.names;
    mesh->fabric_name_count = painted.name_count;
    mesh->bone_marks = painted.any_bone ? painted.bones : NULL;
    return done && cut(reader, painted.cuts, mesh);
}

static bool allocate(ScriptMesh *mesh, Painted *out_painted) {
    const size_t count = (size_t)mesh->surface.vertex_count;
    *out_painted = (Painted){
        .pins = script_arena_alloc(&mesh->arena, count, sizeof(bool)),
        .bones = script_arena_alloc(&mesh->arena, count, sizeof(bool)),
        .cuts = script_arena_alloc(&mesh->arena, count, sizeof(bool)),
        .distances = script_arena_alloc(&mesh->arena, count, sizeof(float)),
        .thicknesses = script_arena_alloc(&mesh->arena, count, sizeof(float)),
        .fabrics = script_arena_alloc(&mesh->arena, count, sizeof(int)),
        .names = script_arena_alloc(&mesh->arena, MOST_FABRICS, sizeof(char *)),
    };
    return out_painted->pins && out_painted->bones && out_painted->cuts && out_painted->distances &&
           out_painted->thicknesses && out_painted->fabrics && out_painted->names;
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
        if (mesh->thicknesses) ((float *)mesh->thicknesses)[count] = mesh->thicknesses[i];
        if (mesh->fabrics) ((int *)mesh->fabrics)[count] = mesh->fabrics[i];
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
                         ScriptMesh *mesh, Painted *painted) {
    ScriptFindings findings = {0};
    Paint paint = {.max_distance = -1.0f, .thickness = -1.0f};
    lua_pushvalue(lua, -1);
    push_vertex(lua, surface, vertex);
    lua_call(lua, 1, 1);
    script_state_check_time(lua);
    if (lua_isnil(lua, -1)) {
        lua_pop(lua, 1);
        return keep(reader, &paint, vertex, mesh, painted);
    }
    ScriptArena *scratch = script_arena_push(lua);
    const ScriptNode *node = script_node_read(lua, -2, false, SCRIPT_MAX_DEFINITION_NODES, scratch);
    ScriptReader own = {.arena = scratch, .findings = &findings, .file = "", .root = node, .prefix = ""};
    script_field_read(&own, &paint_type, node, &paint);
    bool right = findings.error_count == 0;
    const float *at = surface->positions[vertex];
    if (!right)
        script_reader_error_at(reader, "paint", "at {%g, %g, %g}: %s%s%s", (double)at[0], (double)at[1],
                               (double)at[2], findings.count ? findings.items[0].path : "",
                               findings.count && *findings.items[0].path ? ": " : "",
                               findings.count ? findings.items[0].message : "out of memory");
    painted->says_pin |= script_node_field(node, "pin") != NULL;
    right = right && keep(reader, &paint, vertex, mesh, painted);
    script_findings_finish(&findings);
    script_arena_finish(scratch);
    lua_pop(lua, 2);
    return right;
}

static bool keep(ScriptReader *reader, const Paint *paint, int vertex, ScriptMesh *mesh, Painted *painted) {
    painted->cuts[vertex] = paint->cut;
    painted->pins[vertex] = paint->pin && !paint->cut;
    painted->bones[vertex] = paint->bone && !paint->cut;
    painted->distances[vertex] = paint->max_distance >= 0.0f ? paint->max_distance : NAN;
    painted->thicknesses[vertex] = paint->thickness;
    painted->fabrics[vertex] = paint->fabric ? name_fabric(reader, paint->fabric, mesh, painted) : -1;
    painted->any_pin |= painted->pins[vertex];
    painted->any_bone |= painted->bones[vertex];
    painted->any_distance |= paint->max_distance >= 0.0f;
    painted->any_thickness |= paint->thickness >= 0.0f;
    return !paint->fabric || painted->fabrics[vertex] >= 0;
}

// As where the name of a part is misspelled.
static void warn_of_no_pins(ScriptReader *reader, const AssetSurface *surface) {
    char objects[256], materials[256];
    list_names(surface, offsetof(AssetSurfacePart, object), objects, sizeof objects);
    list_names(surface, offsetof(AssetSurfacePart, material), materials, sizeof materials);
    script_reader_key(reader, "paint");
    script_reader_warn(reader,
                       "pins no vertex, so it hangs from its highest side; objects are %s, materials %s",
                       objects, materials);
    script_reader_leave(reader);
}

// Each name once, as many as fit.
static void list_names(const AssetSurface *surface, size_t offset, char *out_list, size_t size) {
    size_t length = 0;
    snprintf(out_list, size, "none");
    for (int i = 0; i < surface->part_count; i++) {
        const char *name = (const char *)&surface->parts[i] + offset;
        bool is_new = name[0] != '\0';
        for (int k = 0; k < i && is_new; k++)
            is_new = strcmp((const char *)&surface->parts[k] + offset, name) != 0;
        if (!is_new || length + strlen(name) + 8 > size) continue;
        length += (size_t)snprintf(out_list + length, size - length, "%s\"%s\"", length ? ", " : "", name);
    }
}

// Its index among the mesh's fabrics; -1 with an error.
static int name_fabric(ScriptReader *reader, const char *name, ScriptMesh *mesh, Painted *painted) {
    int index = 0;
    while (index < painted->name_count && strcmp(painted->names[index], name) != 0) index++;
    if (index < painted->name_count) return index;
    if (index == MOST_FABRICS) {
        script_reader_error_at(reader, "paint", "expected %d fabrics at most, found \"%s\", too",
                               MOST_FABRICS, name);
        return -1;
    }
    painted->names[index] = script_arena_text(&mesh->arena, name);
    if (!painted->names[index]) {
        script_reader_error(reader, "out of memory");
        return -1;
    }
    painted->name_count++;
    return index;
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
