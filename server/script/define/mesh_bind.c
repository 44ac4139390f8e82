#include "define/mesh_bind.h"

#include "define/import.h"
#include "define/mesh_bind_cloth.h"
#include "define/mesh_shapes.h"
#include "define/mesh_sources.h"
#include "sandbox/state.h"

#include <asset/skin.h>
#include <cglm/mat4.h>
#include <cglm/quat.h>
#include <cglm/vec3.h>
#include <string.h>

typedef struct Part { // of the mesh, that a bone moves
    float from[3], to[3], x[3], y[3], z[3];
} Part;

typedef struct Tuck {
    ScriptList shapes; // of ScriptItem; none: nothing is pulled
    ScriptList bones;  // map of float
    float blend, margin;
} Tuck;

typedef struct Bind {
    const char *name;
    const ScriptMesh *mesh;
    const ScriptSkeleton *skeleton;
    ScriptItem cloth; // schema NULL: the skeleton
    ScriptList bones; // map of ScriptList of float[3]; items NULL: by the skeleton
    ScriptList fit;   // map of Part
    Tuck tuck;
    ScriptMaterial material;
    int resolution;
    float sharpness;
} Bind;

#define PLACE .minimum = -1e4, .maximum = 1e4, .unit = "m"

static const ScriptSchemaField point_element = {.type = SCRIPT_TYPE_VECTOR, PLACE};
static const ScriptSchemaField points_element = {
    .type = SCRIPT_TYPE_LIST, .element = &point_element, .expects = "a list of places {x, y, z}"};
static const ScriptSchemaField part_fields[] = {
    {SCRIPT_FIELD(Part, from, VECTOR), PLACE, .required = true,
     .help = "A place in the mesh's own pose, such as its joint."},
    {SCRIPT_FIELD(Part, to, VECTOR), PLACE, .required = true, .help = "The place that it moves to."},
    {SCRIPT_FIELD(Part, x, VECTOR), .minimum = -100.0, .maximum = 100.0, .vector = {1.0f, 0.0f, 0.0f},
     .help = "What becomes of a step of 1 m along x."},
    {SCRIPT_FIELD(Part, y, VECTOR), .minimum = -100.0, .maximum = 100.0, .vector = {0.0f, 1.0f, 0.0f},
     .help = "What becomes of a step of 1 m along y."},
    {SCRIPT_FIELD(Part, z, VECTOR), .minimum = -100.0, .maximum = 100.0, .vector = {0.0f, 0.0f, 1.0f},
     .help = "What becomes of a step of 1 m along z."},
};
static const ScriptSchema part_schema = {.name = "MeshPart",
                                         .size = sizeof(Part),
                                         SCRIPT_FIELDS(part_fields),
                                         .help = "How a bone's part of a mesh moves to fit the skeleton."};
static const ScriptSchemaField part_element = {.type = SCRIPT_TYPE_TABLE,
                                               .schemas = SCRIPT_ONE_SCHEMA(part_schema),
                                               .expects = "{from =, to =, x =, y =, z =}"};

static const ScriptSchemaField share_element = {.type = SCRIPT_TYPE_NUMBER, .minimum = 0.0, .maximum = 1.0};
static const ScriptSchemaField tuck_fields[] = {
    {SCRIPT_FIELD(Tuck, shapes, LIST), .required = true, .element = &script_mesh_shape_element,
     .help = "Ellipsoids, spheres and capsules on the skeleton, such as a character's colliders."},
    {SCRIPT_FIELD(Tuck, bones, MAP), .required = true, .element = &share_element,
     .expects = "{BONE = share, ...}",
     .help = "How much of the way the skin of each bone goes, 0 to 1; bones left out: 0."},
    {SCRIPT_FIELD(Tuck, blend, NUMBER), .minimum = 0.0001, .maximum = 1.0, .unit = "m", .number = 0.015,
     .help = "How far hollows between the shapes are filled, as in tweed.loft_mesh."},
    {SCRIPT_FIELD(Tuck, margin, NUMBER), .minimum = -1.0, .maximum = 1.0, .unit = "m",
     .help = "How far the skin may stand out of the shapes."},
};
static const ScriptSchema tuck_schema = {.name = "MeshTuck",
                                         .size = sizeof(Tuck),
                                         SCRIPT_FIELDS(tuck_fields),
                                         .help = "Pulls skin into shapes, so that cloth which collides with "
                                                 "them lies on it."};

