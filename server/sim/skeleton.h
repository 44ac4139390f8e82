// From a local pose to model matrices, with the driven layer solved in between.
#pragma once

#include "rig_data.h"

// local: [posed_bone_count]. out_model: the first posed_bone_count matrices are written.
void sim_skeleton_solve(const SimRig *rig, const SimTransform *local, mat4 *out_model);
