// Live changes of a garment's fabric: new values are reached within SIM_RAMP_SECONDS without a jump of the
// cloth.
#pragma once

#include "core/kernel.h"
#include "motion/root_motion.h"
#include "rig/rig.h"
#include "sim/fabric.h"

typedef struct SimFabricRamp {
    SimFabric from, to, now;
    SimRootShares from_shares, shares; // of the root's motion; shares are those of now
    float left;                        // s; 0 when now equals to
    bool changed;                      // the lane's numbers are to be derived anew
} SimFabricRamp;

// Sets all values at once.
void sim_fabric_ramp_set(SimFabricRamp *ramp, const SimFabric *fabric);

// Starts the ramp to new values.
void sim_fabric_ramp_start(SimFabricRamp *ramp, const SimFabric *fabric);

// After start: bounds that become tighter (max distances, limit) start at the extent that the cloth uses, so
// that they act during the whole ramp.
void sim_fabric_ramp_begin_at_use(SimFabricRamp *ramp, const SimTopology *topology, SimLane positions,
                                  SimLane references);

void sim_fabric_ramp_advance(SimFabricRamp *ramp, float dt);
