// Finds the characters that matter least, and how far each is from who looks.
#include "server/levels.h"

#include "session/events.h"

#include <cglm/cglm.h>
#include <stdlib.h>

#define UPDATES_HZ 4
#define NEARER     0.9f // of a distance: who comes this near gets the better level back

// What a character is worth while something is to be shed.
typedef struct Standing {
    size_t slot;
    bool seen;      // in a view of any client
    float distance; // m, from the nearest viewpoint; 0 without any
} Standing;

static void shed(App *app);
static void shed_least(App *app);
static void give_steps(App *app, const Standing *standings, size_t count);
static Standing standing_of(const App *app, size_t slot);
static int compare(const void *left, const void *right);
static void set_levels_by_distance(App *app);
static SimLevel level_by_distance(const App *app, const AppCharacter *character, float distance);
static bool nearest_viewpoint(const App *app, const AppCharacter *character, float *out_distance);
static void report(App *app, int steps_before);

void app_levels_update(App *app) {
    const int every = app->ticks.rate > UPDATES_HZ ? app->ticks.rate / UPDATES_HZ : 1;
    if (app->ticks.newest % (uint64_t)every != 0) return;
    if (app->ticks.by_clock && !app->options->no_shed && !app_ticks_are_paused(&app->ticks)) shed(app);
    app->levels.cloth_ns = 0;
    app->levels.ticks = 0;
    set_levels_by_distance(app);
}

void app_levels_begin_cloth(App *app) {
    app->levels.begun_ns = uv_hrtime();
}

void app_levels_end_cloth(App *app) {
    app->levels.cloth_ns += uv_hrtime() - app->levels.begun_ns;
    app->levels.ticks++;
}

AppLevelCounts app_levels_count(const App *app) {
    AppLevelCounts counts = {0};
    for (size_t slot = 0; slot < app->characters.count; slot++)
        counts.characters[sim_character_level(app->characters.world, app->characters.items[slot]->id)]++;
    return counts;
}

static void shed(App *app) {
    AppLevels *levels = &app->levels;
    const size_t count = app->characters.count;
    if (levels->ticks == 0) return;
    const float period_ms = 1e3f / (float)app->ticks.rate;
    const float cloth_ms = (float)((double)levels->cloth_ns * 1e-6 / levels->ticks);
    const AppTickLoad load = {.all = app_samples_mean(&app->stats.work_ms, levels->ticks) / period_ms,
                              .cloth = cloth_ms / period_ms};
    const int before = levels->shedding.steps + levels->shedding.frame_steps;
    const bool changed = app_shedding_update(&levels->shedding, load, (int)count);
    app->streams.frame_interval = app_shedding_frame_interval(&levels->shedding);
    levels->load = load.all;
    if (levels->shedding.steps > 0)
        shed_least(app);
    else if (changed)
        for (size_t slot = 0; slot < count; slot++)
            app_character_set_level(&app->characters, app->characters.items[slot], APP_LEVEL_SHED,
                                    SIM_LEVEL_FULL);
    if (changed) report(app, before);
}

static void shed_least(App *app) {
    const size_t count = app->characters.count;
    Standing *standings = calloc(count + 1, sizeof *standings);
    if (!standings) return; // the next update tries again
    for (size_t slot = 0; slot < count; slot++) standings[slot] = standing_of(app, slot);
    qsort(standings, count, sizeof *standings, compare);
    give_steps(app, standings, count);
    free(standings);
}

// Those that nobody sees are reduced, then skinned; then those that are seen, from the farthest on, are
// reduced, then skinned.
static void give_steps(App *app, const Standing *standings, size_t count) {
    size_t unseen = 0, left = (size_t)app->levels.shedding.steps;
    while (unseen < count && !standings[unseen].seen) unseen++;
    const size_t first[] = {0, unseen}, last[] = {unseen, count};
    for (int part = 0; part < 2; part++) {
        const size_t many = last[part] - first[part];
        const size_t steps = left < 2 * many ? left : 2 * many;
        for (size_t i = 0; i < many; i++) {
            SimLevel level = SIM_LEVEL_FULL;
            if (i < steps) level = SIM_LEVEL_REDUCED;
            if (i + many < steps) level = SIM_LEVEL_SKINNED;
            app_character_set_level(&app->characters, app->characters.items[standings[first[part] + i].slot],
                                    APP_LEVEL_SHED, level);
        }
        left -= steps;
    }
}

