// From what a character's script says to the definition of a rig: names become indices, lists are counted,
// motions are laid out for the skeleton.
#pragma once

#include "define/skeleton.h"
#include "host/host.h"
#include "schema/definition.h"

typedef struct ScriptRigBuild {
    ScriptReader *reader; // at the root; all memory is its arena's
    const ScriptHost *host;
    const ScriptCharacterDef *def;
    SimRigDef rig;            // as far as it is built
    const char **bone_names;  // [rig.bone_count]
    SimTransform *rest_model; // [rig.bone_count]
    bool bones_known;         // false: the skeleton could not be had, and names of bones are not looked up
    int *driven_indices;      // [rig.constraint_count], from 1: where in the list `driven`
    int *collider_indices;    // [rig.collider_count], from 1: where in the list `colliders`
} ScriptRigBuild;

// The rig in the host's world (null where it has none). False, with findings, if it cannot be made.
bool script_rig_build(ScriptReader *reader, const ScriptHost *host, const char *name,
                      const ScriptCharacterDef *def, SimRigId *out_rig);

// The parts of it, in this order
// ------------------------------------------------------------------------------------------------------------------

void script_build_bones(ScriptRigBuild *build);
void script_build_constraints(ScriptRigBuild *build);
// The bone's index. Where there is none of that name, a finding at key, and 0. NULL (told already) is 0 too.
int script_build_bone(ScriptRigBuild *build, const char *key, const char *name);
void script_build_colliders(ScriptRigBuild *build);
// After the garments, since colliders may go with their bones, while garments name the colliders that they
// meet.
void script_build_collider_bones(ScriptRigBuild *build);
// The indices of the collider of that name, two where it was split; returns their count. Where there is none
// of that name, a finding, and index 0.
int script_build_collider(ScriptRigBuild *build, const char *name, int out_indices[2]);
void script_build_garments(ScriptRigBuild *build);
void script_build_seams(ScriptRigBuild *build);
void script_build_clips(ScriptRigBuild *build);
// A linter's advice on what was built, but for parts that are wrong.
void script_rig_lint(ScriptRigBuild *build);
// Whether an error was found in the part at that place (from 1) of a list: advice on it would mislead.
bool script_rig_part_has_errors(const ScriptRigBuild *build, const char *list, int place);
void script_seams_lint(ScriptRigBuild *build); // its part on seams
// Its part on where a garment's points lie.
void script_grid_lint(ScriptRigBuild *build, const SimGarmentDef *garment);
