// `tweed bake RECORDING`: writes what was recorded as glTF.
//
// A recording says where bones are, not where the character's root is: the root stays at the origin.
#include "base/paths.h"
#include "base/shot.h"
#include "tools/recording.h"
#include "tools/tools.h"

#include <math.h>
#include <protocol/recorded.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/array.h>
#include <text/glob.h>

enum { MOST_FRAMES = 86400 * 240, MOST_GAP_S = 600 };

// What was recorded of one character from a description on.
typedef struct RecordedTrack {
    size_t slot;
    bool goes_on; // until it is removed, or has other bones
    ProtocolDescription description;
    SimRigInfo rig;
    uint64_t last_tick;
    AppTrack frames;
} RecordedTrack;

typedef struct Bake {
    const AppOptions *options;
    AppLog log;
    AppRecording recording;
    uint64_t first_tick, last_tick; // of the shot
    RecordedTrack **tracks;         // [track_count]
    size_t track_count;
    size_t line;        // that is read, its number in the file; 0: none
    char *path;         // of the .glb
    float (*bones)[16]; // [bone_capacity] of the frame that is read
    size_t bone_capacity;
} Bake;

static void name_file(const AppOptions *options, char out_named[APP_PATH_BYTES]);
static bool find_shot(Bake *bake);
static bool read_lines(Bake *bake);
static RecordedTrack *current_track(const Bake *bake, size_t slot);
static bool read_static(Bake *bake, const AppRecordedLine *line);
static bool has_all_bones(const cJSON *params, const ProtocolCharacter *character);
static bool is_same_rig(const ProtocolDescription *a, const ProtocolDescription *b);
static bool make_rig(RecordedTrack *track);
static bool read_frame(Bake *bake, const AppRecordedLine *line);
static bool add_frame(Bake *bake, RecordedTrack *track, uint64_t tick);
static int write_file(Bake *bake);
static bool refuse(Bake *bake, const char *reason);
static void track_destroy(RecordedTrack *track);

int app_tool_bake_recording(const AppOptions *options) {
    Bake bake = {.options = options};
    char message[1024];
    signal(SIGXFSZ, SIG_IGN); // a file beyond the limit is an error of its write
    if (!app_log_open(&bake.log, options, message, sizeof message)) {
        fprintf(stderr, "tweed: %s\n", message);
        return 1;
    }
    int status = 1;
    if (!app_recording_open(&bake.recording, options->files.names[0], message, sizeof message)) {
        app_shot_fail(&bake.log, message);
    } else if (find_shot(&bake)) {
        char named[APP_PATH_BYTES];
        if (bake.recording.cut_line > 0)
            app_log(&bake.log, TEXT_LOG_WARNING, "%s:%zu: the last line is not whole and is left out",
                    options->files.names[0], bake.recording.cut_line);
        name_file(options, named);
        bake.path = app_shot_find_file(named, &bake.log); // before the work rather than after it
        status = !bake.path ? APP_EXIT_SHOT_FILE : read_lines(&bake) ? write_file(&bake) : 1;
    }
    for (size_t i = 0; i < bake.track_count; i++) track_destroy(bake.tracks[i]);
    free(bake.tracks);
    free(bake.bones);
    free(bake.path);
    app_recording_finish(&bake.recording);
    app_log_close(&bake.log);
    return status;
}

// The recording's name in the working folder, with .glb, unless --out is given.
static void name_file(const AppOptions *options, char out_named[APP_PATH_BYTES]) {
    const char *file = options->files.names[0], *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;
    if (options->out)
        snprintf(out_named, APP_PATH_BYTES, "%s", options->out);
    else
        snprintf(out_named, APP_PATH_BYTES, "%.*s.glb", (int)(strrchr(name, '.') - name), name);
}

// The ticks that --from and --seconds leave of the recorded ones.
static bool find_shot(Bake *bake) {
    const AppRecording *recording = &bake->recording;
    const AppOptions *options = bake->options;
    const double from = options->bake_from * recording->tick_rate;
    const double count = options->bake_seconds * recording->tick_rate;
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < recording->line_count; i++) {
        if (recording->lines[i].kind != APP_RECORDED_FRAME) continue;
        if (first == UINT64_MAX) first = recording->lines[i].tick;
        last = recording->lines[i].tick;
    }
    if (first == UINT64_MAX) return refuse(bake, "no frame was recorded");
    bake->first_tick = first + (uint64_t)(from + 0.5);
    bake->last_tick = last;
    if (!isnan(count) && count + 0.5 < (double)(last - first)) {
        const uint64_t end = bake->first_tick + (uint64_t)(count + 0.5);
        if (end < last) bake->last_tick = end;
    }
    if (bake->first_tick > last) {
        char reason[128];
        snprintf(reason, sizeof reason, "--from: expected at most %.6g s, which were recorded, found %.6g",
                 (double)(last - first) / recording->tick_rate, options->bake_from);
        return refuse(bake, reason);
    }
    if (bake->last_tick - bake->first_tick < MOST_FRAMES) return true;
    return refuse(bake, "its ticks are too far apart for one shot: choose --seconds");
}

