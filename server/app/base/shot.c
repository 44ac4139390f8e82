#define _XOPEN_SOURCE 700 // POSIX 2008 with realpath
#include "base/shot.h"

#include "base/files.h"

#include <cglm/cglm.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static SimTransform *add_frames(AppTrack *track, int count);
static void to_parent_space(const SimRigInfo *rig, const mat4 *bones, bool in_parent_space,
                            SimTransform *out_bones);
static void keep_sign(const float *before, float *rotation);
static const char *reason_against(const char *path);
static int refuse(AppLog *log, const char *path, const char *reason);

bool app_track_add(AppTrack *track, const SimTransform *root, const mat4 *bones, bool in_parent_space) {
    return app_track_bridge(track, 0, root, bones, in_parent_space);
}

bool app_track_bridge(AppTrack *track, int count, const SimTransform *root, const mat4 *bones,
                      bool in_parent_space) {
    const int nodes = track->take.rig->bone_count + 1;
    SimTransform *frame = add_frames(track, count + 1);
    if (!frame) return false;
    SimTransform *last = frame + (size_t)count * (size_t)nodes;
    last[0] = *root;
    to_parent_space(track->take.rig, bones, in_parent_space, last + 1);
    if (track->take.frame_count > count + 1) {
        SimTransform *before = frame - nodes;
        for (int i = 0; i < nodes; i++) keep_sign(before[i].rotation, last[i].rotation);
        for (int between = 0; between < count; between++)
            for (int i = 0; i < nodes; i++) {
                SimTransform *mixed = &frame[between * nodes + i];
                const float share = (float)(between + 1) / (float)(count + 1);
                glm_vec3_lerp(before[i].position, last[i].position, share, mixed->position);
                glm_vec4_lerp(before[i].rotation, last[i].rotation, share, mixed->rotation);
                glm_quat_normalize(mixed->rotation);
            }
    }
    return true;
}

void app_track_finish(AppTrack *track) {
    free(track->transforms);
    track->transforms = NULL;
}

char *app_shot_find_file(const char *named, AppLog *log) {
    char *path = realpath(named, NULL);
    if (!path) path = strdup(named); // a new one
    const char *reason = path ? reason_against(path) : strerror(ENOMEM);
    if (!reason) return path;
    refuse(log, path ? path : named, reason);
    free(path);
    return NULL;
}

int app_shot_write(const char *path, const AssetTake *takes, size_t take_count, int frame_count, double rate,
                   const AppOptions *options, AppLog *log) {
    if (take_count == 0)
        return app_shot_fail(log,
                             options->baked ? "no character matches --characters" : "there is no character");
    const AssetShot shot = {.takes = takes,
                            .take_count = (int)take_count,
                            .rate = rate,
                            .with_meshes = !options->no_mesh,
                            .position_error = options->position_error * 1e-3,
                            .rotation_error = (double)glm_rad(1.0f) * options->rotation_error};
    TextBuffer text = {0};
    AssetShotInfo info;
    const bool made = asset_gltf_write(&shot, &text, &info);
    const bool has_memory = !text.failed;
    const int failure = made ? app_file_replace(path, &text) : 0;
    const double kibibytes = (double)text.length / 1024;
    text_buffer_finish(&text);
    if (!made)
        return app_shot_fail(log, has_memory
                                      ? "the file would be larger than 4 GiB, the most that glTF allows"
                                      : "out of memory");
    if (failure != 0) return refuse(log, path, strerror(failure));
    app_log_finish(log);
    app_log_print(log,
                  "%s: %zu character%s, %d frame%s of 1/%.6g s, %d mesh%s of %d vertices, %zu of %zu keys, "
                  "%.1f %s",
                  path, take_count, take_count == 1 ? "" : "s", frame_count, frame_count == 1 ? "" : "s",
                  rate, info.meshes, info.meshes == 1 ? "" : "es", info.vertices, info.keys, info.samples,
                  kibibytes < 1024.0 ? kibibytes : kibibytes / 1024.0, kibibytes < 1024.0 ? "KiB" : "MiB");
    return 0;
}

int app_shot_fail(AppLog *log, const char *message) {
    app_log_finish(log);
    app_log(log, TEXT_LOG_ERROR, "%s: nothing was baked", message);
    return 1;
}

// Room for frames behind the last one. Returns NULL when memory runs out; nothing has changed then.
static SimTransform *add_frames(AppTrack *track, int count) {
    const size_t nodes = (size_t)track->take.rig->bone_count + 1;
    const int before = track->take.frame_count;
    int capacity = track->capacity > 0 ? track->capacity : 64;
    while (capacity - before < count) capacity *= 2;
    if (capacity > track->capacity) {
        SimTransform *grown = realloc(track->transforms, (size_t)capacity * nodes * sizeof *grown);
        if (!grown) return NULL;
        track->transforms = grown;
        track->take.transforms = grown;
        track->capacity = capacity;
    }
    track->take.frame_count += count;
    return &track->transforms[(size_t)before * nodes];
}

static void to_parent_space(const SimRigInfo *rig, const mat4 *bones, bool in_parent_space,
                            SimTransform *out_bones) {
    for (int i = 0; i < rig->bone_count; i++) {
        const int parent = rig->bones[i].parent;
        mat4 matrix, inverse;
        memcpy(matrix, bones[i], sizeof matrix);
        if (parent >= 0 && !in_parent_space) {
            memcpy(inverse, bones[parent], sizeof inverse);
            glm_inv_tr(inverse);
            glm_mat4_mul(inverse, matrix, matrix);
        }
        glm_vec3_copy(matrix[3], out_bones[i].position);
        glm_mat4_quat(matrix, out_bones[i].rotation);
        glm_quat_normalize(out_bones[i].rotation);
    }
}

// q and -q are the same rotation; along a curve each is the one nearer to the one before.
static void keep_sign(const float *before, float *rotation) {
    if (before[0] * rotation[0] + before[1] * rotation[1] + before[2] * rotation[2] +
            before[3] * rotation[3] <
        0.0f)
        for (int i = 0; i < 4; i++) rotation[i] = -rotation[i];
}

// NULL: the file can be written there.
static const char *reason_against(const char *path) {
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return S_ISDIR(status.st_mode) ? "expected a file, found a folder"
                                       : "expected a file, found a device or pipe";
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    const int failure = !folder ? ENOMEM : access(folder, W_OK) != 0 ? errno : 0;
    free(folder);
    return failure != 0 ? strerror(failure) : NULL;
}

static int refuse(AppLog *log, const char *path, const char *reason) {
    app_log_finish(log);
    app_log(log, TEXT_LOG_ERROR, "cannot write %s: %s", path, reason);
    return APP_EXIT_SHOT_FILE;
}
