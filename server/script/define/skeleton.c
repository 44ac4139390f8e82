// The skeleton object and its methods.
#include "define/skeleton.h"

#include "data/allocator.h"
#include "data/value_lua.h"
#include "define/import.h"
#include "define/mesh.h"
#include "sandbox/state.h"
#include "schema/bones.h"

#include <cglm/quat.h>
#include <cglm/vec3.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>
#include <text/nearest.h>

#define TYPE SCRIPT_SKELETON_TYPE

// User values: the file's userdata, the lists that skeleton.bones and skeleton.meshes give.
enum { FILE_VALUE = 1, BONES_VALUE, MESHES_VALUE };

typedef struct Import {
    const char *file;
    float scale;
} Import;

static const ScriptSchemaField import_fields[] = {
    {SCRIPT_FIELD(Import, file, STRING), .required = true,
     .help = "The file's name. It is searched beside the script, below the asset folders, and in assimp's "
             "test models."},
    {SCRIPT_FIELD(Import, scale, NUMBER), .minimum = 1e-6, .maximum = 1e6,
     .otherwise = "from the format, or guessed from the height",
     .help = "Metres per unit of length in the file."},
};
static const ScriptSchema import_schema = {.constructor = "import",
                                           .name = "ImportOptions",
                                           .size = sizeof(Import),
                                           SCRIPT_FIELDS(import_fields),
                                           .help = "A skeleton imported from a file."};
static const ScriptSchemaField import_argument = {.type = SCRIPT_TYPE_TABLE,
                                                  .schemas = SCRIPT_ONE_SCHEMA(import_schema),
                                                  .expects =
                                                      "the name of a file, or {file = ..., scale = ...}"};

static const ScriptSchemaField bone_element = {.type = SCRIPT_TYPE_TABLE,
                                               .schemas = SCRIPT_ONE_SCHEMA(script_skeleton_bone_schema)};
static const ScriptSchemaField bones_argument = {.type = SCRIPT_TYPE_LIST,
                                                 .element = &bone_element,
                                                 .expects =
                                                     "a list of {name =, parent =, position =, rotation =}"};

static const ScriptParameter fields[] = {
    {.name = "bones",
     .type = "tweed.SkeletonBone[]",
     .help = "The bones as tweed.skeleton takes them, parents first."},
    {.name = "height", .type = "number", .help = "The height at rest, in m."},
    {.name = "meshes",
     .type = "tweed.Mesh[]",
     .help = "The skinned meshes of the file, in the colours of the file; {} without."},
    {0},
};

static int import_skeleton(lua_State *lua);
static ScriptSkeleton *push_skeleton(lua_State *lua);
static void finish(ScriptResource *resource);
static bool set_bones(ScriptSkeleton *skeleton, const SimBoneDef *bones, int bone_count);
static bool set_meshes(ScriptSkeleton *skeleton);
static int rest(lua_State *lua);
static int check_bone(lua_State *lua, const ScriptSkeleton *skeleton);
static int define(lua_State *lua);
static bool copy_bones(ScriptSkeleton *skeleton, const SimBoneDef *bones, int bone_count);
static int has(lua_State *lua);
static int tip(lua_State *lua);
static int index_skeleton(lua_State *lua);
static void push_bones(lua_State *lua, const ScriptSkeleton *skeleton);
static void push_meshes(lua_State *lua, const ScriptSkeleton *skeleton);
static float height_of(const ScriptSkeleton *skeleton);

const ScriptFunction script_skeleton_functions[] = {
    {"import", import_skeleton,
     .parameters = {{.name = "file",
                     .type = "string|tweed.ImportOptions",
                     .schema = &import_schema,
                     .help = "The file's name, or a table of options."}},
     .results = {{.name = "skeleton", .type = "tweed.Skeleton"}},
     .help = "Imports the skeleton of a BVH, glTF, FBX or X file. Only while the script loads.",
     .example = "local skeleton = tweed.import \"BVH/01_01.bvh\""},
    {"skeleton", define,
     .parameters = {{.name = "bones",
                     .type = "tweed.SkeletonBone[]",
                     .schema = &script_skeleton_bone_schema,
                     .help = "The bones, in any order."}},
     .results = {{.name = "skeleton", .type = "tweed.Skeleton"}},
     .help = "Makes a skeleton from a list of bones.",
     .example = "local skeleton = tweed.skeleton {\n"
                "  { name = \"Hips\", position = { 0, 1, 0 } },\n"
                "  { name = \"Spine\", parent = \"Hips\", position = { 0, .2, 0 } },\n"
                "  { name = \"LeftArm\", parent = \"Spine\", position = { .2, .3, 0 } },\n"
                "  { name = \"LeftHand\", parent = \"LeftArm\", position = { .5, 0, 0 } },\n"
                "  { name = \"RightArm\", parent = \"Spine\", position = { -.2, .3, 0 } },\n"
                "}"},
    {"has_asset", script_import_has, .parameters = {{.name = "file", .type = "string"}},
     .results = {{.name = "has", .type = "boolean"},
                 {.name = "reason", .type = "string", .optional = true, .help = "The reason, if not."}},
     .help = "Whether tweed.import and tweed.clip find and can read that file.",
     .example = "local recorded = tweed.has_asset \"BVH/01_01.bvh\""},
    {0},
};

