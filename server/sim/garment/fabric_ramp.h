// A garment's fabric, live: new values are reached within 0.2 s, on ways on which the cloth does not jump.
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

// At once.
void sim_fabric_ramp_set(SimFabricRamp *ramp, const SimFabric *fabric);

// From now on.
void sim_fabric_ramp_start(SimFabricRamp *ramp, const SimFabric *fabric);

// Bounds that become tighter (max distances, limit) begin at what the cloth makes use of: else most of the
// time nothing would happen, and then all at once. After start.
void sim_fabric_ramp_begin_at_use(SimFabricRamp *ramp, const SimTopology *topology, SimLane positions,
                                  SimLane references);

void sim_fabric_ramp_advance(SimFabricRamp *ramp, float dt);
