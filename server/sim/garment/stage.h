// One stage of a group: garments that are stepped together, since seams join them.
#pragma once

#include "garment/group.h"

// Puts the stage's cloth of the chosen lanes at its references, sews what is closed, and makes its bones.
// The other lanes keep theirs. False for want of memory.
bool sim_stage_place(SimGroup *group, const SimGroupTick *tick, const SimStage *stage, const bool *chosen);

// All substeps of one tick, then bones, and the colliders that go with them.
void sim_stage_step(SimGroup *group, const SimGroupTick *tick, const SimStage *stage);