static const ScriptFunction methods[] = {
    {"has", has, .parameters = {{.name = "bone", .type = "string"}},
     .results = {{.name = "known", .type = "boolean"}},
     .help = "Whether the skeleton has a bone of that name.", .example = "assert(skeleton:has \"Hips\")"},
    {"rest", rest, .parameters = {{.name = "bone", .type = "string"}},
     .results = {{.name = "position", .type = "tweed.Vector"},
                 {.name = "rotation", .type = "tweed.Rotation"}},
     .help = "The position and rotation of a bone at rest, in model space.",
     .example = "local position, rotation = skeleton:rest \"LeftHand\""},
    {"tip", tip, .parameters = {{.name = "bone", .type = "string"}},
     .results = {{.name = "position", .type = "tweed.Vector", .optional = true}},
     .help = "The end of a leaf bone in its own space; nil where the file has none.",
     .example = "local tip = skeleton:tip \"LeftHand\" or { .1, 0, 0 }"},
    {0},
};
const ScriptObject script_skeleton_object = {
    .name = "Skeleton",
    .variable = "skeleton",
    .help = "What tweed.import and tweed.skeleton return, for a character and for helpers that fit garments "
            "and colliders to it.",
    .fields = fields,
    .methods = methods,
};

void script_rest_model(const SimBoneDef *bones, int bone_count, SimTransform *out_rest) {
    for (int i = 0; i < bone_count; i++) {
        const SimBoneDef *bone = &bones[i];
        SimTransform *rest = &out_rest[i];
        versor turn;
        vec3 offset;
        glm_quat_copy((float *)bone->rotation, turn);
        glm_vec3_copy((float *)bone->position, offset);
        if (bone->parent < 0) {
            glm_quat_copy(turn, rest->rotation);
            glm_vec3_copy(offset, rest->position);
            continue;
        }
        SimTransform *parent = &out_rest[bone->parent];
        glm_quat_mul(parent->rotation, turn, rest->rotation);
        glm_quat_rotatev(parent->rotation, offset, rest->position);
        glm_vec3_add(parent->position, rest->position, rest->position);
    }
}

void script_bones_push(lua_State *lua, const SimBoneDef *bones, int bone_count) {
    lua_createtable(lua, bone_count, 0);
    for (int i = 0; i < bone_count; i++) {
        lua_createtable(lua, 0, 4);
        lua_pushstring(lua, bones[i].name);
        lua_setfield(lua, -2, "name");
        if (bones[i].parent >= 0) {
            lua_pushstring(lua, bones[bones[i].parent].name);
            lua_setfield(lua, -2, "parent");
        }
        script_floats_push(lua, bones[i].position, 3);
        lua_setfield(lua, -2, "position");
        script_floats_push(lua, bones[i].rotation, 4);
        lua_setfield(lua, -2, "rotation");
        lua_rawseti(lua, -2, i + 1);
    }
}

void script_skeleton_open(lua_State *lua) {
    luaL_newmetatable(lua, TYPE);
    lua_newtable(lua);
    script_functions_set(lua, methods);
    lua_pushcclosure(lua, index_skeleton, 1);
    lua_setfield(lua, -2, "__index");
    script_resource_metatable(lua, "a skeleton");
    lua_pop(lua, 1);
}

