// The live values of fabrics and garments, and their way to the world.
#include "characters/fabrics.h"

#include <string.h>

static SimFabric with_override(const SimFabric *base, const AppOverride *override);
static void set_garment(AppCharacters *characters, AppCharacter *character, int garment, bool ramp);
static void note_change(AppCharacters *characters, AppCharacter *character);

bool app_fabrics_set(AppCharacters *characters, const char *fabric, const AppOverride *values) {
    const ScriptFabric *known = script_fabric_find(characters->host, fabric);
    if (!known) return false;
    const SimFabric changed = with_override(&known->values, values);
    if (!script_fabric_set(characters->host, fabric, &changed)) return false;
    app_fabrics_spread(characters, fabric);
    return true;
}

AppOverride app_fabrics_difference(const SimFabric *fabric, const SimFabric *before) {
    AppOverride difference = {.values = *fabric};
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    for (int i = 0; i < count; i++)
        if (!before || sim_fabric_get(fabric, &fields[i]) != sim_fabric_get(before, &fields[i]))
            difference.fields |= UINT64_C(1) << i;
    return difference;
}

void app_fabrics_spread(AppCharacters *characters, const char *fabric) {
    for (size_t i = 0; i < characters->count; i++) {
        AppCharacter *character = characters->items[i];
        const ScriptCharacterInfo *script = app_character_script(character);
        for (int garment = 0; garment < script->garment_count; garment++)
            if (strcmp(script->garments[garment].fabric, fabric) == 0)
                set_garment(characters, character, garment, true);
    }
}

void app_fabrics_set_garment(AppCharacters *characters, AppCharacter *character, int garment,
                             const AppOverride *values) {
    AppOverride *override = &character->overrides[garment];
    override->values = with_override(&override->values, values);
    override->fields |= values->fields;
    set_garment(characters, character, garment, true);
}

void app_fabrics_apply(AppCharacters *characters, AppCharacter *character, bool ramp) {
    const int count = app_character_script(character)->garment_count;
    for (int garment = 0; garment < count; garment++) set_garment(characters, character, garment, ramp);
}

void app_fabrics_renew(AppCharacters *characters, AppCharacter *character) {
    const int count = app_character_script(character)->garment_count;
    for (int garment = 0; garment < count; garment++) {
        const SimFabric fabric = app_fabrics_of_garment(characters, character, garment);
        const SimFabric *now = sim_garment_fabric(characters->world, character->id, garment);
        if (memcmp(now, &fabric, sizeof fabric) != 0) set_garment(characters, character, garment, true);
    }
}

SimFabric app_fabrics_of_garment(const AppCharacters *characters, const AppCharacter *character,
                                 int garment) {
    const ScriptFabric *fabric =
        script_fabric_find(characters->host, app_character_script(character)->garments[garment].fabric);
    const SimFabric *base =
        fabric ? &fabric->values : sim_garment_fabric(characters->world, character->id, garment);
    return with_override(base, &character->overrides[garment]);
}

static SimFabric with_override(const SimFabric *base, const AppOverride *override) {
    SimFabric fabric = *base;
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    for (int i = 0; i < count; i++)
        if (override->fields >> i & 1)
            sim_fabric_set(&fabric, &fields[i], sim_fabric_get(&override->values, &fields[i]));
    return fabric;
}

static void set_garment(AppCharacters *characters, AppCharacter *character, int garment, bool ramp) {
    const SimFabric fabric = app_fabrics_of_garment(characters, character, garment);
    sim_garment_set_fabric(characters->world, character->id, garment, &fabric, ramp);
    if (ramp) note_change(characters, character);
}

static void note_change(AppCharacters *characters, AppCharacter *character) {
    character->fabric_changed = true;
    character->fabric_changed_tick = sim_world_tick(characters->world);
}
