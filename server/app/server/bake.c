#include "server/bake.h"

#include "base/shot.h"
#include "server/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <text/array.h>
#include <text/glob.h>

#define PROGRESS_NS     250000000ULL
#define DEFAULT_SECONDS 10.0

// What was captured of one character.
typedef struct BakeTrack {
    uint64_t spawned; // the character's first tick; a reset goes on with its take, a later one of its name
                      // does not
    SimRigId rig;
    char *name;
    AppTrack frames;
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
static void show_progress(App *app);
static int write_file(App *app);

bool app_bake_begin(App *app) {
    const double rate = app->ticks.rate;
    const double seconds = isnan(app->options->bake_seconds) ? DEFAULT_SECONDS : app->options->bake_seconds;
    AppBake *bake = calloc(1, sizeof *bake);
    if (!bake) {
        app_shot_fail(&app->log, "out of memory");
        return false;
    }
    bake->first_tick = bake->next_tick = (uint64_t)(app->options->bake_from * rate + 0.5);
    bake->last_tick = bake->first_tick + (uint64_t)(seconds * rate + 0.5);
    bake->begun_ns = bake->shown_ns = uv_hrtime();
    app->bake = bake;
    app->advance = advance;
    char named[APP_PATH_BYTES];
    const char *out = app->options->out, *scene = script_scene_info(app->characters.scenes[0])->name;
    snprintf(named, sizeof named, "%s%s", out ? out : scene, out ? "" : ".glb");
    bake->path = app_shot_find_file(named, &app->log); // before the work rather than after it
    bake->status = bake->path ? 1 : APP_EXIT_SHOT_FILE;
    if (!bake->path) return false;
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
        app_track_finish(&bake->tracks[i].frames);
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
        bake->status = app_shot_fail(&app->log, "stopped by a signal");
    else if (app->script_has_failed)
        bake->status = app_shot_fail(&app->log, "a script failed");
    else if (tick >= bake->next_tick && !capture(app))
        bake->status = app_shot_fail(&app->log, "out of memory");
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
        if (!track || !app_track_add(&track->frames, &character->root_world,
                                     sim_character_bones_model(app->characters.world, character->id), false))
            return false;
    }
    return true;
}

static BakeTrack *find_track(App *app, const AppCharacter *character) {
    const SimRigId rig = sim_character_rig(app->characters.world, character->id);
    for (size_t i = 0; i < app->bake->track_count; i++) {
        BakeTrack *track = &app->bake->tracks[i];
        if (strcmp(track->name, character->name) == 0 && track->spawned == character->first_tick &&
            memcmp(&track->rig, &rig, sizeof track->rig) == 0)
            return track;
    }
    return NULL;
}

static BakeTrack *add_track(App *app, const AppCharacter *character) {
    AppBake *bake = app->bake;
    char *name = TEXT_ARRAY_EXTEND(bake->tracks, bake->track_count) ? strdup(character->name) : NULL;
    if (!name) return NULL;
    BakeTrack *track = &bake->tracks[bake->track_count++];
    *track = (BakeTrack){.name = name,
                         .spawned = character->first_tick,
                         .rig = sim_character_rig(app->characters.world, character->id),
                         .frames.take = {.name = name,
                                         .rig = app_character_rig(&app->characters, character),
                                         .first_frame = (int)(app->ticks.newest - bake->first_tick)}};
    sim_rig_retain(app->characters.world, track->rig);
    return track;
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
    AssetTake *takes = calloc(bake->track_count + 1, sizeof *takes);
    if (!takes) return app_shot_fail(&app->log, "out of memory");
    for (size_t i = 0; i < bake->track_count; i++) takes[i] = bake->tracks[i].frames.take;
    const int status =
        app_shot_write(bake->path, takes, bake->track_count, (int)(bake->last_tick - bake->first_tick + 1),
                       app->ticks.rate, app->options, &app->log);
    free(takes);
    return status;
}
