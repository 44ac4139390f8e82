// Bones driven by cloth: pivot at their particle, x towards the particle below, y from the lower to the
// higher column, z = x cross y. The kernel computes them (kernel/bones.h).
#pragma once

#include "rig/rig.h"

// Model matrices of one lane's bones: out_bones is [bone_count], positions and frames are that lane of the
// state's. Not in lanes, since from here on a character is by itself: these are the matrices that are sent.
void sim_cloth_bones_matrices(const SimTopology *topology, SimLane positions, SimLane frames,
                              mat4 *out_bones);
