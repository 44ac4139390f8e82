// Resets a character. Its state in the world and its script instance are created anew; only if on_spawn
// succeeds do they replace the earlier ones.
#include "characters/characters.h"
#include "characters/fabrics.h"

#include <stdlib.h>
#include <string.h>

static bool restart(AppCharacters *characters, AppCharacter *character, ScriptError *out_error);
static void restore(AppCharacters *characters, AppCharacter *character, const AppCharacter *before);

bool app_character_reset(AppCharacters *characters, AppCharacter *character, ScriptError *out_error) {
    const AppCharacter before = *character;
    AppSpawnRequest **own = characters->spawn_requests_end; // the first request of its on_spawn
    *out_error = (ScriptError){0};
    characters->resetting = true;
    const bool is_reset = restart(characters, character, out_error);
    characters->resetting = false;
    app_characters_end_provisional(characters, is_reset);
    const AppCharacter *dropped = is_reset ? &before : character;
    if (dropped->id.index != 0) sim_character_destroy(characters->world, dropped->id);
    free(dropped->overrides);
    if (is_reset) return true;
    restore(characters, character, &before);
    app_characters_drop_spawn_requests(characters, own);
    return false;
}

// Gives the character a new state, which its on_spawn sees and changes.
static bool restart(AppCharacters *characters, AppCharacter *character, ScriptError *out_error) {
    SimIssue issue;
    const int garment_count = app_character_script(character)->garment_count;
    for (int i = 0; i < garment_count; i++)
        if (character->overrides[i].fields != 0) character->fabric_changed = true;
    character->overrides = calloc((size_t)garment_count + 1, sizeof *character->overrides);
    character->id = sim_character_create_like(characters->world, character->id, &issue);
    if (!character->overrides || character->id.index == 0) return false;
    app_fabrics_apply(characters, character, false);
    return script_instance_reset(character->instance, character->id, out_error);
}

// Undoes all that a script may have changed of it. A fabric that the script has set stays set, for all who
// wear it, and a script that has been suspended stays so.
static void restore(AppCharacters *characters, AppCharacter *character, const AppCharacter *before) {
    character->id = before->id;
    character->overrides = before->overrides;
    memcpy(character->levels, before->levels, sizeof character->levels);
    character->fabric_changed = before->fabric_changed;
    character->fabric_changed_tick = before->fabric_changed_tick;
    app_fabrics_renew(characters, character);
    if (script_character_suspension(character->script))
        sim_character_pause_clips(characters->world, character->id);
}
