// Characters of one rig, simulated together: character i is lane i of every garment. A group is one task.
//
// A group has as many lanes as its kernel. A character alone is in a group of one lane, whose kernel works on
// many particles of a garment at a time; where there are more of its rig they share one of SIM_LANES.
#pragma once

#include "core/drive.h"
#include "garment/character.h"
#include "garment/strip_garment.h"
#include "motion/weather.h"

// One garment of all lanes, in the kernel's memory.
typedef struct SimGroupGarment {
    const SimKernel *kernel; // the group's; of one lane where the garment cannot have all
    SimGarmentState state;   // its arrays lie in memory
    float *memory;           // [numbers][width]
    size_t numbers;          // of one lane
    float *fabrics;          // SimLaneFabric[substep_count], different while values change
    SimSubstep *substeps;    // [substep_count]; the root's share depends on the fabric, the rest is shared
    SimStripGarment *strips; // NULL: it is no garment in strips
} SimGroupGarment;

// Why a garment was put back to its references: which part of its state went out of bounds (the pose does
// before the cloth is stepped), and which input had done so before.
typedef enum SimCausePart { SIM_CAUSE_POSITION, SIM_CAUSE_SPEED, SIM_CAUSE_POSE } SimCausePart;
typedef enum SimCauseReason {
    SIM_REASON_UNKNOWN,
    SIM_REASON_POSE,
    SIM_REASON_POSE_BEFORE, // at the start of the tick
    SIM_REASON_COLLIDER,
    SIM_REASON_AIR,
} SimCauseReason;

typedef struct SimCause {
    SimCausePart part;
    SimCauseReason reason;
    int particle;       // -1: not known which
    int index;          // bone or collider of the reason
    float value;        // m or m/s, of the particle
    float reason_value; // m or m/s, of the reason
} SimCause;

typedef struct SimGroup {
    SimArena arena;
    SimRig *rig;
    const SimKernel *kernel;
    const SimDrive *drive;
    int place;                           // in the world's list
    int width;                           // lanes
    SimCharacter *characters[SIM_LANES]; // NULL: a free lane
    int count;
    SimLevel level;                          // of all its characters
    SimGroupGarment *garments;               // [garment_count]
    float *seams;                            // [seam_count][substep_count][width] SimKernelSeam's allowed
    float *air;                              // SimLaneAir
    SimRootStep *roots;                      // [substep_count] scratch, of one character
    float *skin_poses;                       // SimLanesPose[skin_bone_count]
    struct SimSelfCollision *self_collision; // [island_count]; NULL where no garment has any
    uint64_t conflicts;                      // in the last tick
    struct {
        int lane, garment;
        SimCause cause;
    } * unstable; // [SIM_LANES * garment_count] resets in the last tick
    int unstable_count;
} SimGroup;

// Inputs that are the same for all groups in one tick.
typedef struct SimGroupTick {
    const SimEnvironment *environment;
    const SimWeather *weather;
    const SimKernelAir *kernel_air; // made from the weather
    int substep_count;              // at the group's level, see sim_level_substeps
    float dt;
    bool settles; // see SimWorldDef
} SimGroupTick;

// The group is as wide as its kernel. Garments in strips have a kernel of their own; rigs with any have
// groups of one lane.
SimGroup *sim_group_create(SimRig *rig, const SimKernel *kernel, const SimKernel *strip_kernel,
                           int substep_count);
void sim_group_destroy(SimGroup *group);

void sim_group_add(SimGroup *group, SimCharacter *character); // there must be a free lane
void sim_group_remove(SimGroup *group, SimCharacter *character);
// Moves a character with its cloth to another group of the same rig.
void sim_group_move(SimGroup *to, SimCharacter *character);

// How many of a world's substeps a rig takes at a level.
int sim_level_substeps(const SimRig *rig, SimLevel level, int substep_count);

// Changes the level of a group of one lane.
void sim_group_set_level(SimGroup *group, SimLevel level);

// Poses unplaced characters and puts their cloth at its references. Returns false when memory runs out.
bool sim_group_place(SimGroup *group, const SimGroupTick *tick);

// Runs one tick of all characters.
void sim_group_step(SimGroup *group, const SimGroupTick *tick);

// One of the numbers of a bone's frame: SIM_NUMBER(SimBoneFrame, warp).
float sim_group_bone_number(const SimGroup *group, int garment, int bone, size_t number, int lane);

// Lays out the arrays of one garment's state, of all lanes, in one block of [numbers][width], so that a state
// can be saved, moved and put back whole. Returns the block, or NULL when the arena failed.
float *sim_state_allocate(SimArena *arena, const SimTopology *topology, int width, SimGarmentState *out_state,
                          size_t *out_numbers);

// The arrays of a garment's state that a later tick reads, [count][width] each. Returns how many there are.
#define SIM_STATE_ARRAYS 28 // scratch included
typedef struct SimStateArray {
    float *numbers;
    size_t count;
} SimStateArray;
int sim_state_kept(const SimTopology *topology, SimGarmentState *state,
                   SimStateArray out_arrays[SIM_STATE_ARRAYS]);

static inline SimLane sim_group_lane(const SimGroup *group, const void *memory, int lane) {
    return (SimLane){(float *)memory + lane, group->width};
}

// SimKernelSeam's allowed of a seam, [substep_count][width].
static inline float *sim_group_seam(const SimGroup *group, int seam, int substep_count) {
    return group->seams + (size_t)(seam * substep_count * group->width);
}

// An island is the garments that are stepped together because seams join them.

// Puts the island's cloth of the chosen lanes at its references, sews the closed seams and computes the
// bones. The other lanes keep their state. Returns false when memory runs out.
bool sim_island_place(SimGroup *group, const SimGroupTick *tick, const SimIsland *island, const bool *chosen);

// Runs all substeps of one tick, then computes the bones and the colliders on them.
void sim_island_step(SimGroup *group, const SimGroupTick *tick, const SimIsland *island);

// The same at SIM_LEVEL_SKINNED.
void sim_island_step_skinned(SimGroup *group, const SimGroupTick *tick, const SimIsland *island);

// After a tick of its group: counts for how long the character and all that acts on it have been still.
void sim_rest_update(SimCharacter *character, const SimGroupTick *tick);

// The rate at which a garment settles `later` seconds after the last tick, 1/s; see SimLaneFabric.
float sim_rest_settling(const SimCharacter *character, int garment, float later);

// Finds why a garment went out of bounds, from the state and the inputs of its lane. Call before it is put
// back.
SimCause sim_cause_find(const SimGroup *group, int garment, int lane);
// Describes a cause in one line.
void sim_cause_describe(const SimRig *rig, int garment, const SimCause *cause, char out_text[SIM_CAUSE_SIZE]);
