#include "define/mesh_sources.h"

#include "define/import.h"
#include "define/mesh_shapes.h"
#include "define/vertex_paint.h"
#include "sandbox/state.h"

#include <asset/surface.h>
#include <string.h>

typedef struct Import {
    const char *file, *mesh;
    float scale;
    int paint; // reference of a function; LUA_NOREF: none
} Import;

typedef struct Loft {
    const char *name;
    const ScriptSkeleton *skeleton;
    ScriptList shapes; // of ScriptItem
    float cell, blend;
} Loft;

// A surface in memory of the asset layer, freed even if the script is stopped.
typedef struct OwnedSurface {
    ScriptResource resource;
    AssetSurface surface;
} OwnedSurface;

static const ScriptSchemaField import_fields[] = {
    {SCRIPT_FIELD(Import, file, STRING), .required = true,
     .help = "The file's name, searched like the file of tweed.import."},
    {SCRIPT_FIELD(Import, mesh, STRING), .otherwise = "all meshes of the file",
     .help = "The name of a mesh in the file, or of its node."},
    {SCRIPT_FIELD(Import, scale, NUMBER), .minimum = 1e-6, .maximum = 1e6, .number = 1.0,
     .help = "Metres per unit of length in the file."},
    {SCRIPT_FIELD(Import, paint, FUNCTION), .otherwise = "none", .expects = "function(vertex) ... end",
     .lua = "fun(vertex: {position: number[], uv: number[], color: number[]?, object: string, material: "
            "string}): {pin: boolean?, max_distance: number?, thickness: number?, fabric: string?, bone: "
            "boolean?, cut: boolean?}?",
     .help =
         "For tweed.cloth: called for each vertex with {position =, uv =, color =, object =, material =}, "
         "returns {pin = whether it follows the skeleton, max_distance = in m, thickness = how far it keeps "
         "off colliders, in m, fabric = the name of one that is not the garment's, bone = whether a general "
         "mesh has one there, cut = whether it and its triangles are left out} or nil."},
};
const ScriptSchema script_import_mesh_schema = {.constructor = "import_mesh",
                                                .name = "ImportMeshOptions",
                                                .size = sizeof(Import),
                                                SCRIPT_FIELDS(import_fields),
                                                .help = "A surface imported from a file."};
static const ScriptSchemaField import_argument = {
    .type = SCRIPT_TYPE_TABLE,
    .schemas = SCRIPT_ONE_SCHEMA(script_import_mesh_schema),
    .expects = "the name of a file, or {file = ..., mesh = ..., scale = ...}"};

static const ScriptSchemaField loft_fields[] = {
    {SCRIPT_FIELD(Loft, name, NAME), .text = "loft", .otherwise = "\"loft\"", .help = "The mesh's name."},
    {SCRIPT_FIELD(Loft, skeleton, SKELETON), .required = true,
     .help = "The skeleton whose rest pose carries the shapes."},
    {SCRIPT_FIELD(Loft, shapes, LIST), .required = true, .element = &script_mesh_shape_element,
     .help = "What the surface is laid over: ellipsoids, spheres and capsules, such as a character's "
             "colliders."},
    {SCRIPT_FIELD(Loft, cell, NUMBER), .minimum = 0.001, .maximum = 1.0, .unit = "m", .number = 0.015,
     .help = "The size of its squares."},
    {SCRIPT_FIELD(Loft, blend, NUMBER), .minimum = 0.0001, .maximum = 1.0, .unit = "m", .number = 0.015,
     .help = "How far hollows between shapes are filled: where two surfaces cross, the loft is 0.69 of this "
             "above them."},
};
const ScriptSchema script_loft_mesh_schema = {.constructor = "loft_mesh",
                                              .name = "LoftMeshOptions",
                                              .size = sizeof(Loft),
                                              SCRIPT_FIELDS(loft_fields),
                                              .help = "A smooth closed surface over shapes."};
static const ScriptSchemaField loft_argument = {.type = SCRIPT_TYPE_TABLE,
                                                .schemas = SCRIPT_ONE_SCHEMA(script_loft_mesh_schema),
                                                .expects = "{skeleton =, shapes =, ...}"};

static void import_surface(lua_State *lua, ScriptReader *reader, const Import *import, ScriptMesh *mesh);
static bool loft_surface(ScriptReader *reader, const Loft *loft, const char *cache,
                         AssetSurface *out_surface);
static OwnedSurface *push_surface(lua_State *lua);
static void finish_surface(ScriptResource *resource);
static void take_surface(ScriptReader *reader, const AssetSurface *surface, const char *name,
                         ScriptMesh *mesh);

