// Loading scenes, and the life of characters.
#include "fleet.h"

#include "descriptions.h"
#include "fabrics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool load_scenes(AppFleet *fleet, const AppNames *files, ScriptFindings *findings);
static bool spawn_all(AppFleet *fleet, ScriptFindings *findings, ScriptError *out_error);
static bool load_for_wishes(AppFleet *fleet, ScriptFindings *findings);
static bool enter_world(AppFleet *fleet, AppCharacter *character, const ScriptSpawn *wanted,
                        ScriptError *out_error);
static bool add(AppFleet *fleet, AppCharacter *character);
static void destroy(AppFleet *fleet, AppCharacter *character);
static void wish_done_at_start(void *context, const AppWish *wish, AppCharacter *character,
                               ScriptError *error);
static void set_error(ScriptError *out_error, const char *format, ...) PROTOCOL_PRINTF(2, 3);

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
        set_error(out_error, "%s: %s", issue.path, issue.message);
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
    app_fleet_grant_wishes(fleet, APP_WISHES_OF_ALL, wish_done_at_start, out_error);
    if (out_error->message) return false;
    sim_world_place(fleet->world);
    app_fleet_end_tick(fleet);
    for (size_t i = 0; i < fleet->count; i++) fleet->characters[i]->first_tick = 0; // they are placed
    script_host_started(fleet->host);
    return true;
}

void app_fleet_finish(AppFleet *fleet) {
    while (fleet->wishes) app_fleet_drop_wish(fleet, fleet->wishes);
    for (size_t i = 0; i < fleet->count; i++) destroy(fleet, fleet->characters[i]);
    free(fleet->characters);
    script_name_table_finish(&fleet->names);
    for (size_t i = 0; i < fleet->scene_count; i++) script_scene_destroy(fleet->scenes[i]);
    free(fleet->scenes);
    script_host_destroy(fleet->host);
    sim_world_destroy(fleet->world);
    *fleet = (AppFleet){0};
}

AppCharacter *app_fleet_find(const AppFleet *fleet, const char *name) {
    return script_name_table_owner(&fleet->names, name);
}

const AppCharacter *app_fleet_find_id(const AppFleet *fleet, SimCharacterId id) {
    for (size_t i = 0; i < fleet->count; i++) {
        const SimCharacterId other = fleet->characters[i]->id;
        if (other.index == id.index && other.generation == id.generation) return fleet->characters[i];
    }
    return NULL;
}

const SimRigInfo *app_character_rig(const AppFleet *fleet, const AppCharacter *character) {
    return sim_rig_info(fleet->world, sim_character_rig(fleet->world, character->id));
}

const ScriptCharacterInfo *app_character_script(const AppCharacter *character) {
    return script_character_info(character->script);
}

int app_character_garment(const AppFleet *fleet, const AppCharacter *character, const char *name) {
    const SimRigInfo *rig = app_character_rig(fleet, character);
    for (int i = 0; i < rig->garment_count; i++)
        if (strcmp(rig->garments[i].name, name) == 0) return i;
    return -1;
}

bool app_character_reset(AppFleet *fleet, AppCharacter *character, ScriptError *out_error) {
    const int garment_count = app_character_script(character)->garment_count;
    for (int i = 0; i < garment_count; i++) {
        if (character->overrides[i].fields != 0) character->fabric_changed = true;
        character->overrides[i].fields = 0;
    }
    sim_character_reset(fleet->world, character->id);
    app_fabrics_apply(fleet, character, false);
    return script_instance_reset(character->instance, out_error);
}

bool app_fleet_on_trial(const AppFleet *fleet) {
    return fleet->reloading || fleet->entering;
}

static void end_trial(AppLeaving *leaving, bool passed) {
    if (*leaving == APP_MAY_LEAVE) *leaving = passed ? APP_LEAVES : APP_STAYS;
}

void app_fleet_end_trial(AppFleet *fleet, bool passed) {
    for (size_t i = 0; i < fleet->count; i++) end_trial(&fleet->characters[i]->leaving, passed);
    for (AppWish *wish = fleet->wishes; wish; wish = wish->next) end_trial(&wish->leaving, passed);
}

void app_fleet_hold(AppFleet *fleet, const char *script) {
    for (size_t i = 0; i < fleet->count; i++)
        if (strcmp(app_character_script(fleet->characters[i])->script, script) == 0)
            sim_character_hold(fleet->world, fleet->characters[i]->id);
}

void app_fleet_run_scripts(AppFleet *fleet) {
    script_host_deliver(fleet->host);
    for (size_t i = 0; i < fleet->scene_count; i++) script_scene_tick(fleet->scenes[i]);
    for (size_t i = 0; i < fleet->count; i++) script_instance_tick(fleet->characters[i]->instance);
}