static Standing standing_of(const App *app, size_t slot) {
    Standing standing = {.slot = slot, .seen = app->livelink.is_open};
    for (size_t i = 0; i < app->streams.views.count && !standing.seen; i++)
        standing.seen = app_bitset_has(&app->streams.views.items[i]->members, slot);
    nearest_viewpoint(app, app->characters.items[slot], &standing.distance);
    return standing;
}

// Those that matter least first; among equals the newest.
static int compare(const void *left, const void *right) {
    const Standing *a = left, *b = right;
    if (a->seen != b->seen) return a->seen - b->seen;
    if (a->distance < b->distance || a->distance > b->distance) return a->distance < b->distance ? 1 : -1;
    return a->slot < b->slot ? 1 : -1;
}

static void set_levels_by_distance(App *app) {
    const ScriptLevels *rule = &script_scene_info(app->characters.scenes[0])->levels;
    const bool has_rule = rule->reduced > 0.0f || rule->skinned > 0.0f; // a reload may have removed it
    for (size_t slot = 0; slot < app->characters.count; slot++) {
        AppCharacter *character = app->characters.items[slot];
        if (!has_rule && character->levels[APP_LEVEL_BY_DISTANCE] == SIM_LEVEL_FULL) continue;
        float distance;
        const bool looked_at = nearest_viewpoint(app, character, &distance);
        app_character_set_level(&app->characters, character, APP_LEVEL_BY_DISTANCE,
                                looked_at ? level_by_distance(app, character, distance) : SIM_LEVEL_FULL);
    }
}

static SimLevel level_by_distance(const App *app, const AppCharacter *character, float distance) {
    const ScriptLevels *rule = &script_scene_info(app->characters.scenes[0])->levels;
    const float from[SIM_LEVELS] = {0.0f, rule->reduced, rule->skinned};
    SimLevel level = SIM_LEVEL_FULL;
    for (SimLevel worse = SIM_LEVEL_REDUCED; worse < SIM_LEVELS; worse++) {
        const float share = character->levels[APP_LEVEL_BY_DISTANCE] >= worse ? NEARER : 1.0f;
        if (from[worse] > 0.0f && distance >= share * from[worse]) level = worse;
    }
    return level;
}

// False: no client has said where it looks from.
static bool nearest_viewpoint(const App *app, const AppCharacter *character, float *out_distance) {
    bool any = false;
    *out_distance = 0.0f;
    for (const AppClient *client = app->sessions.clients; client; client = client->next) {
        if (!client->has_viewpoint) continue;
        const float distance =
            glm_vec3_distance((float *)client->viewpoint, (float *)character->root_world.position);
        if (!any || distance < *out_distance) *out_distance = distance;
        any = true;
    }
    return any;
}

static void report(App *app, int steps_before) {
    const AppLevels *levels = &app->levels;
    const AppLevelCounts counts = app_levels_count(app);
    const int reduced = counts.characters[SIM_LEVEL_REDUCED], skinned = counts.characters[SIM_LEVEL_SKINNED];
    const int steps = levels->shedding.steps + levels->shedding.frame_steps;
    app_event_shed(&app->sessions, levels->load, reduced, skinned, app->streams.frame_interval);
    if (steps_before == 0)
        app_log(
            &app->log, TEXT_LOG_WARNING,
            "a tick takes %.0f %% of its time: until it takes less, there is less detail (of %d characters "
            "%d are reduced, %d skinned)",
            100.0 * (double)levels->load, (int)app->characters.count, reduced, skinned);
    else if (steps == 0)
        app_log(&app->log, TEXT_LOG_INFO, "all characters are simulated in full again");
}
