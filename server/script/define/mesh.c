// Makes render meshes from tables or packed strings.
#include "define/mesh.h"

#include "define/import.h"
#include "define/mesh_rows.h"
#include "define/mesh_weights.h"
#include "sandbox/state.h"
#include "shape/clip.h"

#include <math.h>
#include <string.h>

#define TYPE     SCRIPT_MESH_TYPE
#define FARTHEST 1e4 // m from the origin

// As given.
typedef struct Covers {
    float all;           // m
    ScriptMeshRows each; // cells NULL: all
} Covers;

typedef struct Definition {
    const char *name, *garment;
    ScriptMeshRows positions, normals, uvs, triangles;
    ScriptMeshWeights weights;
    ScriptMaterial material;
    Covers covers;
} Definition;

static void read_rows(ScriptReader *reader, const ScriptNode *node, void *out);
static void read_covers(ScriptReader *reader, const ScriptNode *node, void *out);

static const ScriptSchemaField reach = {
    .type = SCRIPT_TYPE_NUMBER, .minimum = 0.0, .maximum = 0.5, .unit = "m", .expects = SCRIPT_COVERS_EXPECT};

static const ScriptSchemaField definition_fields[] = {
    {SCRIPT_FIELD(Definition, name, NAME), .required = true, .help = "Unique among the character's meshes."},
    {SCRIPT_FIELD(Definition, positions, CUSTOM), .required = true, .read = read_rows,
     .context = &script_mesh_positions, .expects = SCRIPT_POSITIONS_EXPECT, .lua = "tweed.Vector[]|string",
     .help = "The vertices in model space at the bind pose. A string holds packed numbers: "
             "`string.pack(\"<fff\", x, y, z)` for each."},
    {SCRIPT_FIELD(Definition, triangles, CUSTOM), .required = true, .read = read_rows,
     .context = &script_mesh_triangles, .expects = SCRIPT_TRIANGLES_EXPECT, .lua = "integer[][]|string",
     .help = "Three vertices each, counted from 1, counter-clockwise seen from outside. A string holds "
             "`string.pack(\"<I4I4I4\", a, b, c)` for each."},
    {SCRIPT_FIELD(Definition, weights, CUSTOM), .required = true, .read = script_mesh_weights_keep,
     .schemas = script_packed_weights_schemas, .expects = SCRIPT_WEIGHTS_EXPECT,
     .lua = "string|table<string, number>[]",
     .help =
         "The bones that move each vertex, of the skeleton, driven or a garment's own (`jacket_3_4`). The "
         "four largest shares of a vertex are kept and made to add up to 1."},
    {SCRIPT_FIELD(Definition, normals, CUSTOM), .read = read_rows, .context = &script_mesh_normals,
     .expects = SCRIPT_NORMALS_EXPECT, .lua = "tweed.Vector[]|string",
     .otherwise = "the mean of the triangles at each place",
     .help = "The direction in which the surface looks at each vertex, of any length."},
    {SCRIPT_FIELD(Definition, uvs, CUSTOM), .read = read_rows, .context = &script_mesh_uvs,
     .expects = SCRIPT_UVS_EXPECT, .lua = "number[][]|string", .otherwise = "all {0, 0}",
     .help = "The place of each vertex on the surface's pattern; for cloth in m along weft and warp."},
    {SCRIPT_FIELD(Definition, material, TABLE), .schemas = script_material_schemas,
     .expects = "{color =, roughness =, pattern =}", .otherwise = "the garment's fabric's",
     .help = "What the surface looks like."},
    {SCRIPT_FIELD(Definition, garment, NAME), .expects = "the name of a garment",
     .otherwise = "none; for meshes of a garment, that garment",
     .help = "The garment that the mesh belongs to."},
    {SCRIPT_FIELD(Definition, covers, CUSTOM), .read = read_covers, .expects = SCRIPT_COVERS_EXPECT,
     .lua = "number|number[]|string", .otherwise = "0: it hides nothing",
     .help = "How far under the surface it hides other meshes, those of garments excepted: their triangles "
             "whose every vertex has the surface so near in front of it are left out, but for what one sees "
             "in openings such as cuffs. 0 where cloth swings. A mesh "
             "whose pattern is \"gauze\" hides nothing."},
};
static const ScriptSchema definition_schema = {
    .constructor = "mesh",
    .name = "MeshOptions",
    .size = sizeof(Definition),
    SCRIPT_FIELDS(definition_fields),
    .help = "A surface that viewers draw: triangles whose vertices bones move."};
