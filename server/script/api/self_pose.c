// Poses set by a script, and the transforms of bones in the coming tick.
#include "api/self_methods.h"
#include "data/value_lua.h"
#include "host/host.h"
#include "runtime/instance.h"
#include "schema/function.h"
#include "script/unknown_bones.h"

#include <cglm/cglm.h>
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <text/nearest.h>

typedef struct PosedBone {
    float rotation[4]; // all zero: none
    float position[3]; // not finite: none
} PosedBone;

static const ScriptSchemaField posed_bone_fields[] = {
    {SCRIPT_FIELD(PosedBone, rotation, ROTATION), .otherwise = "unchanged", .help = "The bone's rotation."},
    {SCRIPT_FIELD(PosedBone, position, VECTOR), .vector = {INFINITY, INFINITY, INFINITY},
     SCRIPT_RANGE(SIM_RANGE_POSITION), .otherwise = "unchanged", .help = "The bone's position."},
};
const ScriptSchema script_posed_bone_schema = {
    .name = "PosedBone",
    .size = sizeof(PosedBone),
    SCRIPT_FIELDS(posed_bone_fields),
    .help = "The pose of one bone, in the pose's space.",
};
static const ScriptSchemaField bone = {.type = SCRIPT_TYPE_TABLE,
                                       .schemas = SCRIPT_ONE_SCHEMA(script_posed_bone_schema),
                                       .expects = "{rotation = {x, y, z, w}, position = {x, y, z}}"};
static const ScriptSchemaField bones_argument = {
    .type = SCRIPT_TYPE_MAP, .element = &bone, .expects = "{BONE = {rotation = ..., position = ...}, ...}"};

typedef struct PoseOptions {
    int space;
    int64_t sequence; // negative: none
    bool teleport, ignore_unknown;
} PoseOptions;

static const char *const pose_spaces[] = {"parent", "model", NULL};
static const ScriptSchemaField pose_fields[] = {
    {SCRIPT_FIELD(PoseOptions, space, CHOICE), .choices = pose_spaces,
     .help = "\"parent\": relative to the parent bone as posed. \"model\": in model space, where the bone "
             "stays however the bones above it move."},
    {SCRIPT_FIELD(PoseOptions, sequence, LONG), SCRIPT_RANGE(SIM_RANGE_POSE_SEQUENCE), .otherwise = "none",
     .help = "A number of your own that frames show from the tick in which the pose takes effect."},
    {SCRIPT_FIELD(PoseOptions, teleport, BOOLEAN),
     .help = "Whether the pose is a jump and not a motion: the cloth moves along with the body and comes to "
             "rest, without swinging."},
    {SCRIPT_FIELD(PoseOptions, ignore_unknown, BOOLEAN),
     .help = "Whether bones that cannot be posed are left out; otherwise they are an error."},
};
const ScriptSchema script_pose_options_schema = {.name = "PoseOptions",
                                                 .size = sizeof(PoseOptions),
                                                 SCRIPT_FIELDS(pose_fields),
                                                 .help = "Options of self:pose."};

static const ScriptSchemaField name = {.type = SCRIPT_TYPE_NAME, .expects = "the name of a bone"};
static const ScriptSchemaField names_argument = {
    .type = SCRIPT_TYPE_LIST, .element = &name, .expects = "a list of bones' names"};

static void *push_array(lua_State *lua, int count, size_t size);
static void resolve_bones(lua_State *lua, const SimRigInfo *rig, const char *const *wanted, int count,
                          bool ignore, int *out_bones);
static int find_bone(const SimRigInfo *rig, const char *wanted, int count);
static const SimRigInfo *rig_of(const ScriptInstance *instance);
static SimWorld *world_of(const ScriptInstance *instance);
static int no_bone(lua_State *lua, const SimRigInfo *rig, const char *wanted);
static mat4 *next_bones(lua_State *lua, const ScriptInstance *instance, SimTransform *out_root);

// self:pose(bones, options) → the bones that were left out
int script_self_pose(lua_State *lua) {
    const ScriptInstance *instance = script_self_check(lua, 1);
    PoseOptions options;
    ScriptList given = {0};
    luaL_checktype(lua, 2, LUA_TTABLE);
    lua_settop(lua, 3);
    script_options_read(lua, 3, &script_pose_options_schema, "options", &options);
    script_argument_read(lua, 2, &bones_argument, "bones", &given);
    const PosedBone *posed = given.items;
    int *indices = push_array(lua, given.count, sizeof *indices);
    SimPoseBone *poses = push_array(lua, given.count, sizeof *poses);
    resolve_bones(lua, rig_of(instance), given.keys, given.count, options.ignore_unknown, indices);
    SimPoseDef pose = {.bones = poses,
                       .space = options.space == 0 ? SIM_POSE_PARENT : SIM_POSE_MODEL,
                       .teleport = options.teleport,
                       .has_sequence = options.sequence >= 0,
                       .sequence = options.sequence};
    for (int i = 0; i < given.count; i++) {
        const float *q = posed[i].rotation;
        SimPoseBone *out = &poses[pose.bone_count];
        *out = (SimPoseBone){.bone = indices[i],
                             .has_rotation = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0.0f,
                             .has_position = isfinite(posed[i].position[0])};
        memcpy(out->rotation, posed[i].rotation, sizeof posed[i].rotation);
        memcpy(out->position, posed[i].position, sizeof posed[i].position);
        if (indices[i] >= 0 && (out->has_rotation || out->has_position)) pose.bone_count++;
    }
    sim_character_set_pose(world_of(instance), instance->id, &pose);
    return 1;
}

