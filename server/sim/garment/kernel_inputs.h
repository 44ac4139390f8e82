// Inputs of the substeps of a tick: gravity in model space, the inertial share, the colliders' poses, and the
// fabrics in the kernel's form. One character fills one lane.
#pragma once

#include "core/lane.h"
#include "garment/group.h"

#define SIM_CALM_AIR 1.0f // m/s

// One lane of a substep.
typedef struct SimSubstepLane {
    SimLane gravity, root_world, root, inertia, colliders;
} SimSubstepLane;

SimSubstepLane sim_substep_lane(const SimSubstep *substep, int width, int lane);

// Fills what all garments share: all but the inertial share, which depends on the fabric, and the colliders.
void sim_fill_lane(const SimEnvironment *environment, const SimRootStep *roots, const SimSubstep *substeps,
                   int substep_count, int width, int lane);

// Fills one garment's fabrics, [substep_count] SimLaneFabric, and its inertial share.
void sim_fill_garment(SimCharacter *character, int garment, const SimRootStep *roots,
                      const SimSubstep *substeps, int substep_count, float h, SimLane out_fabrics);

// Fills the colliders on one garment's bones, once these are computed, in all lanes; -1: all others.
void sim_fill_colliders(const SimGroup *group, const SimGroupTick *tick, int garment);

// Advances a seam by a tick: out_allowed [substep_count] is the share of the gap that it allows in each
// substep.
void sim_fill_seam(SimSeamState *seam, int substep_count, float h, SimLane out_allowed);

void sim_fill_fabric(const SimGarmentType *type, const SimFabric *fabric, float h, SimLane out_fabric);

// What the kernel needs for a substep of a garment.
SimKernelJob sim_kernel_job(const SimGroup *group, const SimGroupTick *tick, int garment, int substep);
