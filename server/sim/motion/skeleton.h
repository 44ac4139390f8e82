// From a local pose to model matrices, with the driven layer solved in between.
#pragma once

#include "motion/pose.h"
#include "rig/rig.h"

// local: [posed_bone_count], what clips make of it; the pose is laid over it, dt after the last tick.
// out_model: the first posed_bone_count matrices are written.
void sim_skeleton_solve(const SimRig *rig, const SimPose *pose, float dt, SimTransform *local,
                        mat4 *out_model);