static int import_skeleton(lua_State *lua) {
    ScriptReader reader;
    Import import = {0};
    AssetError error;
    script_argument_begin(lua, "import", "tweed.import", &reader);
    if (reader.root->kind == SCRIPT_NODE_STRING)
        import.file = reader.root->text;
    else
        script_field_read(&reader, &import_argument, reader.root, &import);
    ScriptSkeleton *skeleton = push_skeleton(lua);
    const bool readable = import.file && !script_reader_failed(&reader);
    skeleton->file = readable ? script_import(lua, import.file, import.scale, &error) : NULL;
    if (skeleton->file) {
        lua_setiuservalue(lua, -2, FILE_VALUE);
        int bone_count;
        const SimBoneDef *bones = asset_file_bones(skeleton->file, &bone_count);
        if (!set_bones(skeleton, bones, bone_count) || !set_meshes(skeleton))
            return luaL_error(lua, "out of memory");
    } else if (readable) {
        script_reader_error(&reader, "%s", error.message);
    }
    skeleton->header.finding_range = script_argument_end(&reader);
    return 1;
}

// Pushes a broken skeleton; the caller sets the user values.
static ScriptSkeleton *push_skeleton(lua_State *lua) {
    ScriptSkeleton *skeleton = script_resource_push(lua, sizeof *skeleton, MESHES_VALUE, TYPE, finish);
    skeleton->broken = true;
    skeleton->arena.allocator = &script_state_of(lua)->allocator;
    return skeleton;
}

static void finish(ScriptResource *resource) {
    script_arena_finish(&((ScriptSkeleton *)(void *)resource)->arena);
}

static bool set_bones(ScriptSkeleton *skeleton, const SimBoneDef *bones, int bone_count) {
    SimTransform *rest = script_arena_alloc(&skeleton->arena, (size_t)bone_count, sizeof *rest);
    if (!rest) return false;
    script_rest_model(bones, bone_count, rest);
    skeleton->bones = bones;
    skeleton->bone_count = bone_count;
    skeleton->rest_model = rest;
    skeleton->broken = false;
    return true;
}

// Those of the file, which has their data.
static bool set_meshes(ScriptSkeleton *skeleton) {
    int count;
    const SimRenderMesh *surfaces = asset_file_meshes(skeleton->file, &count);
    ScriptMesh *meshes = script_arena_alloc(&skeleton->arena, (size_t)count, sizeof *meshes);
    const ScriptMesh **list = script_arena_alloc(&skeleton->arena, (size_t)count, sizeof *list);
    const char **names = script_arena_alloc(&skeleton->arena, (size_t)skeleton->bone_count, sizeof *names);
    if (!meshes || !list || !names) return false;
    for (int i = 0; i < skeleton->bone_count; i++) names[i] = skeleton->bones[i].name;
    for (int i = 0; i < count; i++) {
        const SimMaterial *material = &surfaces[i].material;
        meshes[i] = (ScriptMesh){
            .surface = surfaces[i], .bones = names, .bone_count = skeleton->bone_count, .is_bound = true};
        meshes[i].material =
            (ScriptMaterial){.roughness = material->roughness, .pattern = (int)material->pattern};
        memcpy(meshes[i].material.color, material->color, sizeof material->color);
        list[i] = &meshes[i];
    }
    skeleton->meshes = list;
    skeleton->mesh_count = count;
    return true;
}

static int rest(lua_State *lua) {
    const SimTransform nowhere = SIM_TRANSFORM_IDENTITY;
    const ScriptSkeleton *skeleton = luaL_checkudata(lua, 1, TYPE);
    const int bone = check_bone(lua, skeleton);
    const SimTransform *transform = bone < 0 ? &nowhere : &skeleton->rest_model[bone];
    script_floats_push(lua, transform->position, 3);
    script_floats_push(lua, transform->rotation, 4);
    return 2;
}

// The bone named by argument 2; -1 for a broken skeleton, so that loading continues and reports all errors.
static int check_bone(lua_State *lua, const ScriptSkeleton *skeleton) {
    const char *name = luaL_checkstring(lua, 2);
    const int bone = script_bone_find(skeleton->bones, skeleton->bone_count, name);
    if (bone >= 0 || skeleton->broken) return bone;
    TextNearest nearest = text_nearest_to(name);
    for (int i = 0; i < skeleton->bone_count; i++) text_nearest_offer(&nearest, skeleton->bones[i].name);
    return script_error_raise_unknown(lua, "bone", &nearest);
}

