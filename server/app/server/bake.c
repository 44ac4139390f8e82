#define _XOPEN_SOURCE 700 // POSIX 2008 with realpath
#include "server/bake.h"

#include "base/files.h"
#include "server/simulation.h"

#include <asset/gltf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <text/glob.h>
#include <unistd.h>

#define PROGRESS_NS 250000000ULL
#define EXIT_OUTPUT 4 // the file cannot be written

// What was captured of one character.
typedef struct BakeTrack {
    SimCharacterId id;
    SimRigId rig;
    char *name;
    AssetTake take;
    SimTransform *transforms; // [capacity][1 + bone_count]
    int capacity;
} BakeTrack;

struct AppBake {
    uint64_t first_tick, last_tick;
    uint64_t next_tick; // to capture
    BakeTrack *tracks;  // [track_count]
    size_t track_count;
    int status; // the exit status
    char *path; // of the file
    uint64_t begun_ns, shown_ns;
};

static void advance(App *app);
static void begin_tick(App *app);
static bool capture(App *app);
static BakeTrack *find_track(App *app, const AppCharacter *character);
static BakeTrack *add_track(App *app, const AppCharacter *character);
static bool capture_character(App *app, BakeTrack *track, const AppCharacter *character);
static void to_parent_space(const SimRigInfo *rig, const mat4 *bones_model, SimTransform *out_bones);
static void keep_sign(const float *before, float *rotation);
static void show_progress(App *app);
static int write_file(App *app);
static int write_shot(App *app, const AssetShot *shot);
static bool find_file(App *app);
static const char *reason_against(const char *path);
static int refuse_file(App *app, const char *reason);
static int fail(App *app, const char *message);

bool app_bake_begin(App *app) {
    const double rate = app->ticks.rate;
    AppBake *bake = calloc(1, sizeof *bake);
    if (!bake) {
        fail(app, "out of memory");
        return false;
    }
    bake->first_tick = bake->next_tick = (uint64_t)(app->options->bake_from * rate + 0.5);
    bake->last_tick = bake->first_tick + (uint64_t)(app->options->bake_seconds * rate + 0.5);
    bake->status = 1;
    bake->begun_ns = bake->shown_ns = uv_hrtime();
    app->bake = bake;
    app->advance = advance;
    if (!find_file(app)) return false; // before the work rather than after it
    advance(app);
    return true;
}

int app_bake_finish(App *app) {
    AppBake *bake = app->bake;
    if (!bake) return 1;
    const int status = bake->status;
    for (size_t i = 0; i < bake->track_count; i++) {
        sim_rig_release(app->characters.world, bake->tracks[i].rig);
        free(bake->tracks[i].name);
        free(bake->tracks[i].transforms);
    }
    free(bake->tracks);
    free(bake->path);
    free(bake);
    app->bake = NULL;
    return status;
}

// Called when a tick has ended or a script is loaded: captures the tick, then begins the next one.
static void advance(App *app) {
    AppBake *bake = app->bake;
    if (app->ticks.phase == APP_TICK_IN_FLIGHT) return;
    const uint64_t tick = app->ticks.newest;
    if (app->ticks.stopping)
        bake->status = fail(app, "stopped by a signal");
    else if (app->script_has_failed)
        bake->status = fail(app, "a script failed");
    else if (tick >= bake->next_tick && !capture(app))
        bake->status = fail(app, "out of memory");
    else if (tick >= bake->last_tick)
        bake->status = write_file(app);
    else {
        if (!app_load_queue_has_first_loads(&app->reload.loads)) begin_tick(app);
        return; // otherwise until they are done
    }
    app->stop(app);
}

static void begin_tick(App *app) {
    show_progress(app);
    app_tick_begin(app, true);
}

static bool capture(App *app) {
    AppBake *bake = app->bake;
    bake->next_tick = app->ticks.newest + 1;
    for (size_t i = 0; i < app->characters.count; i++) {
        const AppCharacter *character = app->characters.items[i];
        if (app->options->baked && !text_glob_match(app->options->baked, character->name)) continue;
        if (character->first_tick > app->ticks.newest) continue;
        BakeTrack *track = find_track(app, character);
        if (!track) track = add_track(app, character);
        if (!track || !capture_character(app, track, character)) return false;
    }
    return true;
}

static BakeTrack *find_track(App *app, const AppCharacter *character) {
    const SimRigId rig = sim_character_rig(app->characters.world, character->id);
    for (size_t i = 0; i < app->bake->track_count; i++) {
        BakeTrack *track = &app->bake->tracks[i];
        if (memcmp(&track->id, &character->id, sizeof track->id) == 0 &&
            memcmp(&track->rig, &rig, sizeof track->rig) == 0)
            return track;
    }
    return NULL;
}

static BakeTrack *add_track(App *app, const AppCharacter *character) {
    AppBake *bake = app->bake;
    BakeTrack *tracks = realloc(bake->tracks, (bake->track_count + 1) * sizeof *tracks);
    if (!tracks) return NULL;
    bake->tracks = tracks;
    char *name = strdup(character->name);
    if (!name) return NULL;
    BakeTrack *track = &tracks[bake->track_count++];
    *track = (BakeTrack){.name = name,
                         .id = character->id,
                         .rig = sim_character_rig(app->characters.world, character->id),
                         .take = {.name = name,
                                  .rig = app_character_rig(&app->characters, character),
                                  .first_frame = (int)(app->ticks.newest - bake->first_tick)}};
    sim_rig_retain(app->characters.world, track->rig);
    return track;
}

