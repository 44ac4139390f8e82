// A script in place of another one. First all of its characters come into the world a second time, as they
// would when spawned; only where that went well do they take over.
#include "characters/characters.h"
#include "characters/fabrics.h"

#include <stdlib.h>
#include <string.h>

// What a character is going to have.
typedef struct Heir {
    AppCharacter *character;
    SimCharacterId id;
    ScriptInstance *instance;
    AppOverride *overrides; // [garment_count]
} Heir;

static bool create(AppCharacters *characters, ScriptCharacter *fresh, AppCharacter *character, Heir *out_heir,
                   ScriptError *out_error);
static AppOverride *inherit_overrides(const AppCharacters *characters, const AppCharacter *character,
                                      const ScriptCharacter *fresh);
static void destroy(AppCharacters *characters, Heir *heir);
static void take_over(AppCharacters *characters, ScriptCharacter *fresh, const Heir *heir);

bool app_characters_replace(AppCharacters *characters, ScriptCharacter *old, ScriptCharacter *fresh,
                            ScriptError *out_error) {
    size_t count = 0;
    *out_error = (ScriptError){0};
    Heir *heirs = calloc(characters->count + 1, sizeof *heirs);
    bool created = heirs != NULL;
    characters->reloading = true;
    for (size_t i = 0; created && i < characters->count; i++)
        if (characters->items[i]->script == old)
            created = create(characters, fresh, characters->items[i], &heirs[count++], out_error);
    characters->reloading = false;
    app_characters_end_trial(characters, created);
    for (size_t i = 0; i < count; i++) {
        if (created)
            take_over(characters, fresh, &heirs[i]);
        else
            destroy(characters, &heirs[i]);
    }
    free(heirs);
    if (created)
        script_character_replace(old, fresh);
    else
        script_character_discard(fresh);
    if (!created && !out_error->message) out_error->message = strdup("out of memory");
    return created;
}

static bool create(AppCharacters *characters, ScriptCharacter *fresh, AppCharacter *character, Heir *out_heir,
                   ScriptError *out_error) {
    SimIssue issue;
    const SimTransform root = sim_character_root(characters->world, character->id);
    *out_heir = (Heir){.character = character, .overrides = inherit_overrides(characters, character, fresh)};
    out_heir->id = sim_character_create(characters->world, script_character_info(fresh)->rig, &root, &issue);
    if (!out_heir->overrides || !out_heir->id.index) return false;
    out_heir->instance = script_instance_create(fresh, out_heir->id, character->name,
                                                script_instance_params(character->instance), out_error);
    return out_heir->instance != NULL;
}

// Values that were set on a garment stay with its name.
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

static void destroy(AppCharacters *characters, Heir *heir) {
    script_instance_destroy(heir->instance);
    if (heir->id.index) sim_character_destroy(characters->world, heir->id);
    free(heir->overrides);
}

static void take_over(AppCharacters *characters, ScriptCharacter *fresh, const Heir *heir) {
    AppCharacter *character = heir->character;
    sim_character_adopt(characters->world, heir->id, character->id);
    script_instance_destroy(character->instance);
    sim_character_destroy(characters->world, character->id);
    free(character->overrides);
    character->id = heir->id;
    character->instance = heir->instance;
    character->overrides = heir->overrides;
    character->script = fresh;
    character->revision++;
    app_fabrics_apply(characters, character, true);
}
