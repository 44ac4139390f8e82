// Up to 16 characters of one rig, simulated together: character i is lane i of every garment. A group is one
// task.
#pragma once

#include "character.h"
#include "wind.h"

typedef struct SimGroup {
    SimArena arena;
    SimRig *rig;
    SimCharacter *characters[SIM_LANES]; // NULL: a free lane
    int count;
    SimGarmentState *states;  // [garment_count]
    void **state_memory;      // [garment_count] all of a state's arrays, one block
    size_t *state_bytes;      // [garment_count]
    SimLaneFabric *fabrics;   // [garment_count]
    SimSubstep *substeps;     // [substep_count]
    SimLanesPose *skin_poses; // [skin_bone_count]
    float (*positions)[3];    // scratch: one garment of one character
    uint64_t conflicts;       // in the last tick
    struct {
        int lane, garment;
    } * unstable; // [SIM_LANES * garment_count] resets in the last tick
    int unstable_count;
} SimGroup;

// What is the same for all groups in one tick.
typedef struct SimGroupTick {
    const SimKernel *kernel;
    const SimEnvironment *environment;
    const SimWindField *wind;
    int substep_count;
    float dt;
} SimGroupTick;

SimGroup *sim_group_create(SimRig *rig, int substep_count);
void sim_group_destroy(SimGroup *group);

void sim_group_add(SimGroup *group, SimCharacter *character); // there must be a free lane
void sim_group_remove(SimGroup *group, SimCharacter *character);

// Poses unplaced characters and puts their cloth at its references. False for want of memory.
bool sim_group_place(SimGroup *group, const SimGroupTick *tick);

// One tick of all characters, in the order of the steps.
void sim_group_step(SimGroup *group, const SimGroupTick *tick);

void sim_group_copy_lane(const SimLanes3 *from, int count, int lane, float (*out)[3]);
