// Which bone of a humanoid plays which role, as rigs/roles.lua has it.
#pragma once

#include "script/host.h"

#include <sim/rig.h>

enum { SCRIPT_ROLES_SIZE = 96 };

// Fills in each bone's roles ("chest, left_shoulder"; "" for none). Returns false if the skeleton is not a
// humanoid that is known, and the reason: the caller frees it, and NULL stands for lack of memory. def: as
// for script_check.
bool script_guess_roles(const ScriptHostDef *def, const SimBoneDef *bones, int bone_count,
                        char (*out_roles)[SCRIPT_ROLES_SIZE], char **out_reason);