static const ScriptSchemaField argument = {.type = SCRIPT_TYPE_TABLE,
                                           .schemas = SCRIPT_ONE_SCHEMA(definition_schema),
                                           .expects = "{name =, positions =, triangles =, weights =, ...}"};

static const ScriptParameter object_fields[] = {
    {.name = "name", .type = "string", .help = "The mesh's name."},
    {.name = "vertex_count", .type = "integer", .help = "The number of its vertices."},
    {.name = "triangle_count", .type = "integer", .help = "The number of its triangles."},
    {0},
};
typedef struct Changes {
    const char *name;
    ScriptMaterial material;
} Changes;

static const ScriptSchemaField change_fields[] = {
    {SCRIPT_FIELD(Changes, name, NAME), .otherwise = "the mesh's", .help = "Its name."},
    {SCRIPT_FIELD(Changes, material, TABLE), .schemas = script_material_schemas,
     .expects = "{color =, roughness =, pattern =}", .otherwise = "the mesh's",
     .help = "What of its material is other."},
};
static const ScriptSchema changes_schema = {
    .name = "MeshChanges", .size = sizeof(Changes), SCRIPT_FIELDS(change_fields)};

typedef struct Part {
    const char *name;
    ScriptMaterial material;
    int within; // a function, not kept: options hold no references
    float out, covers;
} Part;

static const ScriptSchemaField part_fields[] = {
    {SCRIPT_FIELD(Part, name, NAME), .required = true, .help = "Unique among the character's meshes."},
    {SCRIPT_FIELD(Part, within, FUNCTION), .required = true, .expects = "function(position) ... end",
     .lua = "fun(position: number[]): number",
     .help = "Called for each vertex with its place {x, y, z} at the bind pose. Returns how far that is "
             "inside the part's edge, in m; below 0: outside. The edge is where it is 0."},
    {SCRIPT_FIELD(Part, out, NUMBER), .minimum = 0.0, .maximum = 0.1, .unit = "m", .number = 0.002,
     .help = "How far it stands out of the mesh."},
    {SCRIPT_FIELD(Part, covers, NUMBER), .minimum = 0.0, .maximum = 0.5, .unit = "m", .number = 0.0,
     .help =
         "How far below itself the part hides other meshes, as the `covers` of tweed.mesh. A bit more than "
         "`out` leaves out the skin that it lies on."},
    {SCRIPT_FIELD(Part, material, TABLE), .schemas = script_material_schemas,
     .expects = "{color =, roughness =, pattern =}", .otherwise = "the mesh's",
     .help = "What of its material is other."},
};
static const ScriptSchema part_schema = {.name = "MeshPartOptions",
                                         .size = sizeof(Part),
                                         SCRIPT_FIELDS(part_fields),
                                         .help = "A part of a mesh, as a mesh of its own."};

static int with(lua_State *lua);
static int part(lua_State *lua);
static int reshaped(lua_State *lua);