static bool read_lines(Bake *bake) {
    const AppRecording *recording = &bake->recording;
    for (size_t i = 0; i < recording->line_count; i++) {
        const AppRecordedLine *line = &recording->lines[i];
        bake->line = i + 1 + APP_RECORDING_HEAD_LINES;
        if (line->slot == SIZE_MAX || line->tick > bake->last_tick) continue;
        if (bake->options->baked && !text_glob_match(bake->options->baked, recording->characters[line->slot]))
            continue;
        RecordedTrack *track = current_track(bake, line->slot);
        if (line->kind == APP_RECORDED_EVENT && track) track->goes_on = false;
        if (line->kind == APP_RECORDED_STATIC && !read_static(bake, line)) return false;
        if (line->kind == APP_RECORDED_FRAME && line->tick >= bake->first_tick && !read_frame(bake, line))
            return false;
    }
    return true;
}

// NULL: none, or it is removed.
static RecordedTrack *current_track(const Bake *bake, size_t slot) {
    for (size_t i = bake->track_count; i-- > 0;)
        if (bake->tracks[i]->slot == slot) return bake->tracks[i]->goes_on ? bake->tracks[i] : NULL;
    return NULL;
}

// A description of the bones that the character has already changes nothing.
static bool read_static(Bake *bake, const AppRecordedLine *line) {
    RecordedTrack *track = calloc(1, sizeof *track);
    cJSON *json = cJSON_ParseWithLength(line->bytes, line->length);
    if (!track || !json || !TEXT_ARRAY_EXTEND(bake->tracks, bake->track_count)) {
        cJSON_Delete(json);
        track_destroy(track);
        return refuse(bake, "out of memory");
    }
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(json, "params");
    const cJSON *description = cJSON_GetObjectItemCaseSensitive(params, "description");
    ProtocolError error;
    const char *reason = NULL;
    if (!description)
        reason = "expected a description: record it without \"static\":false";
    else if (!protocol_read_description(description, bake->recording.view.axes, &track->description, &error))
        reason = error.message;
    else if (!has_all_bones(params, &track->description.character))
        reason = "expected all bones: record it without \"bones\" and \"kinds\"";
    cJSON_Delete(json);
    if (reason) {
        track_destroy(track);
        return refuse(bake, reason);
    }
    RecordedTrack *current = current_track(bake, line->slot);
    if (current && is_same_rig(&current->description, &track->description)) {
        track_destroy(track);
        return true;
    }
    if (current) current->goes_on = false;
    track->slot = line->slot;
    track->goes_on = true;
    bake->tracks[bake->track_count++] = track;
    return make_rig(track) || refuse(bake, "out of memory");
}

static bool has_all_bones(const cJSON *params, const ProtocolCharacter *character) {
    const cJSON *names = cJSON_GetObjectItemCaseSensitive(params, "bones");
    return cJSON_IsArray(names) && (size_t)cJSON_GetArraySize(names) == character->bone_count;
}

static bool is_same_rig(const ProtocolDescription *a, const ProtocolDescription *b) {
    const ProtocolCharacter *one = &a->character, *other = &b->character;
    if (one->bone_count != other->bone_count || a->mesh_count != b->mesh_count) return false;
    for (size_t i = 0; i < one->bone_count; i++) {
        const ProtocolBone *bone = &one->bones[i], *same = &other->bones[i];
        if (strcmp(bone->name, same->name) != 0 || bone->parent != same->parent ||
            memcmp(bone->inverse_bind, same->inverse_bind, 16 * sizeof(float)) != 0)
            return false;
    }
    return true;
}