static int define(lua_State *lua) {
    ScriptReader reader;
    ScriptList list = {0};
    script_argument_begin(lua, "skeleton", "tweed.skeleton", &reader);
    ScriptNode plain = *reader.root;
    plain.call_site = NULL; // a list is no definition
    script_field_read(&reader, &bones_argument, &plain, &list);
    ScriptBone *entries = (ScriptBone *)list.items;
    for (int i = 0; i < list.count; i++) entries[i].index = i + 1;
    if (!list.count && !script_reader_failed(&reader))
        script_reader_error(&reader, "expected one bone at least");
    SimBoneDef *bones = script_reader_alloc(&reader, list.count, sizeof *bones);
    int bone_count = 0;
    if (bones) script_bones_append(&reader, entries, list.count, SIM_BONE_SKELETON, bones, &bone_count);
    ScriptSkeleton *skeleton = push_skeleton(lua);
    if (!script_reader_failed(&reader) && !copy_bones(skeleton, bones, bone_count))
        return luaL_error(lua, "out of memory");
    skeleton->header.finding_range = script_argument_end(&reader);
    return 1;
}

// Copies the bones and their names into the skeleton's arena.
static bool copy_bones(ScriptSkeleton *skeleton, const SimBoneDef *bones, int bone_count) {
    SimBoneDef *kept = script_arena_alloc(&skeleton->arena, (size_t)bone_count, sizeof *kept);
    if (!kept) return false;
    memcpy(kept, bones, (size_t)bone_count * sizeof *kept);
    for (int i = 0; i < bone_count; i++) {
        kept[i].name = script_arena_text(&skeleton->arena, bones[i].name);
        if (!kept[i].name) return false;
    }
    return set_bones(skeleton, kept, bone_count);
}

static int has(lua_State *lua) {
    const ScriptSkeleton *skeleton = luaL_checkudata(lua, 1, TYPE);
    const char *name = luaL_checkstring(lua, 2);
    lua_pushboolean(lua,
                    skeleton->broken || script_bone_find(skeleton->bones, skeleton->bone_count, name) >= 0);
    return 1;
}

static int tip(lua_State *lua) {
    const ScriptSkeleton *skeleton = luaL_checkudata(lua, 1, TYPE);
    const int bone = check_bone(lua, skeleton);
    float end[3];
    if (bone < 0 || !skeleton->file || !asset_file_bone_end(skeleton->file, bone, end)) return 0;
    script_floats_push(lua, end, 3);
    return 1;
}

// upvalue: the methods
static int index_skeleton(lua_State *lua) {
    const ScriptSkeleton *skeleton = luaL_checkudata(lua, 1, TYPE);
    const char *key = luaL_checkstring(lua, 2);
    if (strcmp(key, "bones") == 0) {
        push_bones(lua, skeleton);
    } else if (strcmp(key, "meshes") == 0) {
        push_meshes(lua, skeleton);
    } else if (strcmp(key, "height") == 0) {
        lua_pushnumber(lua, (lua_Number)height_of(skeleton));
    } else {
        lua_getfield(lua, lua_upvalueindex(1), key);
        if (lua_isnil(lua, -1))
            return luaL_error(
                lua, "a skeleton has bones, meshes, height, :has, :rest and :tip, but no \"%s\"", key);
    }
    return 1;
}

// skeleton.bones
static void push_bones(lua_State *lua, const ScriptSkeleton *skeleton) {
    if (lua_getiuservalue(lua, 1, BONES_VALUE) == LUA_TTABLE) return;
    script_bones_push(lua, skeleton->bones, skeleton->bone_count);
    lua_pushvalue(lua, -1);
    lua_setiuservalue(lua, 1, BONES_VALUE);
}

// skeleton.meshes: objects that hold the skeleton, which has their data.
static void push_meshes(lua_State *lua, const ScriptSkeleton *skeleton) {
    if (lua_getiuservalue(lua, 1, MESHES_VALUE) == LUA_TTABLE) return;
    lua_createtable(lua, skeleton->mesh_count, 0);
    for (int i = 0; i < skeleton->mesh_count; i++) {
        script_mesh_push_like(lua, skeleton->meshes[i], 1);
        lua_rawseti(lua, -2, i + 1);
    }
    lua_pushvalue(lua, -1);
    lua_setiuservalue(lua, 1, MESHES_VALUE);
}

static float height_of(const ScriptSkeleton *skeleton) {
    if (skeleton->file) return asset_file_height(skeleton->file);
    float low = 0.0f, high = 0.0f;
    for (int i = 0; i < skeleton->bone_count; i++) {
        const float y = skeleton->rest_model[i].position[1];
        if (i == 0 || y < low) low = y;
        if (i == 0 || y > high) high = y;
    }
    return high - low;
}
