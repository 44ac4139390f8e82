// The life of characters.
#include "characters/fleet.h"

#include "characters/descriptions.h"
#include "characters/fabrics.h"
#include "server/findings.h"

#include <stdlib.h>
#include <string.h>

static bool enter_world(AppFleet *fleet, AppCharacter *character, const ScriptSpawn *wanted,
                        ScriptError *out_error);
static bool add(AppFleet *fleet, AppCharacter *character);
static void destroy(AppFleet *fleet, AppCharacter *character);

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

AppCharacter *app_fleet_spawn(AppFleet *fleet, ScriptCharacter *script, const ScriptSpawn *wanted,
                              ScriptError *out_error) {
    *out_error = (ScriptError){0};
    if (fleet->count >= fleet->most) {
        app_error_set(out_error, "there are %zu characters already, the most there can be", fleet->most);
        return NULL;
    }
    const int garment_count = script_character_info(script)->garment_count;
    AppCharacter *character = calloc(1, sizeof *character);
    AppOverride *overrides = calloc((size_t)garment_count + 1, sizeof *overrides);
    if (!character || !overrides) {
        free(character);
        free(overrides);
        app_error_set(out_error, "out of memory");
        return NULL;
    }
    character->script = script;
    character->overrides = overrides;
    character->revision = script_character_info(script)->revision;
    memcpy(character->name, wanted->name, strlen(wanted->name) + 1);
    // Its name is its own before its script runs, and gets an owner once it is whole.
    if (!script_name_table_put(&fleet->names, character->name, NULL)) {
        app_error_set(out_error, "out of memory");
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
        app_error_set(out_error, "%s: %s: %s", character->name, issue.path, issue.message);
        return false;
    }
    app_fabrics_apply(fleet, character, false);
    fleet->entering = character;
    character->instance =
        script_instance_create(character->script, character->id, character->name, wanted->params, out_error);
    const bool added = character->instance && add(fleet, character);
    if (character->instance && !added) app_error_set(out_error, "out of memory");
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
