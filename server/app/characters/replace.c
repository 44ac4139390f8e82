// Replaces a script. First a replacement of each of its characters is created, as when spawned; only if all
// succeed are they committed.
#include "characters/characters.h"
#include "characters/fabrics.h"

#include <stdlib.h>
#include <string.h>

// What a character gets.
typedef struct Replacement {
    AppCharacter *character;
    SimCharacterId id;
    ScriptInstance *instance;
    AppOverride *overrides; // [garment_count]
} Replacement;

static bool create(AppCharacters *characters, ScriptCharacter *fresh, AppCharacter *character,
                   Replacement *out_replacement, ScriptError *out_error);
static AppOverride *inherit_overrides(const AppCharacters *characters, const AppCharacter *character,
                                      const ScriptCharacter *fresh);
static void destroy(AppCharacters *characters, Replacement *replacement);
static void commit(AppCharacters *characters, ScriptCharacter *fresh, const Replacement *replacement);

bool app_characters_replace(AppCharacters *characters, ScriptCharacter *old, ScriptCharacter *fresh,
                            ScriptError *out_error) {
    size_t count = 0;
    *out_error = (ScriptError){0};
    Replacement *replacements = calloc(characters->count + 1, sizeof *replacements);
    bool created = replacements != NULL;
    characters->reloading = true;
    for (size_t i = 0; created && i < characters->count; i++)
        if (characters->items[i]->script == old)
            created = create(characters, fresh, characters->items[i], &replacements[count++], out_error);
    characters->reloading = false;
    app_characters_end_provisional(characters, created);
    for (size_t i = 0; i < count; i++) {
        if (created)
            commit(characters, fresh, &replacements[i]);
        else
            destroy(characters, &replacements[i]);
    }
    free(replacements);
    if (created)
        script_character_replace(old, fresh);
    else
        script_character_discard(fresh);
    if (!created && !out_error->message) out_error->message = strdup("out of memory");
    return created;
}

static bool create(AppCharacters *characters, ScriptCharacter *fresh, AppCharacter *character,
                   Replacement *out_replacement, ScriptError *out_error) {
    SimIssue issue;
    const SimTransform root = sim_character_root(characters->world, character->id);
    *out_replacement =
        (Replacement){.character = character, .overrides = inherit_overrides(characters, character, fresh)};
    out_replacement->id =
        sim_character_create(characters->world, script_character_info(fresh)->rig, &root, &issue);
    if (!out_replacement->overrides || !out_replacement->id.index) return false;
    out_replacement->instance = script_instance_create(
        fresh, out_replacement->id, character->name, script_instance_params(character->instance), out_error);
    return out_replacement->instance != NULL;
}

// Values that were set on a garment stay with the garment of the same name.
static AppOverride *inherit_overrides(const AppCharacters *characters, const AppCharacter *character,
                                      const ScriptCharacter *fresh) {
    const ScriptCharacterInfo *info = script_character_info(fresh);
    const SimRigInfo *rig = sim_rig_info(characters->world, info->rig);
    AppOverride *overrides = calloc((size_t)rig->garment_count + 1, sizeof *overrides);
    for (int i = 0; overrides && i < rig->garment_count; i++) {
        const int before = app_character_garment(characters, character, rig->garments[i].name);
        if (before >= 0) overrides[i] = character->overrides[before];
    }
    return overrides;
}

static void destroy(AppCharacters *characters, Replacement *replacement) {
    script_instance_destroy(replacement->instance);
    if (replacement->id.index) sim_character_destroy(characters->world, replacement->id);
    free(replacement->overrides);
}

static void commit(AppCharacters *characters, ScriptCharacter *fresh, const Replacement *replacement) {
    AppCharacter *character = replacement->character;
    sim_character_adopt(characters->world, replacement->id, character->id);
    script_instance_destroy(character->instance);
    sim_character_destroy(characters->world, character->id);
    free(character->overrides);
    character->id = replacement->id;
    character->instance = replacement->instance;
    character->overrides = replacement->overrides;
    character->script = fresh;
    character->revision++;
    app_fabrics_apply(characters, character, true);
}
