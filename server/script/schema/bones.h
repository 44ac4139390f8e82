// Bones in definitions, and their order.
#pragma once

#include "schema/schema.h"
#include "sim/rig.h"

// An entry of tweed.skeleton, or tweed.bone.
typedef struct ScriptBone {
    const char *name;
    const char *parent; // NULL: none
    float position[3];  // m, in the parent's space
    float rotation[4];  // in the parent's space
    int index;          // from 1: its index in the list, set by the reading code
} ScriptBone;

extern const ScriptSchema script_bone_schema;          // tweed.bone: the parent is required
extern const ScriptSchema script_skeleton_bone_schema; // an entry of tweed.skeleton

// Appends the bones to the *bone_count others, parents before children in any order of the list. `bones` has
// room. Bones with a duplicate name, a missing parent or a circle of parents are left out, with findings.
void script_bones_append(ScriptReader *reader, const ScriptBone *entries, int entry_count, SimBoneKind kind,
                         SimBoneDef *bones, int *bone_count);

// -1 if there is none of that name.
int script_bone_find(const SimBoneDef *bones, int bone_count, const char *name);