static const ScriptSchemaField bind_fields[] = {
    {SCRIPT_FIELD(Bind, name, NAME), .required = true, .help = "Unique among the character's meshes."},
    {SCRIPT_FIELD(Bind, mesh, MESH), .required = true,
     .help = "A surface of tweed.import_mesh, tweed.loft_mesh or tweed.mesh; closed, if a skeleton moves it. "
             "Its weights, if any, do not matter."},
    {SCRIPT_FIELD(Bind, skeleton, SKELETON), .otherwise = "none: cloth moves it",
     .help = "The skeleton that moves it."},
    {SCRIPT_FIELD(Bind, cloth, ONE_OF), .schemas = SCRIPT_ONE_SCHEMA(script_cloth_schema),
     .expects = "what tweed.cloth returns", .otherwise = "none: a skeleton moves it",
     .help = "The garment whose bones move it, each vertex like the nearest place of the cloth at the bind "
             "pose. The other keys but name and material are for skeletons."},
    {SCRIPT_FIELD(Bind, bones, MAP), .element = &points_element, .expects = "{BONE = {{x, y, z}, ...}, ...}",
     .otherwise = "from each bone's joint to those below it",
     .help = "The lines of bones inside the mesh, in its own pose. Bones left out move nothing."},
    {SCRIPT_FIELD(Bind, fit, MAP), .element = &part_element, .expects = "{BONE = {from =, to =, ...}, ...}",
     .otherwise = "the mesh stays as it is",
     .help = "How each bone's part moves from the mesh's own pose to the skeleton's rest pose: `from` goes "
             "to `to`, and what is round it is turned and stretched. Vertices of several bones move by "
             "their weights."},
    {SCRIPT_FIELD(Bind, tuck, TABLE), .schemas = SCRIPT_ONE_SCHEMA(tuck_schema),
     .expects = "{shapes =, bones =, ...}", .otherwise = "none",
     .help = "Pulls the skin into shapes, after the fit."},
    {SCRIPT_FIELD(Bind, material, TABLE), .schemas = script_material_schemas,
     .expects = "{color =, roughness =, pattern =}", .help = "What the surface looks like."},
    {SCRIPT_FIELD(Bind, resolution, INTEGER), .minimum = ASSET_LEAST_RESOLUTION,
     .maximum = ASSET_MOST_RESOLUTION, .unit = "voxels", .number = ASSET_DEFAULT_RESOLUTION,
     .help = "How finely the inside is divided along the mesh's longest side. Parts that are less than a "
             "voxel apart hang together."},
    {SCRIPT_FIELD(Bind, sharpness, NUMBER), .minimum = 1.0, .maximum = 16.0,
     .number = (double)ASSET_DEFAULT_SHARPNESS,
     .help = "The exponent of the distance: a bone twice as far has 1 / 2^sharpness of the weight."},
};
static const ScriptSchema bind_schema = {.constructor = "bind_mesh",
                                         .name = "BindMeshOptions",
                                         .size = sizeof(Bind),
                                         SCRIPT_FIELDS(bind_fields),
                                         .help = "A mesh with weights for a skeleton."};
static const ScriptSchemaField bind_argument = {.type = SCRIPT_TYPE_TABLE,
                                                .schemas = SCRIPT_ONE_SCHEMA(bind_schema),
                                                .expects = "{name =, mesh =, skeleton = or cloth =, ...}"};

