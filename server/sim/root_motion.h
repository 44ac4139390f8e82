// How much of its root's motion in the world a garment's cloth feels.
//
// The cloth is simulated in the frame of a virtual root, which makes a share of the root's motion: relative
// to the root, the cloth stays behind by that share (SIMULATION, root share). Motion along, turns, and flying
// out in turns have shares of their own. What the clamps keep from it, the cloth goes along with.
#pragma once

#include "sim/fabric.h"
#include "sim/types.h"

// [0] interior, [1] edge particles; each 0..1.
typedef struct SimRootShares {
    float linear[2], angular[2], centrifugal[2];
} SimRootShares;

// What one garment's cloth feels, from substep to substep; zeroed: of a root at rest.
typedef struct SimRootMotion {
    vec3 back;                  // m in a substep, world space: from where the root is to where it was
    vec3 turn_back;             // rad in a substep, model space: likewise
    SimRootShares shares, gain; // gain: by how much they have changed just now
    float speed, spin, acceleration, spin_acceleration; // the clamps; m/s, rad/s, and these by s
    bool started;
} SimRootMotion;

// A tick begins, with these shares and clamps.
void sim_root_motion_begin(SimRootMotion *motion, const SimFabric *fabric);

// A substep of h seconds begins.
void sim_root_motion_advance(SimRootMotion *motion, const SimTransform *from, const SimTransform *to,
                             float h);

// x <- D x + s: how particles stay behind in the substep, seen from the root where it is now.
void sim_root_motion_behind(const SimRootMotion *motion, const SimTransform *root, int edge,
                            SimTransform *out);
