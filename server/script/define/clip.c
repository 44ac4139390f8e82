// Makes clips: cuts them out of files, or samples a function frame by frame.
#include "define/clip.h"

#include "data/allocator.h"
#include "define/import.h"
#include "sandbox/state.h"

#include <cglm/quat.h>
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TYPE       SCRIPT_CLIP_TYPE
#define MAX_FRAMES 36000
#define MAX_TRACKS 1024

typedef struct Definition {
    const char *file, *clip;
    float scale, from, to;
    ScriptList turns; // versor
    float duration, rate;
    int sample;
    float loop_blend;
} Definition;

static const ScriptSchemaField bone_turn = {.type = SCRIPT_TYPE_ROTATION};
static const ScriptSchemaField definition_fields[] = {
    {SCRIPT_FIELD(Definition, file, STRING), .otherwise = "none: sample computes the motion",
     .help = "A file with motion, searched like the file of tweed.import."},
    {SCRIPT_FIELD(Definition, clip, STRING), .otherwise = "the first",
     .help = "The clip's name within the file."},
    {SCRIPT_FIELD(Definition, scale, NUMBER), .minimum = 1e-6, .maximum = 1e6,
     .otherwise = "from the format, or guessed from the height",
     .help = "Metres per unit of length in the file."},
    {SCRIPT_FIELD(Definition, from, NUMBER), .minimum = 0.0, .maximum = 1e5, .unit = "s", .number = -1.0,
     .otherwise = "the motion's beginning",
     .help = "The time in the file's motion at which the clip begins."},
    {SCRIPT_FIELD(Definition, to, NUMBER), .minimum = 0.0, .maximum = 1e5, .unit = "s", .number = -1.0,
     .otherwise = "the motion's end", .help = "The time in the file's motion at which the clip ends."},
    {SCRIPT_FIELD(Definition, turns, MAP), .element = &bone_turn, .expects = "{BONE = {x, y, z, w}, ...}",
     .help = "A rotation of each bone, in the parent's space, after the file's: arms away from a body that "
             "is wider than the actor's."},
    {SCRIPT_FIELD(Definition, duration, NUMBER), .minimum = 0.01, .maximum = 600.0, .unit = "s",
     .otherwise = "none: file has the motion", .help = "The length of a computed clip."},
    {SCRIPT_FIELD(Definition, rate, NUMBER), .minimum = 1.0, .maximum = 240.0, .unit = "frames/s",
     .number = 60.0, .help = "The number of frames computed per second."},
    {SCRIPT_FIELD(Definition, sample, FUNCTION), .otherwise = "none: file has the motion",
     .expects = "function(t) ... end", .lua = "fun(t: number): tweed.Pose",
     .help = "A function that gets the time in s and returns the pose at that time."},
    {SCRIPT_FIELD(Definition, loop_blend, NUMBER), .minimum = 0.0, .maximum = 10.0, .unit = "s",
     .number = 0.3, .help = "How long the end fades into the beginning when the clip loops."},
};
static const ScriptSchema definition_schema = {
    .constructor = "clip",
    .name = "ClipOptions",
    .size = sizeof(Definition),
    SCRIPT_FIELDS(definition_fields),
    .help = "A clip: file for a motion in a file, or duration and sample for a computed one."};
static const ScriptSchemaField argument = {
    .type = SCRIPT_TYPE_TABLE,
    .schemas = SCRIPT_ONE_SCHEMA(definition_schema),
    .expects = "{file = ...} or {duration = ..., sample = function(t) ... end}"};

typedef struct SampledBone {
    float rotation[4]; // all zero: none
    float position[3]; // not finite: none
} SampledBone;

typedef struct SampledRoot {
    float x, z, heading;
} SampledRoot;

static const ScriptSchemaField bone_fields[] = {
    {SCRIPT_FIELD(SampledBone, rotation, ROTATION), .otherwise = "as at rest",
     .help = "The bone's rotation, in the parent's space."},
    {SCRIPT_FIELD(SampledBone, position, VECTOR), .vector = {INFINITY, INFINITY, INFINITY}, .minimum = -100.0,
     .maximum = 100.0, .unit = "m", .otherwise = "as at rest",
     .help = "The bone's position, in the parent's space."},
};
static const ScriptSchema bone_schema = {
    .name = "BonePose", .size = sizeof(SampledBone), SCRIPT_FIELDS(bone_fields)};