typedef struct Binding {
    ScriptReader *reader;
    const Bind *bind;
    ScriptMesh *made;
    AssetBindDef def;
    uint16_t (*joints)[SIM_INFLUENCES];
    float (*weights)[SIM_INFLUENCES];
    float (*positions)[3];
} Binding;

static int bind_mesh(lua_State *lua);
static void check_mover(Binding *binding);
static bool make(lua_State *lua, Binding *binding);
static bool bind_cloth(lua_State *lua, Binding *binding);
static bool bind_skeleton(lua_State *lua, Binding *binding);
static bool list_segments(Binding *binding);
static bool list_given_segments(Binding *binding, AssetBoneSegment *segments);
static void list_bone_segments(Binding *binding, AssetBoneSegment *segments);
static bool allocate(Binding *binding);
static bool fit(Binding *binding);
static bool tuck(Binding *binding, const char *cache);
static bool finish(Binding *binding);

const ScriptFunction script_mesh_bind_functions[] = {
    {"import_mesh", script_import_mesh,
     .parameters = {{.name = "file",
                     .type = "string|tweed.ImportMeshOptions",
                     .schema = &script_import_mesh_schema,
                     .help = "The file's name, or a table of options."}},
     .results = {{.name = "mesh", .type = "tweed.Mesh"}},
     .help = "Imports a surface without weights from a file (Collada, OBJ, glTF, FBX, X or PLY), for "
             "tweed.bind_mesh. Only while the script loads.",
     .example =
         "local human = tweed.import_mesh { file = \"Collada/human.zae\", mesh = \"human-baseMesh\" }"},
    {"loft_mesh", script_loft_mesh, .parameters = {{.name = "loft", .schema = &script_loft_mesh_schema}},
     .results = {{.name = "mesh", .type = "tweed.Mesh"}},
     .help = "Makes one smooth closed surface over ellipsoids, spheres and capsules, without weights, for "
             "tweed.bind_mesh. Only while the script loads.",
     .example = "local arm = tweed.loft_mesh { skeleton = skeleton, shapes = {\n"
                "  tweed.capsule { name = \"arm\", bone = \"LeftArm\", to = { .5, 0, 0 }, radius = .05 },\n"
                "  tweed.sphere { name = \"fist\", bone = \"LeftHand\", radius = .06 },\n"
                "} }"},
    {"bind_mesh", bind_mesh, .parameters = {{.name = "binding", .schema = &bind_schema}},
     .results = {{.name = "mesh", .type = "tweed.Mesh"}},
     .help = "Finds the weights of a closed mesh: by the distance from each bone inside the mesh, so that a "
             "hand beside a thigh is not moved by it. At most four bones move a vertex. The weights are kept "
             "in the folder of `--cache`. With `cloth`, any mesh follows a garment. Only while the script "
             "loads.",
     .example = "local glove = tweed.loft_mesh { skeleton = skeleton, shapes = {\n"
                "  tweed.sphere { name = \"glove\", bone = \"LeftHand\", radius = .05 },\n"
                "} }\n"
                "local bound = tweed.bind_mesh { name = \"glove\", mesh = glove, skeleton = skeleton,\n"
                "  bones = { LeftHand = { (skeleton:rest \"LeftHand\") } },\n"
                "}"},
    {0},
};

static int bind_mesh(lua_State *lua) {
    ScriptReader reader;
    Bind bind;
    script_argument_begin(lua, "bind_mesh", "tweed.bind_mesh", &reader);
    ScriptResource *scratch = lua_touserdata(lua, -1); // the reader's memory
    script_schema_defaults(&bind_schema, &bind);
    script_field_read(&reader, &bind_argument, reader.root, &bind);
    ScriptMesh *made = script_mesh_push(lua);
    Binding binding = {.reader = &reader, .bind = &bind, .made = made};
    if (!script_reader_failed(&reader)) check_mover(&binding);
    if (!script_reader_failed(&reader) && !bind.mesh->broken && !(bind.skeleton && bind.skeleton->broken)) {
        made->broken = !make(lua, &binding);
        if (made->broken && !script_reader_failed(&reader)) script_reader_error(&reader, "out of memory");
    }
    made->header.finding_range = script_argument_end(&reader);
    script_resource_finish(scratch); // large, and Lua would not know
    return 1;
}

