// What drives the substeps of a tick: gravity and wind in model space, the root's share, the colliders'
// poses, and the fabrics in the form the kernel needs. One character fills one lane.
#pragma once

#include "character.h"
#include "wind.h"

// Per substep and lane, shared by all garments but the root's share, which depends on the fabric.
void sim_drive_lane(const SimCharacter *character, const SimWindField *wind,
                    const SimEnvironment *environment, SimSubstep *substeps, int substep_count, float h,
                    int lane);

// The share of the root's motion that one garment's cloth does not follow.
void sim_drive_root(const SimCharacter *character, int garment, SimSubstep *substeps, int substep_count,
                    int lane);

void sim_drive_fabric(const SimFabric *fabric, float h, SimLaneFabric *out_fabric, int lane);

void sim_pose_to_lane(const SimTransform *transform, SimLanesPose *out_pose, int lane);
void sim_matrix_to_lane(const mat4 matrix, SimLanesPose *out_pose, int lane);