static bool capture_character(App *app, BakeTrack *track, const AppCharacter *character) {
    const size_t nodes = (size_t)track->take.rig->bone_count + 1;
    if (track->take.frame_count == track->capacity) {
        const int capacity = track->capacity > 0 ? 2 * track->capacity : 64;
        SimTransform *grown = realloc(track->transforms, (size_t)capacity * nodes * sizeof *grown);
        if (!grown) return false;
        track->transforms = grown;
        track->take.transforms = grown;
        track->capacity = capacity;
    }
    SimTransform *frame = &track->transforms[(size_t)track->take.frame_count * nodes];
    frame[0] = character->root_world;
    to_parent_space(track->take.rig, sim_character_bones_model(app->characters.world, character->id),
                    frame + 1);
    if (track->take.frame_count++ > 0)
        for (size_t i = 0; i < nodes; i++) keep_sign((frame - nodes)[i].rotation, frame[i].rotation);
    return true;
}

static void to_parent_space(const SimRigInfo *rig, const mat4 *bones_model, SimTransform *out_bones) {
    for (int i = 0; i < rig->bone_count; i++) {
        const int parent = rig->bones[i].parent;
        mat4 matrix, inverse;
        memcpy(matrix, bones_model[i], sizeof matrix);
        if (parent >= 0) {
            memcpy(inverse, bones_model[parent], sizeof inverse);
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

static void show_progress(App *app) {
    AppBake *bake = app->bake;
    const uint64_t now = uv_hrtime();
    if (now - bake->shown_ns < PROGRESS_NS) return;
    bake->shown_ns = now;
    const double done = (double)app->ticks.newest / (double)(bake->last_tick > 0 ? bake->last_tick : 1);
    const double elapsed = (double)(now - bake->begun_ns) * 1e-9;
    app_log_status(&app->log, "baking · %.0f %% · %.0f s left · Ctrl-C ends it without a file", 100.0 * done,
                   done > 0.0 ? elapsed / done - elapsed : 0.0);
}

// Returns the exit status.
static int write_file(App *app) {
    const AppBake *bake = app->bake;
    if (bake->track_count == 0)
        return fail(app, app->options->baked ? "no character matches --characters" : "there is no character");
    AssetTake *takes = calloc(bake->track_count, sizeof *takes);
    if (!takes) return fail(app, "out of memory");
    for (size_t i = 0; i < bake->track_count; i++) takes[i] = bake->tracks[i].take;
    const AssetShot shot = {.takes = takes,
                            .take_count = (int)bake->track_count,
                            .rate = app->ticks.rate,
                            .with_meshes = !app->options->no_mesh,
                            .position_error = app->options->position_error * 1e-3,
                            .rotation_error = (double)glm_rad(1.0f) * app->options->rotation_error};
    const int status = write_shot(app, &shot);
    free(takes);
    return status;
}

static int write_shot(App *app, const AssetShot *shot) {
    const char *path = app->bake->path;
    TextBuffer text;
    text_buffer_init(&text);
    AssetShotInfo info;
    const bool made = asset_gltf_write(shot, &text, &info);
    const bool has_memory = !text.failed;
    const int failure = made ? app_file_replace(path, &text) : 0;
    const double kibibytes = (double)text.length / 1024;
    text_buffer_finish(&text);
    if (!made)
        return fail(app, has_memory ? "the file would be larger than 4 GiB, the most that glTF allows"
                                    : "out of memory");
    if (failure != 0) return refuse_file(app, strerror(failure));
    app_log_finish(&app->log);
    const uint64_t frames = app->bake->last_tick - app->bake->first_tick + 1;
    app_log_print(&app->log,
                  "%s: %d character%s, %llu frame%s of 1/%d s, %d mesh%s of %d vertices, %zu of %zu keys, "
                  "%.1f %s",
                  path, shot->take_count, shot->take_count == 1 ? "" : "s", (unsigned long long)frames,
                  frames == 1 ? "" : "s", app->ticks.rate, info.meshes, info.meshes == 1 ? "" : "es",
                  info.vertices, info.keys, info.samples, kibibytes < 1024.0 ? kibibytes : kibibytes / 1024.0,
                  kibibytes < 1024.0 ? "KiB" : "MiB");
    return 0;
}

// A link is followed: what it leads to is replaced.
static bool find_file(App *app) {
    AppBake *bake = app->bake;
    char named[APP_PATH_BYTES];
    const char *out = app->options->out, *scene = script_scene_info(app->characters.scenes[0])->name;
    snprintf(named, sizeof named, "%s%s", out ? out : scene, out ? "" : ".glb");
    bake->path = realpath(named, NULL);
    if (!bake->path) bake->path = strdup(named); // a new one
    const char *reason = bake->path ? reason_against(bake->path) : strerror(ENOMEM);
    if (reason) bake->status = refuse_file(app, reason);
    return !reason;
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

static int refuse_file(App *app, const char *reason) {
    app_log_finish(&app->log);
    app_log(&app->log, TEXT_LOG_ERROR, "cannot write %s: %s", app->bake->path ? app->bake->path : "", reason);
    return EXIT_OUTPUT;
}

static int fail(App *app, const char *message) {
    app_log_finish(&app->log);
    app_log(&app->log, TEXT_LOG_ERROR, "%s: nothing was baked", message);
    return 1;
}