// self:release(bones)
int script_self_release(lua_State *lua) {
    const ScriptInstance *instance = script_self_check(lua, 1);
    ScriptList given = {0};
    lua_settop(lua, 2);
    if (lua_isnil(lua, 2)) {
        sim_character_release_pose(world_of(instance), instance->id, NULL, 0);
        return 0;
    }
    luaL_checktype(lua, 2, LUA_TTABLE);
    script_argument_read(lua, 2, &names_argument, "bones", &given);
    int *indices = push_array(lua, given.count, sizeof *indices);
    resolve_bones(lua, rig_of(instance), given.items, given.count, false, indices);
    sim_character_release_pose(world_of(instance), instance->id, indices, given.count);
    return 0;
}

// self:bone(name, space) → position, rotation
int script_self_bone(lua_State *lua) {
    static const char *const spaces[] = {"model", "parent", "world", NULL};
    enum { MODEL, PARENT, WORLD };
    const ScriptInstance *instance = script_self_check(lua, 1);
    const SimRigInfo *rig = rig_of(instance);
    const char *wanted = luaL_checkstring(lua, 2);
    const int space = script_check_choice(lua, 3, "model", spaces);
    const int index = find_bone(rig, wanted, rig->bone_count);
    if (index < 0) return no_bone(lua, rig, wanted);
    SimTransform root;
    mat4 *bones = next_bones(lua, instance, &root), frame, placed;
    const int parent = rig->bones[index].parent;
    glm_mat4_copy(bones[index], placed);
    if (space == PARENT && parent >= 0) {
        glm_mat4_inv(bones[parent], frame);
        glm_mat4_mul(frame, placed, placed);
    } else if (space == WORLD) {
        glm_quat_mat4(root.rotation, frame);
        glm_vec3_copy(root.position, frame[3]);
        glm_mat4_mul(frame, placed, placed);
    }
    versor rotation;
    glm_mat4_quat(placed, rotation);
    glm_quat_normalize(rotation);
    script_floats_push(lua, placed[3], 3);
    script_floats_push(lua, rotation, 4);
    return 2;
}

static void *push_array(lua_State *lua, int count, size_t size) {
    return lua_newuserdatauv(lua, (size_t)(count + 1) * size, 0);
}

// The indices of the bones, -1 for those that cannot be posed. Their names are pushed as a table if they are
// ignored; otherwise they are an error.
static void resolve_bones(lua_State *lua, const SimRigInfo *rig, const char *const *wanted, int count,
                          bool ignore, int *out_bones) {
    char message[SCRIPT_UNKNOWN_BONES_SIZE];
    const int posable = script_posable_bone_count(rig);
    const char **unknown = push_array(lua, count, sizeof *unknown);
    int unknown_count = 0;
    lua_newtable(lua);
    for (int i = 0; i < count; i++) {
        out_bones[i] = find_bone(rig, wanted[i], posable);
        if (out_bones[i] >= 0) continue;
        unknown[unknown_count++] = wanted[i];
        lua_pushstring(lua, wanted[i]);
        lua_rawseti(lua, -2, unknown_count);
    }
    if (unknown_count == 0 || ignore) return;
    script_describe_unknown_bones(rig, unknown, (size_t)unknown_count, message);
    luaL_error(lua, "%s", message);
}

// The index among the first `count` bones; -1 if there is none of that name.
static int find_bone(const SimRigInfo *rig, const char *wanted, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(rig->bones[i].name, wanted) == 0) return i;
    return -1;
}

static const SimRigInfo *rig_of(const ScriptInstance *instance) {
    return sim_rig_info(world_of(instance), instance->character->info.rig);
}

static SimWorld *world_of(const ScriptInstance *instance) {
    return instance->character->host->world;
}

static int no_bone(lua_State *lua, const SimRigInfo *rig, const char *wanted) {
    TextNearest nearest = text_nearest_to(wanted);
    for (int i = 0; i < rig->bone_count; i++) text_nearest_offer(&nearest, rig->bones[i].name);
    return script_error_raise_unknown(lua, "bone", &nearest);
}

// The bones' matrices of the coming tick, in the host's scratch memory; garments' bones as the last tick left
// them.
static mat4 *next_bones(lua_State *lua, const ScriptInstance *instance, SimTransform *out_root) {
    ScriptHost *host = instance->character->host;
    const SimRigInfo *rig = rig_of(instance);
    if (host->bone_capacity < rig->bone_count) {
        void *grown = realloc(host->bones, (size_t)rig->bone_count * sizeof(mat4));
        if (!grown) luaL_error(lua, "out of memory");
        host->bones = grown;
        host->bone_capacity = rig->bone_count;
    }
    mat4 *bones = host->bones;
    memcpy(bones, sim_character_bones_model(host->world, instance->id),
           (size_t)rig->bone_count * sizeof(mat4));
    sim_character_next_bones_model(host->world, instance->id, bones, out_root);
    return bones;
}
