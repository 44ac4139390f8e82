// Creates and removes characters.
#include "characters/characters.h"

#include "characters/describe.h"
#include "characters/fabrics.h"

#include <stdlib.h>
#include <string.h>
#include <text/array.h>

static void end_provisional(AppRemoval *removal, bool accepted);
static bool create_in_world(AppCharacters *characters, AppCharacter *character, const ScriptSpawn *wanted,
                            ScriptError *out_error);
static bool add(AppCharacters *characters, AppCharacter *character);
static void destroy(AppCharacters *characters, AppCharacter *character);

AppCharacter *app_characters_find(const AppCharacters *characters, const char *name) {
    return script_name_table_owner(&characters->names, name);
}

const AppCharacter *app_characters_find_id(const AppCharacters *characters, SimCharacterId id) {
    for (size_t i = 0; i < characters->count; i++) {
        const SimCharacterId other = characters->items[i]->id;
        if (other.index == id.index && other.generation == id.generation) return characters->items[i];
    }
    return NULL;
}

int app_character_garment(const AppCharacters *characters, const AppCharacter *character, const char *name) {
    const SimRigInfo *rig = app_character_rig(characters, character);
    for (int i = 0; i < rig->garment_count; i++)
        if (strcmp(rig->garments[i].name, name) == 0) return i;
    return -1;
}

bool app_character_set_level(AppCharacters *characters, AppCharacter *character, AppLevelSource source,
                             SimLevel level) {
    character->levels[source] = level;
    for (AppLevelSource other = 0; other < APP_LEVEL_SOURCES; other++)
        if (character->levels[other] > level) level = character->levels[other];
    return sim_character_set_level(characters->world, character->id, level);
}

bool app_characters_are_provisional(const AppCharacters *characters) {
    return characters->reloading || characters->resetting || characters->entering;
}

void app_characters_end_provisional(AppCharacters *characters, bool accepted) {
    for (size_t i = 0; i < characters->count; i++) end_provisional(&characters->items[i]->removal, accepted);
    for (AppSpawnRequest *request = characters->spawn_requests; request; request = request->next)
        end_provisional(&request->removal, accepted);
}

void app_characters_pause_clips(AppCharacters *characters, const char *script) {
    for (size_t i = 0; i < characters->count; i++)
        if (strcmp(app_character_script(characters->items[i])->script, script) == 0)
            sim_character_pause_clips(characters->world, characters->items[i]->id);
}

void app_characters_run_scripts(AppCharacters *characters) {
    script_host_deliver_events(characters->host);
    for (size_t i = 0; i < characters->scene_count; i++) script_scene_tick(characters->scenes[i]);
    for (size_t i = 0; i < characters->count; i++) script_instance_tick(characters->items[i]->instance);
}

// A change shows in the static data at once and, since sim ramps to new values, once more at the end of the
// ramp.
void app_characters_end_tick(AppCharacters *characters) {
    const uint64_t tick = sim_world_tick(characters->world),
                   fifth = (uint64_t)(characters->tick_rate + 4) / 5;
    for (size_t i = 0; i < characters->count; i++) {
        AppCharacter *character = characters->items[i];
        character->root_world = sim_character_root(characters->world, character->id);
        if (!character->fabric_changed || tick < character->revision_tick + fifth) continue;
        character->revision++;
        character->revision_tick = tick;
        character->fabric_changed = tick <= character->fabric_changed_tick + fifth;
    }
}

void app_characters_set_tick(AppCharacters *characters, uint64_t tick) {
    const double ticks = (double)(int64_t)(tick - sim_world_tick(characters->world));
    sim_world_set_tick(characters->world, tick);
    for (size_t i = 0; i < characters->count; i++)
        script_instance_shift_time(characters->items[i]->instance, ticks / characters->tick_rate);
}

AppCharacter *app_characters_spawn(AppCharacters *characters, ScriptCharacter *script,
                                   const ScriptSpawn *wanted, ScriptError *out_error) {
    *out_error = (ScriptError){0};
    if (characters->count >= characters->most) {
        script_error_set(out_error, APP_CHARACTERS_FULL, characters->most);
        return NULL;
    }
    const int garment_count = script_character_info(script)->garment_count;
    AppCharacter *character = calloc(1, sizeof *character);
    AppOverride *overrides = calloc((size_t)garment_count + 1, sizeof *overrides);
    if (!character || !overrides) {
        free(character);
        free(overrides);
        script_error_set(out_error, "out of memory");
        return NULL;
    }
    character->script = script;
    character->overrides = overrides;
    character->revision = script_character_info(script)->revision;
    memcpy(character->name, wanted->name, strlen(wanted->name) + 1);
    // The name is reserved before its script runs, and gets its owner at the end.
    if (!script_name_table_put(&characters->names, character->name, NULL)) {
        script_error_set(out_error, "out of memory");
    } else if (create_in_world(characters, character, wanted, out_error)) {
        return character;
    }
    script_name_table_remove(&characters->names, wanted->name);
    destroy(characters, character);
    return NULL;
}

void app_characters_remove(AppCharacters *characters, AppCharacter *character) {
    script_name_table_remove(&characters->names, character->name);
    characters->changes++;
    characters->count--;
    for (size_t slot = character->slot; slot < characters->count; slot++) {
        characters->items[slot] = characters->items[slot + 1];
        characters->items[slot]->slot = slot;
    }
    destroy(characters, character);
}

static void end_provisional(AppRemoval *removal, bool accepted) {
    if (*removal == APP_REMOVAL_PROVISIONAL) *removal = accepted ? APP_REMOVAL_ACCEPTED : APP_REMOVAL_NONE;
}

static bool create_in_world(AppCharacters *characters, AppCharacter *character, const ScriptSpawn *wanted,
                            ScriptError *out_error) {
    SimIssue issue;
    character->id = sim_character_create(characters->world, script_character_info(character->script)->rig,
                                         &wanted->root_world, &issue);
    if (character->id.index == 0) {
        script_error_set(out_error, "%s: %s: %s", character->name, issue.path, issue.message);
        return false;
    }
    app_fabrics_apply(characters, character, false);
    characters->entering = character;
    character->instance =
        script_instance_create(character->script, character->id, character->name, wanted->params, out_error);
    const bool added = character->instance && add(characters, character);
    if (character->instance && !added) script_error_set(out_error, "out of memory");
    app_characters_end_provisional(characters, added);
    characters->entering = NULL;
    return added;
}

static bool add(AppCharacters *characters, AppCharacter *character) {
    if (!TEXT_ARRAY_GROW(characters->items, characters->count, characters->capacity)) return false;
    character->slot = characters->count;
    character->first_tick = sim_world_tick(characters->world) + 1;
    characters->items[characters->count++] = character;
    characters->changes++;
    return script_name_table_put(&characters->names, character->name, character); // in its place already
}

static void destroy(AppCharacters *characters, AppCharacter *character) {
    script_instance_destroy(character->instance);
    if (character->id.index != 0) sim_character_destroy(characters->world, character->id);
    app_description_drop(characters, character);
    free(character->overrides);
    free(character);
}
