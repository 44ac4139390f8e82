// Builds the definition of a rig from a character's definition: names become indices, and motions are laid
// out for the skeleton.
#pragma once

#include "define/skeleton.h"
#include "host/host.h"
#include "schema/definition.h"

typedef struct ScriptRigBuild {
    ScriptReader *reader; // at the file's value; its arena holds all memory
    const ScriptHost *host;
    const ScriptCharacterDef *def;
    SimRigDef rig;            // the part that is built
    const char **bone_names;  // [rig.bone_count]
    SimTransform *rest_model; // [rig.bone_count]
    bool bones_known;         // false: the skeleton could not be loaded, and names of bones are not looked up
    int *driven_indices;      // [rig.constraint_count], each one's index in the list `driven`, from 1
    int *collider_indices;    // [rig.collider_count], each one's index in the list `colliders`, from 1
    const float **mesh_covers; // [rig.mesh_count] how far each vertex covers, m; NULL: covers nothing
} ScriptRigBuild;

// Builds the rig and creates it in the host's world (null if it has none). False with findings if that fails.
bool script_rig_build(ScriptReader *reader, const ScriptHost *host, const char *name,
                      const ScriptCharacterDef *def, SimRigId *out_rig);

// The parts of it, in this order
// ------------------------------------------------------------------------------------------------------------------

void script_build_bones(ScriptRigBuild *build);
void script_build_constraints(ScriptRigBuild *build);
// The bone's index. If there is none of that name, adds a finding at `key` and returns 0. Also 0 for NULL,
// which is reported already.
int script_build_bone(ScriptRigBuild *build, const char *key, const char *name);
void script_build_colliders(ScriptRigBuild *build);
// Called after the garments, since colliders may be fixed to their bones, while garments name colliders.
void script_build_collider_bones(ScriptRigBuild *build);
// The indices of the collider of that name, two if it is split; returns their count. If there is none, adds a
// finding and gives index 0.
int script_build_collider(ScriptRigBuild *build, const char *name, int out_indices[2]);
void script_build_garments(ScriptRigBuild *build);
// The values of a fabric. If there is none of that name, adds a finding at `key` and returns NULL.
const SimFabric *script_build_fabric(ScriptRigBuild *build, const char *key, const char *name);
// The fabrics and thicknesses of parts of a garment, as painted and as `regions` says.
void script_build_regions(ScriptRigBuild *build, const ScriptGarmentDef *def, SimGarmentDef *out);
// The names of all bones, the garments' too, which are known by then, and their indices; the count in
// out_count. Returns NULL when memory runs out.
const char **script_build_bone_names(ScriptRigBuild *build, int **out_indices, int *out_count);
void script_build_seams(ScriptRigBuild *build);
// Gives cloth without meshes one of its grid. Called after the garments.
void script_build_default_meshes(ScriptRigBuild *build);
// Called after the garments, whose bones meshes may name.
void script_build_meshes(ScriptRigBuild *build);
// Leaves out triangles that are hidden under other meshes. All of them are at the rest pose.
void script_build_covers(ScriptRigBuild *build);
// Brings a file's mesh from its bind pose to the rest pose.
void script_build_rest_pose(ScriptRigBuild *build, SimRenderMesh *mesh);
// Brings all meshes from the rest pose to the bind pose. Last of all.
void script_build_bind_pose(ScriptRigBuild *build);
// The meshes (const ScriptMesh *) of a garment or, for -1, of the body. The rig has the body's first, then
// each garment's.
ScriptList script_meshes_of(const ScriptCharacterDef *def, int garment);
void script_build_clips(ScriptRigBuild *build);
// Adds the linter's advice on the parts that have no errors.
void script_rig_lint(ScriptRigBuild *build);
// Whether the part at that index (from 1) of a list has errors: advice on it would mislead.
bool script_rig_part_has_errors(const ScriptRigBuild *build, const char *list, int index);
void script_bones_lint(ScriptRigBuild *build); // the advice on bones, measured; about a second
void script_seams_lint(ScriptRigBuild *build); // the advice on seams
// The advice on the positions of a garment's points.
void script_positions_lint(ScriptRigBuild *build, const SimGarmentDef *garment);