static const ScriptSchemaField root_fields[] = {
    {SCRIPT_FIELD(SampledRoot, x, NUMBER), .minimum = -1e5, .maximum = 1e5, .unit = "m",
     .help = "The distance to the left."},
    {SCRIPT_FIELD(SampledRoot, z, NUMBER), .minimum = -1e5, .maximum = 1e5, .unit = "m",
     .help = "The distance forwards."},
    {SCRIPT_FIELD(SampledRoot, heading, NUMBER), .minimum = -1e5, .maximum = 1e5, .unit = "rad",
     .help = "The rotation about +Y; it goes on counting past a full turn."},
};
static const ScriptSchema root_schema = {
    .name = "RootPose", .size = sizeof(SampledRoot), SCRIPT_FIELDS(root_fields)};
static const ScriptSchemaField bone_type = {.type = SCRIPT_TYPE_TABLE,
                                            .schemas = SCRIPT_ONE_SCHEMA(bone_schema),
                                            .expects = "{rotation = {x, y, z, w}, position = {x, y, z}}"};
static const ScriptSchemaField root_type = {
    .type = SCRIPT_TYPE_TABLE, .schemas = SCRIPT_ONE_SCHEMA(root_schema), .expects = "{x =, z =, heading =}"};
static const ScriptSchemaField pose_type = {
    .type = SCRIPT_TYPE_DATA, .expects = "{BONE = {rotation = ...}, ..., root = {x =, z =, heading =}}"};

// The conversion of a pose into one frame of a clip.
typedef struct Bake {
    ScriptReader reader; // of the pose; its findings become one of the clip
    ScriptClip *clip;
    ScriptTrack *last; // bones usually come in the same order in each frame
    int frame;
} Bake;

static const ScriptParameter pose_fields[] = {
    {.name = SCRIPT_ANY_BONE,
     .type = "tweed.BonePose",
     .schema = &bone_schema,
     .help = "The pose of the bone of that name."},
    {.name = "bones",
     .type = "table<string, tweed.BonePose>",
     .optional = true,
     .help = "The bones in a table of their own, for skeletons with a bone named root."},
    {.name = "root",
     .type = "tweed.RootPose",
     .schema = &root_schema,
     .optional = true,
     .help = "The root's way over the ground since the beginning of the clip."},
    {0},
};
const ScriptObject script_pose_object = {
    .name = "Pose",
    .help = "What sample returns. Bones that it leaves out are at rest.",
    .fields = pose_fields,
};

static int define(lua_State *lua);
static void check_kind(ScriptReader *reader, const Definition *definition);
static void finish(ScriptResource *resource);
static size_t motion_bytes(const AssetClip *motion);
static void cut_from_file(lua_State *lua, ScriptReader *reader, const Definition *definition,
                          ScriptClip *clip);
static int find_clip(ScriptReader *reader, const AssetFile *file, const char *name);
static void turn_bones(ScriptReader *reader, const ScriptList *turns, ScriptClip *clip);
static void bake_function(lua_State *lua, ScriptReader *reader, const Definition *definition,
                          ScriptClip *clip);
static bool bake_frame(lua_State *lua, ScriptReader *reader, Bake *bake, ScriptArena *scratch, double t);
static void add_pose(Bake *bake, const ScriptNode *pose);
static void add_root(Bake *bake, const ScriptNode *node);
static void add_bone(Bake *bake, const char *name, const ScriptNode *node);
static ScriptTrack *find_track(Bake *bake, const char *bone);
static bool add_position(Bake *bake, ScriptTrack *track, const float position[3]);

