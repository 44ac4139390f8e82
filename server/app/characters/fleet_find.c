// Who there is, and what they are.
#include "characters/fleet.h"

#include <string.h>

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