static const ScriptFunction methods[] = {
    {"with", with, .parameters = {{.name = "changes", .schema = &changes_schema}},
     .results = {{.name = "mesh", .type = "tweed.Mesh"}},
     .help = "A mesh of the same surface with another name or material.",
     .example = "local gilt = mesh:with { name = \"gilt\", material = { color = { .9, .7, .3 } } }"},
    {"part", part, .parameters = {{.name = "part", .schema = &part_schema}},
     .results = {{.name = "mesh", .type = "tweed.Mesh"}},
     .help =
         "A part of the mesh, cut out along a line and moved outward, with the same weights: tights and "
         "gloves, which follow a body's skin wherever it goes. Its uvs are the mesh's, scaled so that their "
         "area is the part's, in square metres. Only while the script loads.",
     .example = "local top = mesh:part {\n"
                "  name = \"top\", within = function(position) return position[2] - 1.32 end,\n"
                "}"},
    {"reshaped", reshaped,
     .parameters = {{.name = "place",
                     .type = "fun(position: number[]): number[]",
                     .help =
                         "Called for each vertex with its place {x, y, z} at the bind pose, in m. Returns "
                         "the place where it is to be."}},
     .results = {{.name = "mesh", .type = "tweed.Mesh"}},
     .help = "The mesh with its vertices at other places and new normals: the same weights, another face. "
             "Only while the script loads.",
     .example = "local lean = mesh:reshaped(function(position)\n"
                "  return { position[1] * .95, position[2], position[3] }\n"
                "end)"},
    {0},
};
const ScriptObject script_mesh_object = {
    .name = "Mesh",
    .variable = "mesh",
    .help = "What tweed.mesh, tweed.bind_mesh and skeleton.meshes give, for the meshes of characters and "
            "garments.",
    .fields = object_fields,
    .methods = methods,
};

static int define(lua_State *lua);
static bool check(ScriptReader *reader, const Definition *definition);
static bool check_count(ScriptReader *reader, const char *key, const ScriptMeshRows *rows, int vertex_count);
static bool fill(ScriptReader *reader, const Definition *definition, ScriptMesh *mesh);
static bool set_normals(const ScriptMeshRows *given, ScriptMesh *mesh);
static bool set_covers(const Covers *given, ScriptMesh *mesh);
static void finish(ScriptResource *resource);
static void set_material(ScriptMesh *mesh, const ScriptMaterial *given);
static void push_place(lua_State *lua, const ScriptMesh *mesh, int vertex);
static float depth_of(lua_State *lua, const ScriptMesh *mesh, int vertex);
static void place_of(lua_State *lua, const ScriptMesh *mesh, int vertex, float out_place[3]);
static int index_mesh(lua_State *lua);

const ScriptFunction script_mesh_functions[] = {
    {"mesh", define, .parameters = {{.name = "surface", .schema = &definition_schema}},
     .results = {{.name = "mesh", .type = "tweed.Mesh"}},
     .help = "Makes a render mesh. Only while the script loads. Its tables are read at once and may be "
             "collected. Packed strings take less time and memory where a mesh has many thousand vertices.",
     .example = "local badge = tweed.mesh {\n"
                "  name = \"badge\", weights = \"Spine\", material = { color = { .8, .7, .2 } },\n"
                "  positions = { { 0, 1.3, .15 }, { .05, 1.3, .15 }, { 0, 1.35, .15 } },\n"
                "  triangles = { { 1, 2, 3 } },\n"
                "}"},
    {0},
};

void script_mesh_open(lua_State *lua) {
    luaL_newmetatable(lua, TYPE);
    lua_newtable(lua);
    script_functions_set(lua, methods);
    lua_pushcclosure(lua, index_mesh, 1);
    lua_setfield(lua, -2, "__index");
    script_resource_metatable(lua, "a mesh");
    lua_pop(lua, 1);
}

ScriptMesh *script_mesh_push(lua_State *lua) {
    ScriptMesh *mesh = script_resource_push(lua, sizeof *mesh, 1, TYPE, finish);
    mesh->broken = true;
    mesh->arena.allocator = &script_state_of(lua)->allocator;
    mesh->surface.garment = -1;
    mesh->material = script_material_none();
    return mesh;
}