// A skeleton or cloth moves the mesh, and the keys of skeletons do nothing for cloth.
static void check_mover(Binding *binding) {
    const Bind *bind = binding->bind;
    const struct {
        const char *key;
        bool is_given;
    } of_skeletons[] = {{"skeleton", bind->skeleton},
                        {"bones", bind->bones.items},
                        {"fit", bind->fit.items},
                        {"tuck", bind->tuck.shapes.count > 0}};
    if (!bind->skeleton && !bind->cloth.schema)
        script_reader_error(binding->reader, "expected skeleton or cloth, which moves the mesh");
    for (size_t i = 0; bind->cloth.schema && i < sizeof of_skeletons / sizeof *of_skeletons; i++)
        if (of_skeletons[i].is_given)
            script_reader_error_at(binding->reader, of_skeletons[i].key, "has no effect beside cloth");
}

static bool make(lua_State *lua, Binding *binding) {
    return (binding->bind->cloth.schema ? bind_cloth(lua, binding) : bind_skeleton(lua, binding)) &&
           finish(binding);
}

static bool bind_cloth(lua_State *lua, Binding *binding) {
    const ScriptState *state = script_state_of(lua);
    const ScriptMesh *mesh = binding->bind->mesh;
    ScriptMesh *made = binding->made;
    script_import_count(lua);
    script_cpu_timer_pause(state->cpu_timer); // as for imports
    const bool done =
        script_mesh_bind_cloth(binding->reader, mesh, (ScriptGarmentDef *)binding->bind->cloth.value, made);
    script_cpu_timer_resume(state->cpu_timer);
    binding->joints = (uint16_t(*)[SIM_INFLUENCES])made->surface.joints;
    binding->weights = (float(*)[SIM_INFLUENCES])made->surface.weights;
    binding->positions = script_arena_copy(&made->arena, mesh->surface.positions,
                                           (size_t)mesh->surface.vertex_count, sizeof *binding->positions);
    return done && binding->positions;
}

static bool bind_skeleton(lua_State *lua, Binding *binding) {
    const ScriptState *state = script_state_of(lua);
    const Bind *bind = binding->bind;
    const SimRenderMesh *surface = &bind->mesh->surface;
    binding->def = (AssetBindDef){
        .positions = surface->positions,
        .vertex_count = surface->vertex_count,
        .triangles = surface->triangles,
        .triangle_count = surface->triangle_count,
        .bone_count = bind->skeleton->bone_count,
        .resolution = bind->resolution,
        .sharpness = bind->sharpness,
    };
    if (!allocate(binding) || !list_segments(binding)) return false;
    script_import_count(lua);
    script_cpu_timer_pause(state->cpu_timer); // as for imports
    AssetError error;
    const bool bound =
        asset_bind(&binding->def, state->host->cache, binding->joints, binding->weights, &error);
    const bool done = bound && fit(binding) && tuck(binding, state->host->cache);
    script_cpu_timer_resume(state->cpu_timer);
    if (!bound) script_reader_error(binding->reader, "%s", error.message);
    return done;
}

static bool allocate(Binding *binding) {
    const int vertices = binding->def.vertex_count, bones = binding->def.bone_count;
    ScriptArena *arena = &binding->made->arena;
    const char **names = script_arena_alloc(arena, (size_t)bones, sizeof *names);
    binding->joints = script_arena_alloc(arena, (size_t)vertices, sizeof *binding->joints);
    binding->weights = script_arena_alloc(arena, (size_t)vertices, sizeof *binding->weights);
    binding->positions =
        script_arena_copy(arena, binding->def.positions, (size_t)vertices, sizeof *binding->positions);
    if (!names || !binding->joints || !binding->weights || !binding->positions) return false;
    for (int i = 0; i < bones; i++) {
        const char *name = binding->bind->skeleton->bones[i].name;
        if (!(names[i] = script_arena_text(arena, name))) return false;
    }
    binding->made->bones = binding->def.bone_names = names;
    binding->made->bone_count = bones;
    return true;
}