static bool make_rig(RecordedTrack *track) {
    const ProtocolDescription *description = &track->description;
    const ProtocolCharacter *character = &description->character;
    SimBoneInfo *bones = calloc(character->bone_count + 1, sizeof *bones);
    SimRenderMesh *meshes = calloc(description->mesh_count + 1, sizeof *meshes);
    track->rig = (SimRigInfo){.name = character->name,
                              .bones = bones,
                              .bone_count = (int)character->bone_count,
                              .meshes = meshes,
                              .mesh_count = (int)description->mesh_count};
    track->frames.take.rig = &track->rig;
    track->frames.take.name = character->name;
    if (!bones || !meshes) return false;
    for (size_t i = 0; i < character->bone_count; i++) {
        const ProtocolBone *bone = &character->bones[i];
        bones[i].name = bone->name;
        bones[i].parent = bone->parent;
        bones[i].kind = (SimBoneKind)bone->kind;
        memcpy(bones[i].rest_model, bone->rest, sizeof bones[i].rest_model);
        memcpy(bones[i].inverse_bind, bone->inverse_bind, sizeof bones[i].inverse_bind);
    }
    for (size_t i = 0; i < description->mesh_count; i++) {
        const ProtocolMesh *mesh = &description->meshes[i];
        const ProtocolMaterial *material = &description->materials[i];
        SimPattern pattern = SIM_PATTERN_PLAIN; // also of one that this version does not know
        for (int k = 0; sim_pattern_names[k]; k++)
            if (strcmp(sim_pattern_names[k], material->pattern) == 0) pattern = (SimPattern)k;
        meshes[i] = (SimRenderMesh){
            .name = mesh->name,
            .garment = mesh->garment ? 0 : -1, // which one does not matter to the file
            .vertex_count = (int)mesh->vertex_count,
            .triangle_count = (int)mesh->triangle_count,
            .positions = mesh->positions,
            .normals = mesh->normals,
            .uvs = mesh->uvs,
            .triangles = mesh->triangles,
            .joints = mesh->joints,
            .weights = mesh->weights,
            .material = {
                {material->color[0], material->color[1], material->color[2]}, material->roughness, pattern}};
    }
    return true;
}

static bool read_frame(Bake *bake, const AppRecordedLine *line) {
    RecordedTrack *track = current_track(bake, line->slot);
    if (!track) return refuse(bake, "expected a description before the first frame");
    const size_t count = (size_t)track->rig.bone_count;
    if (count > bake->bone_capacity) {
        free(bake->bones);
        bake->bone_capacity = 0;
        bake->bones = calloc(count, sizeof *bake->bones);
        if (!bake->bones) return refuse(bake, "out of memory");
        bake->bone_capacity = count;
    }
    cJSON *json = cJSON_ParseWithLength(line->bytes, line->length);
    if (!json) return refuse(bake, "out of memory");
    ProtocolError error;
    const bool is_read = protocol_read_frame_bones(cJSON_GetObjectItemCaseSensitive(json, "params"),
                                                   &bake->recording.view, count, bake->bones, &error);
    cJSON_Delete(json);
    if (!is_read) return refuse(bake, error.message);
    const uint64_t gap = track->frames.take.frame_count > 0 && line->tick > track->last_tick
                             ? line->tick - track->last_tick
                             : 0;
    if ((double)gap > MOST_GAP_S * bake->recording.tick_rate)
        return refuse(bake, "expected a frame at least every 600 s: choose --from and --seconds");
    return add_frame(bake, track, line->tick) || refuse(bake, "out of memory");
}

// Ticks that were not recorded lead evenly to this one.
static bool add_frame(Bake *bake, RecordedTrack *track, uint64_t tick) {
    const bool is_first = track->frames.take.frame_count == 0;
    if (is_first) track->frames.take.first_frame = (int)(tick - bake->first_tick);
    if (!is_first && tick <= track->last_tick) return true; // the same again
    const int missing = is_first ? 0 : (int)(tick - track->last_tick - 1);
    track->last_tick = tick;
    return app_track_bridge(&track->frames, missing, &SIM_TRANSFORM_IDENTITY,
                            (const mat4 *)(void *)bake->bones,
                            bake->recording.view.space == PROTOCOL_SPACE_PARENT);
}

static int write_file(Bake *bake) {
    AssetTake *takes = calloc(bake->track_count + 1, sizeof *takes);
    if (!takes) return app_shot_fail(&bake->log, "out of memory");
    size_t count = 0;
    for (size_t i = 0; i < bake->track_count; i++)
        if (bake->tracks[i]->frames.take.frame_count > 0) takes[count++] = bake->tracks[i]->frames.take;
    const int status = app_shot_write(bake->path, takes, count, (int)(bake->last_tick - bake->first_tick + 1),
                                      bake->recording.tick_rate, bake->options, &bake->log);
    free(takes);
    return status;
}

// Always false.
static bool refuse(Bake *bake, const char *reason) {
    char message[1024];
    const char *file = bake->options->files.names[0];
    if (bake->line > 0)
        snprintf(message, sizeof message, "%s:%zu: %s", file, bake->line, reason);
    else
        snprintf(message, sizeof message, "%s: %s", file, reason);
    app_shot_fail(&bake->log, message);
    return false;
}

static void track_destroy(RecordedTrack *track) {
    if (!track) return;
    app_track_finish(&track->frames);
    protocol_description_finish(&track->description);
    free((void *)track->rig.bones);
    free((void *)track->rig.meshes);
    free(track);
}