ScriptMesh *script_mesh_push_like(lua_State *lua, const ScriptMesh *mesh, int owner) {
    owner = lua_absindex(lua, owner);
    ScriptMesh *made = script_mesh_push(lua);
    made->surface = mesh->surface;
    made->bones = mesh->bones;
    made->bone_count = mesh->bone_count;
    made->garment = mesh->garment;
    made->material = mesh->material;
    made->covers = mesh->covers;
    made->pins = mesh->pins;
    made->max_distances = mesh->max_distances;
    made->thicknesses = mesh->thicknesses;
    made->fabrics = mesh->fabrics;
    made->fabric_names = mesh->fabric_names;
    made->fabric_name_count = mesh->fabric_name_count;
    made->is_bound = mesh->is_bound;
    made->broken = mesh->broken;
    lua_pushvalue(lua, owner);
    lua_setiuservalue(lua, -2, 1);
    return made;
}

static int define(lua_State *lua) {
    ScriptReader reader;
    Definition definition;
    script_argument_begin(lua, "mesh", "tweed.mesh", &reader);
    ScriptResource *scratch = lua_touserdata(lua, -1); // the reader's memory
    script_schema_defaults(&definition_schema, &definition);
    script_field_read(&reader, &argument, reader.root, &definition);
    ScriptMesh *mesh = script_mesh_push(lua);
    if (!script_reader_failed(&reader) && check(&reader, &definition) && !fill(&reader, &definition, mesh) &&
        !script_reader_failed(&reader))
        script_reader_error(&reader, "out of memory");
    mesh->broken = script_reader_failed(&reader);
    mesh->header.finding_range = script_argument_end(&reader);
    script_resource_finish(scratch); // large, and Lua would not know
    return 1;
}

static void read_rows(ScriptReader *reader, const ScriptNode *node, void *out) {
    script_mesh_rows_read(reader, reader->field->context, node, out);
}

static void read_covers(ScriptReader *reader, const ScriptNode *node, void *out) {
    Covers *read = out;
    if (node->kind == SCRIPT_NODE_NUMBER)
        script_field_read(reader, &reach, node, &read->all);
    else
        script_mesh_rows_read(reader, &script_mesh_covers, node, &read->each);
}

// Checks what belongs together.
static bool check(ScriptReader *reader, const Definition *definition) {
    const int vertex_count = definition->positions.count;
    if (vertex_count < 1 || vertex_count > SIM_MAX_MESH_VERTICES) {
        script_reader_error_at(reader, "positions", "expected 1 to %d vertices, found %d",
                               SIM_MAX_MESH_VERTICES, vertex_count);
        return false;
    }
    bool counts = check_count(reader, "normals", &definition->normals, vertex_count);
    counts &= check_count(reader, "uvs", &definition->uvs, vertex_count);
    counts &= check_count(reader, "covers", &definition->covers.each, vertex_count);
    return script_mesh_triangles_check(reader, &definition->triangles, vertex_count) && counts;
}

static bool check_count(ScriptReader *reader, const char *key, const ScriptMeshRows *rows, int vertex_count) {
    if (!rows->cells || rows->count == vertex_count) return true;
    script_reader_error_at(reader, key, "expected one for each of %d vertices, found %d", vertex_count,
                           rows->count);
    return false;
}

// Copies all into the mesh's memory. Returns false when memory runs out, or an error is reported.
static bool fill(ScriptReader *reader, const Definition *definition, ScriptMesh *mesh) {
    SimRenderMesh *surface = &mesh->surface;
    const size_t count = (size_t)definition->positions.count;
    mesh->material = definition->material;
    mesh->garment = definition->garment ? script_arena_text(&mesh->arena, definition->garment) : NULL;
    surface->name = script_arena_text(&mesh->arena, definition->name);
    surface->vertex_count = definition->positions.count;
    surface->triangle_count = definition->triangles.count;
    surface->positions =
        script_arena_copy(&mesh->arena, definition->positions.cells, count, sizeof *surface->positions);
    surface->uvs = script_arena_copy(&mesh->arena, definition->uvs.cells, count, sizeof *surface->uvs);
    surface->triangles = script_arena_copy(&mesh->arena, definition->triangles.cells,
                                           (size_t)surface->triangle_count, sizeof *surface->triangles);
    return surface->name && surface->positions && surface->uvs && surface->triangles &&
           (mesh->garment || !definition->garment) && set_normals(&definition->normals, mesh) &&
           set_covers(&definition->covers, mesh) &&
           script_mesh_weights_set(reader, &definition->weights, mesh);
}

