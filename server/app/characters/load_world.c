// Creates and destroys the world with its scenes and their characters.
#include "characters/characters.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool load_scenes(AppCharacters *characters, const AppNames *files, ScriptFindings *findings);
static bool spawn_all(AppCharacters *characters, ScriptFindings *findings, ScriptError *out_error);
static bool load_for_spawns(AppCharacters *characters, ScriptFindings *findings);
static void spawn_done(void *context, const AppSpawnRequest *request, AppCharacter *character,
                       ScriptError *error);

bool app_characters_init(AppCharacters *characters, const AppCharactersDef *def, ScriptFindings *findings,
                         ScriptError *out_error) {
    *characters = (AppCharacters){
        .tick_rate = def->tick_rate, .most = def->max_characters, .removals_left = APP_REMOVALS_PER_TICK};
    characters->spawn_requests_end = &characters->spawn_requests;
    SimWorldDef world = sim_default_world_def();
    world.tick_rate = def->tick_rate;
    world.seed = def->seed;
    world.settle = world.sleep = true;
    SimIssue issue;
    characters->world = sim_world_create(&world, &issue);
    if (!characters->world) {
        script_error_set(out_error, "%s: %s", issue.path, issue.message);
        return false;
    }
    const ScriptHostDef host = {.world = characters->world,
                                .script_directories = def->script_directories,
                                .script_directory_count = def->script_directory_count,
                                .asset_directories = def->asset_directories,
                                .asset_directory_count = def->asset_directory_count,
                                .cache_directory = def->cache_directory,
                                .import = def->import,
                                .seed = def->seed,
                                .script_memory = def->script_memory,
                                .most_rig_ns = def->allow_heavy || !def->by_clock
                                                   ? 0
                                                   : UINT64_C(1000000000) / (uint64_t)def->tick_rate,
                                .unhurried = !def->by_clock,
                                .total_memory = def->total_script_memory,
                                .script_budget_ns = def->script_budget_ns,
                                .callbacks = def->callbacks};
    characters->host = script_host_create(&host, findings);
    if (!characters->host || !load_scenes(characters, def->scenes, findings)) return false;
    script_host_begin_tick(characters->host, 0.0, 1.0 / def->tick_rate);
    if (!spawn_all(characters, findings, out_error)) return false;
    for (size_t i = 0; i < characters->scene_count; i++)
        if (!script_scene_start(characters->scenes[i], out_error)) return false;
    if (!load_for_spawns(characters, findings)) return false;
    characters->spawns_left = INT_MAX; // no tick waits for them
    app_characters_complete_spawns(characters, APP_SPAWNS_OF_ALL, spawn_done, out_error);
    if (out_error->message) return false;
    sim_world_place(characters->world);
    app_characters_end_tick(characters);
    for (size_t i = 0; i < characters->count; i++) characters->items[i]->first_tick = 0; // they are placed
    script_host_started(characters->host);
    return true;
}

void app_characters_finish(AppCharacters *characters) {
    while (characters->spawn_requests)
        app_characters_drop_spawn_request(characters, characters->spawn_requests);
    while (characters->count > 0) app_characters_remove(characters, characters->items[characters->count - 1]);
    free(characters->items);
    script_name_table_finish(&characters->names);
    for (size_t i = 0; i < characters->scene_count; i++) script_scene_destroy(characters->scenes[i]);
    free(characters->scenes);
    script_host_destroy(characters->host);
    app_mesh_texts_finish(&characters->mesh_texts);
    text_buffer_finish(&characters->mesh_description);
    sim_world_destroy(characters->world);
    *characters = (AppCharacters){0};
}

static bool load_scenes(AppCharacters *characters, const AppNames *files, ScriptFindings *findings) {
    characters->scenes = calloc(files->count, sizeof(ScriptScene *));
    if (!characters->scenes) return false;
    bool loaded = true;
    for (size_t i = 0; i < files->count; i++) { // all of them, so that one run reports every mistake
        ScriptScene *scene = script_scene_load(characters->host, files->names[i], findings);
        if (scene) characters->scenes[characters->scene_count++] = scene;
        loaded &= scene != NULL;
    }
    if (loaded)
        sim_world_set_environment(characters->world, &script_scene_info(characters->scenes[0])->environment);
    return loaded;
}

static bool spawn_all(AppCharacters *characters, ScriptFindings *findings, ScriptError *out_error) {
    for (size_t i = 0; i < characters->scene_count; i++) {
        const ScriptSceneInfo *scene = script_scene_info(characters->scenes[i]);
        for (int j = 0; j < scene->spawn_count; j++) {
            ScriptSpawn wanted = scene->spawns[j];
            char name[TEXT_NAME_BYTES + 1]; // two scenes may use one name
            script_name_table_free_name(&characters->names, wanted.name, name);
            wanted.name = name;
            ScriptCharacter *script = script_character_load(characters->host, wanted.script, findings);
            if (!script || !app_characters_spawn(characters, script, &wanted, out_error)) return false;
        }
    }
    return true;
}

static bool load_for_spawns(AppCharacters *characters, ScriptFindings *findings) {
    for (const AppSpawnRequest *request = characters->spawn_requests; request; request = request->next)
        if (!script_character_load(characters->host, request->script, findings)) return false;
    return true;
}

static void spawn_done(void *context, const AppSpawnRequest *request, AppCharacter *character,
                       ScriptError *error) {
    ScriptError *out_error = context;
    if (character || out_error->message) return;
    script_error_set(out_error, "%s (%s): %s", request->name, request->script,
                     error->message ? error->message : "out of memory");
    out_error->traceback = error->traceback ? strdup(error->traceback) : NULL;
}