const ScriptFunction script_clip_functions[] = {
    {"clip", define, .parameters = {{.name = "motion", .schema = &definition_schema}},
     .results = {{.name = "clip", .type = "tweed.Clip"}},
     .help = "A motion cut out of a file, or computed by a function while the script loads.",
     .example = "local nod = tweed.clip {\n"
                "  duration = 2,\n"
                "  sample = function(t)\n"
                "    local turn = tweed.quaternion.axis_angle({ 1, 0, 0 }, .2 * math.sin(math.pi * t))\n"
                "    return { Spine = { rotation = turn }, root = { x = 0, z = .1 * t, heading = 0 } }\n"
                "  end,\n"
                "}"},
    {0},
};

void script_clip_open(lua_State *lua) {
    luaL_newmetatable(lua, TYPE);
    script_resource_metatable(lua, "a clip");
    lua_pop(lua, 1);
}

static int define(lua_State *lua) {
    ScriptReader reader;
    Definition definition;
    script_argument_begin(lua, "clip", "tweed.clip", &reader);
    script_schema_defaults(&definition_schema, &definition);
    script_field_read(&reader, &argument, reader.root, &definition);
    if (!script_reader_failed(&reader)) check_kind(&reader, &definition);
    ScriptClip *clip = script_resource_push(lua, sizeof *clip, 1, TYPE, finish);
    clip->broken = true;
    clip->loop_blend = definition.loop_blend;
    clip->arena.allocator = &script_state_of(lua)->allocator;
    if (!script_reader_failed(&reader)) {
        if (definition.file)
            cut_from_file(lua, &reader, &definition, clip);
        else
            bake_function(lua, &reader, &definition, clip);
    }
    clip->header.finding_range = script_argument_end(&reader);
    return 1;
}

// Checks which keys may be given together.
static void check_kind(ScriptReader *reader, const Definition *definition) {
    const ScriptNode *root = reader->root;
    static const char *const of_files[] = {"clip", "scale", "from", "to", "turns", NULL};
    static const char *const of_functions[] = {"duration", "rate", "sample", NULL};
    const bool is_file = script_node_field(root, "file") != NULL;
    if (!is_file && !script_node_field(root, "sample")) {
        script_reader_error(reader, "expected file = ... or sample = function(t) ... end");
        return;
    }
    for (const char *const *key = is_file ? of_functions : of_files; *key; key++) {
        if (!script_node_field(root, *key)) continue;
        script_reader_error_at(reader, *key, "has no effect beside %s", is_file ? "file" : "sample");
    }
    if (!is_file && !script_node_field(root, "duration"))
        script_reader_error_at(reader, "duration", "missing; expected how long the motion lasts, in s");
    if (definition->from >= 0.0f && definition->to >= 0.0f && definition->to <= definition->from)
        script_reader_error_at(reader, "to", "expected more than from (%.4g s), found %.4g",
                               (double)definition->from, (double)definition->to);
}

static void finish(ScriptResource *resource) {
    ScriptClip *clip = (ScriptClip *)(void *)resource;
    script_allocator_discharge(clip->arena.allocator, motion_bytes(&clip->motion));
    asset_clip_finish(&clip->motion);
    script_arena_finish(&clip->arena);
}

static size_t motion_bytes(const AssetClip *motion) {
    const size_t bones = (size_t)motion->frame_count * (size_t)motion->bone_count;
    return bones * (sizeof(versor) + (motion->positions ? sizeof(vec3) : 0));
}

static void cut_from_file(lua_State *lua, ScriptReader *reader, const Definition *definition,
                          ScriptClip *clip) {
    AssetError error;
    const AssetCut cut = {definition->from, definition->to};
    const char *key = "file";
    clip->file = script_import(lua, definition->file, definition->scale, &error);
    if (clip->file) lua_setiuservalue(lua, -2, 1);
    const int index = clip->file ? find_clip(reader, clip->file, definition->clip) : -1;
    if (clip->file && index < 0) return;
    if (clip->file) key = definition->to >= 0.0f ? "to" : "from";
    if (clip->file && asset_clip_init(&clip->motion, clip->file, index, &cut, &error)) {
        clip->broken = !script_allocator_charge(clip->arena.allocator, motion_bytes(&clip->motion));
        if (!clip->broken) {
            turn_bones(reader, &definition->turns, clip);
            return;
        }
        asset_clip_finish(&clip->motion);
        clip->motion = (AssetClip){0};
        key = "file";
        snprintf(error.message, sizeof error.message, "the script's memory is used up");
    }
    script_reader_error_at(reader, key, "%s", error.message);
}