static bool set_normals(const ScriptMeshRows *given, ScriptMesh *mesh) {
    SimRenderMesh *surface = &mesh->surface;
    float(*normals)[3] =
        script_arena_copy(&mesh->arena, given->cells, (size_t)surface->vertex_count, sizeof *normals);
    surface->normals = (const float(*)[3])normals;
    return normals && (given->cells || sim_render_mesh_normals(surface, normals));
}

static bool set_covers(const Covers *given, ScriptMesh *mesh) {
    const int count = mesh->surface.vertex_count;
    if (!given->each.cells && given->all <= 0.0f) return true;
    float *covers = script_arena_copy(&mesh->arena, given->each.cells, (size_t)count, sizeof *covers);
    for (int v = 0; covers && !given->each.cells && v < count; v++) covers[v] = given->all;
    mesh->covers = covers;
    return covers != NULL;
}

static void finish(ScriptResource *resource) {
    script_arena_finish(&((ScriptMesh *)(void *)resource)->arena);
}

// The name and the material are its own, all else is the other's.
static int with(lua_State *lua) {
    Changes changes;
    const ScriptMesh *mesh = luaL_checkudata(lua, 1, TYPE);
    script_options_read(lua, 2, &changes_schema, "changes", &changes);
    ScriptMesh *made = script_mesh_push_like(lua, mesh, 1);
    if (changes.name) made->surface.name = script_arena_text(&made->arena, changes.name);
    set_material(made, &changes.material);
    if (!made->surface.name && !made->broken) return luaL_error(lua, "out of memory");
    return 1;
}

static void set_material(ScriptMesh *mesh, const ScriptMaterial *given) {
    if (!isnan(given->color[0])) memcpy(mesh->material.color, given->color, sizeof mesh->material.color);
    if (!isnan(given->roughness)) mesh->material.roughness = given->roughness;
    if (given->pattern >= 0) mesh->material.pattern = given->pattern;
}

static int part(lua_State *lua) {
    Part given;
    const ScriptMesh *mesh = luaL_checkudata(lua, 1, TYPE);
    script_options_read(lua, 2, &part_schema, "part", &given);
    ScriptMesh *made = script_mesh_push_like(lua, mesh, 1);
    if (mesh->broken) return 1;
    float *depths = script_arena_alloc(&made->arena, (size_t)mesh->surface.vertex_count, sizeof *depths);
    if (!depths) return luaL_error(lua, "out of memory");
    lua_getfield(lua, 2, "within");
    for (int i = 0; i < mesh->surface.vertex_count; i++) depths[i] = depth_of(lua, mesh, i);
    lua_pop(lua, 1);
    made->covers = made->max_distances = made->thicknesses = NULL;
    made->pins = made->bone_marks = NULL;
    made->fabrics = NULL;
    set_material(made, &given.material);
    const ScriptClipDef def = {&mesh->surface, depths, given.out};
    if (!script_clip_make(&made->arena, &def, &made->surface) ||
        !(made->surface.name = script_arena_text(&made->arena, given.name)))
        return luaL_error(lua, "out of memory");
    if (made->surface.triangle_count == 0)
        return luaL_error(
            lua, "part.within: expected more than 0 at a vertex at least, found less at all %d of \"%s\"",
            mesh->surface.vertex_count, mesh->surface.name);
    if (!set_covers(&(Covers){.all = given.covers}, made)) return luaL_error(lua, "out of memory");
    return 1;
}