static bool list_segments(Binding *binding) {
    const ScriptList *given = &binding->bind->bones;
    int count = 2 * binding->def.bone_count;
    const ScriptList *lines = given->items;
    for (int i = 0; i < given->count; i++) count += lines[i].count;
    AssetBoneSegment *segments = script_reader_alloc(binding->reader, count, sizeof *segments);
    if (!segments) return false;
    binding->def.segments = segments;
    if (given->items) return list_given_segments(binding, segments);
    list_bone_segments(binding, segments);
    return true;
}

static bool list_given_segments(Binding *binding, AssetBoneSegment *segments) {
    const ScriptList *given = &binding->bind->bones;
    bool known = true;
    script_reader_key(binding->reader, "bones");
    for (int i = 0; i < given->count; i++) {
        const ScriptList *line = (const ScriptList *)given->items + i;
        const float(*points)[3] = (const float(*)[3])line->items;
        script_reader_key(binding->reader, given->keys[i]);
        const int bone = script_mesh_find_bone(binding->reader, binding->bind->skeleton, given->keys[i]);
        known = known && bone >= 0;
        for (int k = line->count > 1; bone >= 0 && k < line->count; k++) {
            AssetBoneSegment *segment = &segments[binding->def.segment_count++];
            segment->bone = bone;
            glm_vec3_copy((float *)points[k > 0 ? k - 1 : k], segment->from);
            glm_vec3_copy((float *)points[k], segment->to);
        }
        script_reader_leave(binding->reader);
    }
    script_reader_leave(binding->reader);
    return known;
}

// From each bone to those below it; a last bone ends where its file says, or is a point.
static void list_bone_segments(Binding *binding, AssetBoneSegment *segments) {
    const ScriptSkeleton *skeleton = binding->bind->skeleton;
    for (int i = 0; i < skeleton->bone_count; i++) {
        const SimTransform *rest = &skeleton->rest_model[i];
        bool is_last = true;
        for (int below = i + 1; below < skeleton->bone_count; below++) {
            if (skeleton->bones[below].parent != i) continue;
            is_last = false;
            float *end = (float *)skeleton->rest_model[below].position;
            if (glm_vec3_distance((float *)rest->position, end) < 1e-4f) continue;
            AssetBoneSegment *segment = &segments[binding->def.segment_count++];
            segment->bone = i;
            glm_vec3_copy((float *)rest->position, segment->from);
            glm_vec3_copy(end, segment->to);
        }
        if (!is_last) continue;
        vec3 end = {0.0f, 0.0f, 0.0f};
        AssetBoneSegment *segment = &segments[binding->def.segment_count++];
        if (skeleton->file) asset_file_bone_end(skeleton->file, i, end);
        segment->bone = i;
        glm_vec3_copy((float *)rest->position, segment->from);
        glm_quat_rotatev((float *)rest->rotation, end, segment->to);
        glm_vec3_add((float *)rest->position, segment->to, segment->to);
    }
}