static int find_clip(ScriptReader *reader, const AssetFile *file, const char *name) {
    const int count = asset_file_clip_count(file);
    const char **names = script_reader_alloc(reader, count, sizeof *names);
    for (int i = 0; names && i < count; i++) {
        names[i] = asset_file_clip_info(file, i).name;
        if (!name || strcmp(names[i], name) == 0) return i;
    }
    if (!names) return -1;
    if (name) {
        script_reader_key(reader, "clip");
        script_reader_unknown(reader, "clip", name, names, count);
        script_reader_leave(reader);
    } else {
        script_reader_error(reader, "%s has no motion", asset_file_path(file));
    }
    return -1;
}

// Turns bones after the motion of the file: in each frame, turn times the file's rotation.
static void turn_bones(ScriptReader *reader, const ScriptList *turns, ScriptClip *clip) {
    int count;
    const AssetClip *motion = &clip->motion;
    const SimBoneDef *bones = asset_file_bones(clip->file, &count);
    const char **names = script_reader_alloc(reader, count, sizeof *names);
    const float(*by)[4] = (const float(*)[4])turns->items;
    for (int i = 0; names && i < count; i++) names[i] = bones[i].name;
    script_reader_key(reader, "turns");
    for (int i = 0; names && i < turns->count; i++) {
        int bone = 0;
        while (bone < count && strcmp(names[bone], turns->keys[i]) != 0) bone++;
        if (bone == count) script_reader_unknown(reader, "bone", turns->keys[i], names, count);
        for (int frame = 0; bone < motion->bone_count && frame < motion->frame_count; frame++) {
            float *rotation = motion->rotations[frame * motion->bone_count + bone];
            glm_quat_mul((float *)by[i], rotation, rotation);
        }
    }
    script_reader_leave(reader);
}

// The clip is at the top of the stack.
static void bake_function(lua_State *lua, ScriptReader *reader, const Definition *definition,
                          ScriptClip *clip) {
    Bake bake = {.clip = clip};
    const double duration = script_node_field(reader->root, "duration")->number; // in double precision
    const int steps = (int)fmax(1.0, round(duration * (double)definition->rate));
    if (steps >= MAX_FRAMES) {
        script_reader_error_at(reader, "duration", "expected %d frames at most, found %d: lower the rate",
                               MAX_FRAMES, steps + 1);
        return;
    }
    clip->frame_count = steps + 1;
    clip->rate = (float)(steps / duration); // so that the last frame is at the exact end
    lua_rawgeti(lua, LUA_REGISTRYINDEX, definition->sample);
    ScriptArena *scratch = script_arena_push(lua); // memory of one pose at a time
    lua_insert(lua, -2);
    clip->broken = false;
    for (bake.frame = 0; bake.frame <= steps && !clip->broken; bake.frame++) {
        clip->broken = !bake_frame(lua, reader, &bake, scratch, duration * bake.frame / steps);
        script_arena_finish(scratch);
    }
    lua_pop(lua, 2);
    luaL_unref(lua, LUA_REGISTRYINDEX, definition->sample);
}

// Calls sample(t), at the top of the stack, for one frame. False with a finding if the pose is wrong.
static bool bake_frame(lua_State *lua, ScriptReader *reader, Bake *bake, ScriptArena *scratch, double t) {
    ScriptFindings findings = {0};
    lua_pushvalue(lua, -1);
    lua_pushnumber(lua, t);
    lua_call(lua, 1, 1);
    script_state_check_time(lua);
    const ScriptNode *pose = script_node_read(lua, -1, false, SCRIPT_MAX_DEFINITION_NODES, scratch);
    bake->reader =
        (ScriptReader){.arena = scratch, .findings = &findings, .file = "", .root = pose, .prefix = ""};
    add_pose(bake, pose); // does not raise
    lua_pop(lua, 1);
    const bool right = findings.error_count == 0;
    if (!right) {
        const ScriptFinding *finding = findings.count ? &findings.items[0] : NULL;
        script_reader_error_at(reader, "sample", "at t = %.4g s: %s%s%s", t, finding ? finding->path : "",
                               finding && *finding->path ? ": " : "",
                               finding ? finding->message : "out of memory");
    }
    script_findings_finish(&findings);
    return right;
}