int script_import_mesh(lua_State *lua) {
    ScriptReader reader;
    Import import;
    script_schema_defaults(&script_import_mesh_schema, &import);
    script_argument_begin(lua, "import_mesh", "tweed.import_mesh", &reader);
    if (reader.root->kind == SCRIPT_NODE_STRING)
        import.file = reader.root->text;
    else
        script_field_read(&reader, &import_argument, reader.root, &import);
    ScriptMesh *mesh = script_mesh_push(lua);
    if (import.file && !script_reader_failed(&reader)) import_surface(lua, &reader, &import, mesh);
    mesh->header.finding_range = script_argument_end(&reader);
    return 1;
}

int script_loft_mesh(lua_State *lua) {
    ScriptReader reader;
    Loft loft;
    script_argument_begin(lua, "loft_mesh", "tweed.loft_mesh", &reader);
    script_schema_defaults(&script_loft_mesh_schema, &loft);
    script_field_read(&reader, &loft_argument, reader.root, &loft);
    ScriptMesh *mesh = script_mesh_push(lua);
    if (!script_reader_failed(&reader) && !loft.skeleton->broken) {
        OwnedSurface *owned = push_surface(lua);
        ScriptCpuTimer *timer = script_state_of(lua)->cpu_timer;
        script_cpu_timer_pause(timer);
        const bool lofted = loft_surface(&reader, &loft, script_state_of(lua)->host->cache, &owned->surface);
        script_cpu_timer_resume(timer);
        if (lofted) take_surface(&reader, &owned->surface, loft.name, mesh);
        script_resource_finish(&owned->resource);
        lua_pop(lua, 1);
    }
    mesh->header.finding_range = script_argument_end(&reader);
    return 1;
}

static void import_surface(lua_State *lua, ScriptReader *reader, const Import *import, ScriptMesh *mesh) {
    char path[SCRIPT_PATH_SIZE];
    AssetError error;
    bool loaded = asset_can_import(&error) && script_import_find(lua, import->file, path, &error);
    if (loaded) {
        OwnedSurface *owned = push_surface(lua);
        ScriptState *state = script_state_of(lua);
        script_cpu_timer_pause(state->cpu_timer); // as for tweed.import
        loaded = asset_surface_load(&owned->surface, path, import->mesh, import->scale, state->host->cache,
                                    &state->import, &error);
        script_cpu_timer_resume(state->cpu_timer);
        if (loaded) take_surface(reader, &owned->surface, import->mesh ? import->mesh : import->file, mesh);
        if (loaded && !mesh->broken && import->paint != LUA_NOREF)
            mesh->broken = !script_mesh_paint(lua, reader, import->paint, &owned->surface, mesh);
        script_resource_finish(&owned->resource);
        lua_pop(lua, 1);
    }
    if (!loaded) script_reader_error(reader, "%s", error.message);
}

static bool loft_surface(ScriptReader *reader, const Loft *loft, const char *cache,
                         AssetSurface *out_surface) {
    AssetError error;
    script_reader_key(reader, "shapes");
    const AssetShape *shapes = script_mesh_shapes(reader, &loft->shapes, loft->skeleton);
    const bool done = shapes && asset_surface_loft(out_surface, shapes, loft->shapes.count, loft->cell,
                                                   loft->blend, cache, &error);
    if (shapes && !done) script_reader_error(reader, "%s", error.message);
    script_reader_leave(reader);
    return done;
}

static OwnedSurface *push_surface(lua_State *lua) {
    script_import_count(lua);
    return script_resource_push(lua, sizeof(OwnedSurface), 0, "tweed.surface", finish_surface);
}

static void finish_surface(ScriptResource *resource) {
    asset_surface_finish(&((OwnedSurface *)(void *)resource)->surface);
}

// Copies the surface into the mesh's memory, which counts as the script's.
static void take_surface(ScriptReader *reader, const AssetSurface *surface, const char *name,
                         ScriptMesh *mesh) {
    SimRenderMesh *made = &mesh->surface;
    const size_t vertices = (size_t)surface->vertex_count;
    if (surface->vertex_count > SIM_MAX_MESH_VERTICES) {
        script_reader_error(reader, "expected at most %d vertices, found %d", SIM_MAX_MESH_VERTICES,
                            surface->vertex_count);
        return;
    }
    made->vertex_count = surface->vertex_count;
    made->triangle_count = surface->triangle_count;
    made->name = script_arena_text(&mesh->arena, name);
    made->positions = script_arena_copy(&mesh->arena, surface->positions, vertices, sizeof *made->positions);
    made->uvs = script_arena_copy(&mesh->arena, surface->uvs, vertices, sizeof *made->uvs);
    made->triangles = script_arena_copy(&mesh->arena, surface->triangles, (size_t)surface->triangle_count,
                                        sizeof *made->triangles);
    float(*normals)[3] = script_arena_alloc(&mesh->arena, vertices, sizeof *normals);
    made->normals = (const float(*)[3])normals;
    mesh->broken = !made->name || !made->positions || !made->uvs || !made->triangles || !normals ||
                   !sim_render_mesh_normals(made, normals);
    if (mesh->broken) script_reader_error(reader, "out of memory");
}