// A change shows in the static data at once and, since sim ramps to new values, once more when it is through.
void app_fleet_end_tick(AppFleet *fleet) {
    const uint64_t tick = sim_world_tick(fleet->world), fifth = (uint64_t)(fleet->tick_rate + 4) / 5;
    for (size_t i = 0; i < fleet->count; i++) {
        AppCharacter *character = fleet->characters[i];
        character->root_world = sim_character_root(fleet->world, character->id);
        if (!character->fabric_changed || tick < character->revision_tick + fifth) continue;
        character->revision++;
        character->revision_tick = tick;
        character->fabric_changed = tick <= character->fabric_changed_tick + fifth;
    }
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

AppCharacter *app_fleet_spawn(AppFleet *fleet, ScriptCharacter *script, const ScriptSpawn *wanted,
                              ScriptError *out_error) {
    *out_error = (ScriptError){0};
    if (fleet->count >= fleet->most) {
        set_error(out_error, "there are %zu characters already, the most there can be", fleet->most);
        return NULL;
    }
    const int garment_count = script_character_info(script)->garment_count;
    AppCharacter *character = calloc(1, sizeof *character);
    AppOverride *overrides = calloc((size_t)garment_count + 1, sizeof *overrides);
    if (!character || !overrides) {
        free(character);
        free(overrides);
        set_error(out_error, "out of memory");
        return NULL;
    }
    character->script = script;
    character->overrides = overrides;
    character->revision = script_character_info(script)->revision;
    memcpy(character->name, wanted->name, strlen(wanted->name) + 1);
    // Its name is its own before its script runs, and gets an owner once it is whole.
    if (!script_name_table_put(&fleet->names, character->name, NULL)) {
        set_error(out_error, "out of memory");
    } else if (enter_world(fleet, character, wanted, out_error)) {
        return character;
    }
    script_name_table_remove(&fleet->names, wanted->name);
    destroy(fleet, character);
    return NULL;
}

void app_fleet_remove(AppFleet *fleet, AppCharacter *character) {
    script_name_table_remove(&fleet->names, character->name);
    fleet->count--;
    for (size_t slot = character->slot; slot < fleet->count; slot++) {
        fleet->characters[slot] = fleet->characters[slot + 1];
        fleet->characters[slot]->slot = slot;
    }
    destroy(fleet, character);
}

static bool enter_world(AppFleet *fleet, AppCharacter *character, const ScriptSpawn *wanted,
                        ScriptError *out_error) {
    SimIssue issue;
    character->id = sim_character_create(fleet->world, script_character_info(character->script)->rig,
                                         &wanted->root_world, &issue);
    if (character->id.index == 0) {
        set_error(out_error, "%s: %s: %s", character->name, issue.path, issue.message);
        return false;
    }
    app_fabrics_apply(fleet, character, false);
    fleet->entering = character;
    character->instance =
        script_instance_create(character->script, character->id, character->name, wanted->params, out_error);
    const bool added = character->instance && add(fleet, character);
    if (character->instance && !added) set_error(out_error, "out of memory");
    app_fleet_end_trial(fleet, added);
    fleet->entering = NULL;
    return added;
}

static bool add(AppFleet *fleet, AppCharacter *character) {
    if (fleet->count == fleet->capacity) {
        const size_t capacity = fleet->capacity > 0 ? 2 * fleet->capacity : 16;
        AppCharacter **grown = realloc(fleet->characters, capacity * sizeof *grown);
        if (!grown) return false;
        fleet->characters = grown;
        fleet->capacity = capacity;
    }
    character->slot = fleet->count;
    character->first_tick = sim_world_tick(fleet->world) + 1;
    fleet->characters[fleet->count++] = character;
    return script_name_table_put(&fleet->names, character->name, character); // in its place already
}

static void destroy(AppFleet *fleet, AppCharacter *character) {
    script_instance_destroy(character->instance);
    if (character->id.index != 0) sim_character_destroy(fleet->world, character->id);
    app_described_forget(fleet, character);
    free(character->overrides);
    free(character);
}

static void wish_done_at_start(void *context, const AppWish *wish, AppCharacter *character,
                               ScriptError *error) {
    ScriptError *out_error = context;
    if (character || out_error->message) return;
    set_error(out_error, "%s (%s): %s", wish->name, wish->script,
              error->message ? error->message : "out of memory");
    out_error->traceback = error->traceback ? strdup(error->traceback) : NULL;
}

static void set_error(ScriptError *out_error, const char *format, ...) {
    script_error_finish(out_error);
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    out_error->message = strdup(text);
}