// {BONE = ..., root = ...}, or {bones = {BONE = ...}, root = ...}
static void add_pose(Bake *bake, const ScriptNode *pose) {
    const ScriptNode *read = NULL;
    script_field_read(&bake->reader, &pose_type, pose, &read);
    if (!read) return;
    const ScriptNode *bones = script_node_field(read, "bones"), *root = script_node_field(read, "root");
    const bool nested = bones && bones->kind == SCRIPT_NODE_TABLE;
    bake->last = NULL;
    if (root) add_root(bake, root);
    if (nested) script_reader_key(&bake->reader, "bones");
    for (int i = 0; i < (nested ? bones : read)->field_count; i++) {
        const ScriptNodeField *field = &(nested ? bones : read)->fields[i];
        if (nested || field->value != root) add_bone(bake, field->key, field->value);
    }
    if (nested) script_reader_leave(&bake->reader);
}

static void add_root(Bake *bake, const ScriptNode *node) {
    SampledRoot root = {0};
    ScriptClip *clip = bake->clip;
    script_reader_key(&bake->reader, "root");
    script_field_read(&bake->reader, &root_type, node, &root);
    if (!clip->root)
        clip->root = script_arena_alloc(&clip->arena, (size_t)clip->frame_count, sizeof *clip->root);
    if (clip->root)
        memcpy(clip->root[bake->frame], (const float[]){root.x, root.z, root.heading}, sizeof *clip->root);
    else
        script_reader_error(&bake->reader, "out of memory");
    script_reader_leave(&bake->reader);
}

static void add_bone(Bake *bake, const char *name, const ScriptNode *node) {
    SampledBone bone;
    script_schema_defaults(&bone_schema, &bone);
    script_reader_key(&bake->reader, name);
    script_field_read(&bake->reader, &bone_type, node, &bone);
    ScriptTrack *track = find_track(bake, name);
    if (track) memcpy(track->rotations[bake->frame], bone.rotation, sizeof bone.rotation);
    if (!track || (isfinite(bone.position[0]) && !add_position(bake, track, bone.position)))
        script_reader_error(&bake->reader, "out of memory");
    if (track) bake->last = track;
    script_reader_leave(&bake->reader);
}

static ScriptTrack *find_track(Bake *bake, const char *bone) {
    ScriptTrack *next = bake->last ? bake->last->next : NULL;
    if (next && strcmp(next->bone, bone) == 0) return next;
    ScriptTrack **end = &bake->clip->tracks;
    int count = 0;
    for (; *end; end = &(*end)->next, count++)
        if (strcmp((*end)->bone, bone) == 0) return *end;
    ScriptArena *arena = &bake->clip->arena;
    const size_t frames = (size_t)bake->clip->frame_count;
    ScriptTrack *track = count < MAX_TRACKS ? script_arena_alloc(arena, 1, sizeof *track) : NULL;
    if (!track) return NULL;
    track->bone = script_arena_text(arena, bone);
    track->rotations = script_arena_alloc(arena, frames, sizeof *track->rotations);
    if (!track->bone || !track->rotations) return NULL;
    return *end = track;
}

static bool add_position(Bake *bake, ScriptTrack *track, const float position[3]) {
    const int count = bake->clip->frame_count;
    if (!track->positions) {
        track->positions = script_arena_alloc(&bake->clip->arena, (size_t)count, sizeof *track->positions);
        for (int i = 0; track->positions && i < count; i++) track->positions[i][0] = INFINITY;
    }
    if (track->positions) memcpy(track->positions[bake->frame], position, 3 * sizeof(float));
    return track->positions != NULL;
}
