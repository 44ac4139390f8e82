// A compiled rig: shared by all of its characters, and immutable except while it morphs (rig/rig_morph.h).
#pragma once

#include "core/arena.h"
#include "core/kernel.h"
#include "sim/rig.h"
#include "topology/topology.h"

#include <cglm/types.h>

#define SIM_RAMP_SECONDS 0.2f // in which numbers that change while the world runs reach their new values

// One step of solving the skeleton: a bone's model matrix from its parent's, or a constraint.
typedef struct SimRigStep {
    int bone;       // the bone to place, or
    int constraint; // the constraint to solve; -1
} SimRigStep;

// Garments that are stepped together, since seams join them.
typedef struct SimIsland {
    int *garments; // [garment_count]
    int garment_count;
    int *seams; // [seam_count]
    int seam_count;
} SimIsland;

// How far a bone turns from one key of a clip to the next; see SimArc.
typedef struct SimKeyArc {
    float angle, sine;
} SimKeyArc;

typedef struct SimRig {
    SimArena arena;
    int users; // characters, and 1 until it is released
    SimRigInfo info;
    int posed_bone_count;     // skeleton and driven: the bones that clips and constraints place
    SimTransform *rest_local; // [posed_bone_count]
    mat4 *inverse_rest; // [posed_bone_count] garments are cut to the rest pose; a file's bind pose is its
                        // meshes'
    SimConstraintDef *constraints;
    float *constraint_distance; // [constraint_count] POSITION: m at rest
    vec3 *constraint_axis; // [constraint_count] TWIST: unit axis in the followed bone's parent's space; AIM:
                           // unit axis
    int constraint_count;
    SimRigStep *steps;
    int step_count;
    SimTransform *collider_local; // [collider_count] pose in the bone's space (a capsule's y axis along it)
    int *collider_garment;        // [collider_count] whose bone carries it; -1: the skeleton's
    SimGarmentType *garments;
    int *garment_island; // [garment_count] a number that garments of one island share
    SimIsland *islands;  // [island_count] in the order in which they are stepped
    int island_count;
    SimSeam *seams;       // [info.seam_count]
    SimClipDef *clips;    // rotations of a bone lie on one hemisphere from each frame to the next
    SimKeyArc **key_arcs; // [info.clip_count][frame_count - 1][posed_bone_count] from each key to the next
    bool *clip_is_still;  // [info.clip_count] all of its frames are alike
    int *skin_bones;      // [skin_bone_count] the bones that move references
    int skin_bone_count;
    int particle_count;
    bool has_strips;           // some garment is simulated in strips
    bool adopted;              // characters went on with it in place of another
    struct SimRigMorph *morph; // from the numbers of the rig that it replaces to its own; NULL: done
} SimRig;

// NULL, with issue filled, for a bad definition or want of memory.
SimRig *sim_rig_compile(const SimRigDef *def, SimIssue *out_issue);
void sim_rig_destroy(SimRig *rig);

// Index in another rig of the collider of that name, or of the garment with the same name, rows and columns;
// -1: none.
int sim_rig_collider_named(const SimRig *rig, const char *name);
int sim_rig_garment_like(const SimRig *rig, const SimGarmentType *garment);

// How many bones a garment has: every row but the last, all columns, unless the definition says otherwise.
int sim_garment_bone_count(const SimGarmentDef *garment);
int sim_rig_bone_count(const SimRigDef *def); // those of its garments too

// Parts of the compilation. They return false, with issue filled or the arena failed.
bool sim_rig_order_steps(SimRig *rig, SimIssue *out_issue);
// How many rows and columns of a garment have bones.
int sim_garment_bone_rows(const SimGarmentDef *def);
int sim_garment_bone_columns(const SimGarmentDef *def);
bool sim_colliders_build(SimRig *rig, const SimGarmentDef *def, SimGarmentType *garment);
// A shape between two of the same kind, in the place of `to`; share 0..1.
void sim_collider_mix(const SimKernelCollider *from, const SimKernelCollider *to, float share,
                      SimKernelCollider *out);
bool sim_garment_bones_build(SimRig *rig, const SimGarmentDef *def, int garment);
// The bones and weights that move each particle's reference.
bool sim_references_build(SimRig *rig, const SimRigDef *def, int garment);

// Fills in the rig's islands (the garments that are stepped together, in order), before the garments are
// built. Returns false and fills issue when garments wait for each other's colliders.
bool sim_rig_order_islands(SimRig *rig, const SimRigDef *def, SimIssue *out_issue);

// Returns false for a collider on bones of the garment's own island.
bool sim_rig_meets_collider(const SimRig *rig, int garment, int collider);

bool sim_validate_seam(const SimRigDef *def, int seam, SimIssue *out_issue);
bool sim_validate_render_mesh(const SimRigDef *def, int mesh, SimIssue *out_issue);
bool sim_render_meshes_copy(SimRig *rig, const SimRigDef *def);

// After the garments' topologies.
bool sim_seams_build(SimRig *rig, const SimRigDef *def);

// Model matrices of cloth bones, from the frames that the kernel computes (kernel/bones.h): pivot at the
// particle, x towards the particle below, y from the lower to the higher column, z = x cross y.
// out_bones [width] has [bone_count] matrices of each lane, NULL where they are not wanted; positions and
// frames are the state's.
void sim_cloth_bones_matrices(const SimTopology *topology, const float *positions, const float *frames,
                              int width, mat4 *const *out_bones);