// Calls the function at the top of the stack.
static float depth_of(lua_State *lua, const ScriptMesh *mesh, int vertex) {
    const float *at = mesh->surface.positions[vertex];
    push_place(lua, mesh, vertex);
    lua_call(lua, 1, 1);
    script_state_check_time(lua);
    const float depth = (float)lua_tonumber(lua, -1);
    if (!lua_isnumber(lua, -1) || !isfinite(depth))
        luaL_error(lua, "part.within: at {%f, %f, %f}: expected a number of metres, found %s",
                   (lua_Number)at[0], (lua_Number)at[1], (lua_Number)at[2], luaL_tolstring(lua, -1, NULL));
    lua_pop(lua, 1);
    return depth;
}

static int reshaped(lua_State *lua) {
    const ScriptMesh *mesh = luaL_checkudata(lua, 1, TYPE);
    luaL_checktype(lua, 2, LUA_TFUNCTION);
    ScriptMesh *made = script_mesh_push_like(lua, mesh, 1);
    if (mesh->broken) return 1;
    const size_t count = (size_t)mesh->surface.vertex_count;
    float(*positions)[3] = script_arena_alloc(&made->arena, count, sizeof *positions);
    float(*normals)[3] = script_arena_alloc(&made->arena, count, sizeof *normals);
    if (!positions || !normals) return luaL_error(lua, "out of memory");
    lua_pushvalue(lua, 2);
    for (int i = 0; i < mesh->surface.vertex_count; i++) place_of(lua, mesh, i, positions[i]);
    lua_pop(lua, 1);
    made->surface.positions = (const float(*)[3])positions;
    made->surface.normals = (const float(*)[3])normals;
    if (!sim_render_mesh_normals(&made->surface, normals)) return luaL_error(lua, "out of memory");
    return 1;
}

// Calls the function at the top of the stack.
static void place_of(lua_State *lua, const ScriptMesh *mesh, int vertex, float out_place[3]) {
    push_place(lua, mesh, vertex);
    lua_call(lua, 1, 1);
    script_state_check_time(lua);
    for (int i = 0; i < 3; i++) {
        const bool is_table = lua_istable(lua, -1);
        if (is_table) lua_rawgeti(lua, -1, i + 1);
        const lua_Number at = is_table ? lua_tonumber(lua, -1) : (lua_Number)NAN;
        if (!isfinite(at) || fabs(at) > FARTHEST || (is_table && !lua_isnumber(lua, -1)))
            luaL_error(lua, "place: expected {x, y, z} in m, found %s", luaL_tolstring(lua, -1, NULL));
        out_place[i] = (float)at;
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

// Pushes the function at the top of the stack and its argument.
static void push_place(lua_State *lua, const ScriptMesh *mesh, int vertex) {
    lua_pushvalue(lua, -1);
    lua_createtable(lua, 3, 0);
    for (int i = 0; i < 3; i++) {
        lua_pushnumber(lua, (lua_Number)mesh->surface.positions[vertex][i]);
        lua_rawseti(lua, -2, i + 1);
    }
}

// upvalue: the methods
static int index_mesh(lua_State *lua) {
    const ScriptMesh *mesh = luaL_checkudata(lua, 1, TYPE);
    const char *key = luaL_checkstring(lua, 2);
    if (strcmp(key, "name") == 0)
        lua_pushstring(lua, mesh->surface.name);
    else if (strcmp(key, "vertex_count") == 0)
        lua_pushinteger(lua, mesh->surface.vertex_count);
    else if (strcmp(key, "triangle_count") == 0)
        lua_pushinteger(lua, mesh->surface.triangle_count);
    else if (lua_getfield(lua, lua_upvalueindex(1), key) == LUA_TNIL)
        return luaL_error(
            lua, "a mesh has name, vertex_count, triangle_count, :with, :part and :reshaped, but no \"%s\"",
            key);
    return 1;
}
