// Scenes and their characters come into the world together; and all go together.
#include "characters/fleet.h"
#include "server/findings.h"

#include <stdlib.h>
#include <string.h>

static bool load_scenes(AppFleet *fleet, const AppNames *files, ScriptFindings *findings);
static bool spawn_all(AppFleet *fleet, ScriptFindings *findings, ScriptError *out_error);
static bool load_for_wishes(AppFleet *fleet, ScriptFindings *findings);
static void wish_done(void *context, const AppWish *wish, AppCharacter *character, ScriptError *error);

bool app_fleet_init(AppFleet *fleet, const AppFleetDef *def, ScriptFindings *findings,
                    ScriptError *out_error) {
    *fleet = (AppFleet){.tick_rate = def->tick_rate, .most = def->max_characters};
    fleet->wishes_end = &fleet->wishes;
    SimWorldDef world = sim_default_world_def();
    world.tick_rate = def->tick_rate;
    world.seed = def->seed;
    world.settle = world.sleep = true;
    SimIssue issue;
    fleet->world = sim_world_create(&world, &issue);
    if (!fleet->world) {
        app_error_set(out_error, "%s: %s", issue.path, issue.message);
        return false;
    }
    const ScriptHostDef host = {.world = fleet->world,
                                .script_directories = def->script_directories,
                                .script_directory_count = def->script_directory_count,
                                .asset_directories = def->asset_directories,
                                .asset_directory_count = def->asset_directory_count,
                                .seed = def->seed,
                                .script_memory = def->script_memory,
                                .script_budget_ns = def->script_budget_ns,
                                .callbacks = def->callbacks};
    fleet->host = script_host_create(&host, findings);
    if (!fleet->host || !load_scenes(fleet, def->scenes, findings)) return false;
    script_host_begin_tick(fleet->host, 0.0, 1.0 / def->tick_rate);
    if (!spawn_all(fleet, findings, out_error)) return false;
    for (size_t i = 0; i < fleet->scene_count; i++)
        if (!script_scene_start(fleet->scenes[i], out_error)) return false;
    if (!load_for_wishes(fleet, findings)) return false;
    app_fleet_grant_wishes(fleet, APP_WISHES_OF_ALL, wish_done, out_error);
    if (out_error->message) return false;
    sim_world_place(fleet->world);
    app_fleet_end_tick(fleet);
    for (size_t i = 0; i < fleet->count; i++) fleet->characters[i]->first_tick = 0; // they are placed
    script_host_started(fleet->host);
    return true;
}

void app_fleet_finish(AppFleet *fleet) {
    while (fleet->wishes) app_fleet_drop_wish(fleet, fleet->wishes);
    while (fleet->count > 0) app_fleet_remove(fleet, fleet->characters[fleet->count - 1]);
    free(fleet->characters);
    script_name_table_finish(&fleet->names);
    for (size_t i = 0; i < fleet->scene_count; i++) script_scene_destroy(fleet->scenes[i]);
    free(fleet->scenes);
    script_host_destroy(fleet->host);
    sim_world_destroy(fleet->world);
    *fleet = (AppFleet){0};
}

static bool load_scenes(AppFleet *fleet, const AppNames *files, ScriptFindings *findings) {
    fleet->scenes = calloc(files->count, sizeof(ScriptScene *));
    if (!fleet->scenes) return false;
    bool loaded = true;
    for (size_t i = 0; i < files->count; i++) { // all, so that all mistakes are told at once
        ScriptScene *scene = script_scene_load(fleet->host, files->names[i], findings);
        if (scene) fleet->scenes[fleet->scene_count++] = scene;
        loaded &= scene != NULL;
    }
    if (loaded) sim_world_set_environment(fleet->world, &script_scene_info(fleet->scenes[0])->environment);
    return loaded;
}

static bool spawn_all(AppFleet *fleet, ScriptFindings *findings, ScriptError *out_error) {
    for (size_t i = 0; i < fleet->scene_count; i++) {
        const ScriptSceneInfo *scene = script_scene_info(fleet->scenes[i]);
        for (int j = 0; j < scene->spawn_count; j++) {
            ScriptSpawn wanted = scene->spawns[j];
            char name[PROTOCOL_NAME_BYTES + 1]; // two scenes may use one name
            script_name_table_free_name(&fleet->names, wanted.name, name);
            wanted.name = name;
            ScriptCharacter *script = script_character_load(fleet->host, wanted.script, findings);
            if (!script || !app_fleet_spawn(fleet, script, &wanted, out_error)) return false;
        }
    }
    return true;
}

static bool load_for_wishes(AppFleet *fleet, ScriptFindings *findings) {
    for (const AppWish *wish = fleet->wishes; wish; wish = wish->next)
        if (!script_character_load(fleet->host, wish->script, findings)) return false;
    return true;
}

static void wish_done(void *context, const AppWish *wish, AppCharacter *character, ScriptError *error) {
    ScriptError *out_error = context;
    if (character || out_error->message) return;
    app_error_set(out_error, "%s (%s): %s", wish->name, wish->script,
                  error->message ? error->message : "out of memory");
    out_error->traceback = error->traceback ? strdup(error->traceback) : NULL;
}
