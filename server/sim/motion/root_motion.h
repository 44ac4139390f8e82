// The inertial share: how much of its root's motion in the world a garment's cloth feels.
//
// The cloth is simulated in the frame of a virtual root, which makes a share of the root's motion: relative
// to the root, the cloth stays behind by that share. Linear, angular and centrifugal motion have shares of
// their own. Motion beyond the clamps moves the cloth along with the root.
#pragma once

#include "sim/fabric.h"
#include "sim/types.h"

// [0] interior, [1] edge particles; each 0..1.
typedef struct SimRootShares {
    float linear[2], angular[2], centrifugal[2];
} SimRootShares;

// Limits of the felt motion, m/s and rad/s, and of its change, m/s^2 and rad/s^2.
typedef struct SimRootClamps {
    float speed, spin, acceleration, spin_acceleration;
} SimRootClamps;

// The motion that one garment's cloth feels; zeroed: of a root at rest. Motions are those of one substep,
// backwards, from the root's present place to the previous one: m in world space, rad in model space.
typedef struct SimRootMotion {
    vec3 actual_back, actual_turn;
    vec3 back, turn_back; // felt
    SimRootShares shares;
    SimRootClamps clamps;
    vec3 boost[2],
        boost_spin[2]; // in a substep, forwards: changes of the felt motion that are none of the root
    bool started;
} SimRootMotion;

// The root at the end of a substep, and the way from there to its place at the beginning: m in world space,
// rad in model space.
typedef struct SimRootStep {
    SimTransform root;
    vec3 back, turn;
} SimRootStep;

// Divides the root's motion in a tick into substeps.
void sim_root_steps(const SimTransform *from, const SimTransform *to, int substep_count,
                    SimRootStep *out_steps);

SimRootShares sim_root_shares(const SimFabric *fabric);

// Before a substep: the shares and the fabric's clamps may have changed. Fills boost and boost_spin.
void sim_root_motion_follow_fabric(SimRootMotion *motion, const SimRootShares *shares,
                                   const SimFabric *fabric, float h);

// Begins a substep of h seconds.
void sim_root_motion_advance(SimRootMotion *motion, const SimRootStep *step, float h);

// x <- D x + s: how far particles stay behind in the substep, relative to the present root.
void sim_root_motion_behind(const SimRootMotion *motion, const SimTransform *root, int edge,
                            SimTransform *out);