static bool fit(Binding *binding) {
    const ScriptList *given = &binding->bind->fit;
    const Part *parts = given->items;
    if (!parts) return true;
    mat4 *matrices = script_reader_alloc(binding->reader, binding->def.bone_count, sizeof *matrices);
    bool known = matrices != NULL;
    for (int i = 0; matrices && i < binding->def.bone_count; i++) glm_mat4_identity(matrices[i]);
    script_reader_key(binding->reader, "fit");
    for (int i = 0; matrices && i < given->count; i++) {
        script_reader_key(binding->reader, given->keys[i]);
        const int bone = script_mesh_find_bone(binding->reader, binding->bind->skeleton, given->keys[i]);
        script_reader_leave(binding->reader);
        known = known && bone >= 0;
        if (bone < 0) continue;
        vec4 *matrix = matrices[bone];
        glm_vec3_copy((float *)parts[i].x, matrix[0]);
        glm_vec3_copy((float *)parts[i].y, matrix[1]);
        glm_vec3_copy((float *)parts[i].z, matrix[2]);
        vec3 moved;
        glm_mat4_mulv3(matrix, (float *)parts[i].from, 0.0f, moved);
        glm_vec3_sub((float *)parts[i].to, moved, matrix[3]);
    }
    script_reader_leave(binding->reader);
    if (known)
        asset_skin_move(&binding->def, (const uint16_t(*)[SIM_INFLUENCES])binding->joints,
                        (const float(*)[SIM_INFLUENCES])binding->weights, (const mat4 *)matrices,
                        binding->positions);
    return known;
}

static bool tuck(Binding *binding, const char *cache) {
    const Tuck *given = &binding->bind->tuck;
    ScriptReader *reader = binding->reader;
    if (given->shapes.count == 0) return true;
    float *of_bone = script_reader_alloc(reader, binding->def.bone_count, sizeof *of_bone);
    float *shares = script_reader_alloc(reader, binding->def.vertex_count, sizeof *shares);
    if (!of_bone || !shares) return false;
    bool known = true;
    script_reader_key(reader, "tuck");
    script_reader_key(reader, "bones");
    for (int i = 0; i < given->bones.count; i++) {
        script_reader_key(reader, given->bones.keys[i]);
        const int bone = script_mesh_find_bone(reader, binding->bind->skeleton, given->bones.keys[i]);
        script_reader_leave(reader);
        known = known && bone >= 0;
        if (bone >= 0) of_bone[bone] = ((const float *)given->bones.items)[i];
    }
    script_reader_leave(reader);
    script_reader_key(reader, "shapes");
    const AssetShape *shapes = script_mesh_shapes(reader, &given->shapes, binding->bind->skeleton);
    script_reader_leave(reader);
    script_reader_leave(reader);
    for (int i = 0; i < binding->def.vertex_count; i++)
        for (int k = 0; k < SIM_INFLUENCES; k++)
            shares[i] += binding->weights[i][k] * of_bone[binding->joints[i][k]];
    const AssetTuckDef def = {shapes, given->shapes.count, given->blend, given->margin, shares};
    return shapes && known && asset_skin_tuck(&binding->def, &def, cache, binding->positions, NULL);
}

// Fills in what the mesh is, once it has its shape.
static bool finish(Binding *binding) {
    ScriptMesh *made = binding->made;
    SimRenderMesh *surface = &made->surface;
    const SimRenderMesh *from = &binding->bind->mesh->surface;
    const size_t vertices = (size_t)from->vertex_count, triangles = (size_t)from->triangle_count;
    float(*normals)[3] = script_arena_alloc(&made->arena, vertices, sizeof *normals);
    *surface = (SimRenderMesh){
        .name = script_arena_text(&made->arena, binding->bind->name),
        .garment = -1,
        .vertex_count = from->vertex_count,
        .triangle_count = from->triangle_count,
        .positions = (const float(*)[3])binding->positions,
        .normals = (const float(*)[3])normals,
        .uvs = script_arena_copy(&made->arena, from->uvs, vertices, sizeof *from->uvs),
        .triangles = script_arena_copy(&made->arena, from->triangles, triangles, sizeof *from->triangles),
        .joints = (const uint16_t(*)[SIM_MESH_JOINTS])binding->joints,
        .weights = (const float(*)[SIM_MESH_JOINTS])binding->weights,
    };
    if (!surface->name || !normals || !surface->uvs || !surface->triangles) return false;
    made->material = binding->bind->material;
    return sim_render_mesh_normals(surface, normals);
}
