// A fabric: the numbers that make one cloth tweed and another a veil.
#pragma once

#include "sim/types.h"

#include <stddef.h>

// A root that moves faster than this teleports: its cloth does not feel the motion.
#define SIM_TELEPORT_SPEED 30.0f // m/s
#define SIM_TELEPORT_SPIN  94.0f // rad/s

#define SIM_STANDARD_GRAVITY 9.81 // m/s^2

// Factors on the edge particles of a garment (those with fewer than four stretch links).
typedef struct SimFabricEdge {
    float damping;      // factor on damping
    float wind;         // factor on wind
    float world_motion; // factor on the three shares of the root's motion; each product is at most 1
    float max_distance; // factor on max_distance
} SimFabricEdge;

// Numbers for the mass-spring solver.
typedef struct SimFabricSpring {
    float structural; // N/m
    float shear;      // N/m
    float flexion;    // N/m
    float damping;    // N s/m
    float limit;      // share of rest length beyond which a spring is cut back (super-elastic limit)
} SimFabricSpring;

// Units, ranges and defaults of every field: sim_fabric_fields().
typedef struct SimFabric {
    float density;           // kg/m^2
    float stretch;           // N/m, membrane stiffness along the warp where limit > 0, and along the weft
    float stretch_weft;      // N/m, the same along the weft; 0: as stretch
    float shear;             // N/m
    float drape;             // m, the drape (bending) length: B = density * g * drape^3
    float damping;           // 1/s, relative to the frame of the state
    float contact_damping;   // 1/s, added along the collider that it touches, towards what it hangs from
    float friction;          // Coulomb's coefficient, static and kinetic; 0 (the default): none
    float internal_friction; // m/s^2, dry friction of bending: slows three neighbours that bend against each
                             // other; 0 (the default): none
    float thickness;         // m that the cloth keeps off colliders
    float world_motion;  // 0..1, share of the root's motion in the world that the cloth feels: linear inertia
    float world_angular; // 0..1, the same of its turns: angular inertia; below 0: as world_motion
    float world_centrifugal;  // 0..1: cloth flies out as on a root that turns at this share of its rate, by
                              // (share w)^2 r; below 0: as world_angular
    float world_speed;        // m/s, the fastest motion of the root that the cloth feels
    float world_spin;         // rad/s, the fastest turn
    float world_acceleration; // m/s^2, how fast the felt motion follows the root's
    float world_spin_acceleration; // rad/s^2
    float max_distance;            // m, at the lowest row
    float pose;                    // factor on the garment's pose stiffness
    float wind;                    // factor on the air's force
    float limit; // 0: vertical links are exact; else they are soft and may change by this share of rest
    SimFabricEdge edge;
    SimFabricSpring spring;
} SimFabric;

// One number of a fabric. The rows of the table in rig/fabric_fields.c are the only source of names, units,
// ranges and defaults: Lua's schema, fabric.get, fabric.set and the error messages are made from them.
typedef struct SimFabricField {
    const char *group;   // "", "edge" or "spring"
    const char *name;    // "damping"
    const char *unit;    // "1/s", "" for a factor or a share
    float minimum;       // smallest value allowed
    float maximum;       // largest value allowed
    float default_value; // where neither the fabric nor its base gives one
    size_t offset;       // of the float in SimFabric
    const char *help;    // one sentence
} SimFabricField;

// All fields, in the order of SimFabric.
const SimFabricField *sim_fabric_fields(int *out_count);

// The stiffness along the weft.
float sim_fabric_stretch_weft(const SimFabric *fabric);

// Every field at its default.
SimFabric sim_default_fabric(void);

float sim_fabric_get(const SimFabric *fabric, const SimFabricField *field);
void sim_fabric_set(SimFabric *fabric, const SimFabricField *field, float value);

// Returns false and fills issue, with a path as "edge.damping", for the first field that is out of range or
// not finite.
bool sim_validate_fabric(const SimFabric *fabric, SimIssue *out_issue);

// Factors of the Alan Wake article (H. Enqvist, "The Secrets of Cloth Simulation in Alan Wake"), 0..1 at 60
// Hz and n iterations, as a fabric's values. A factor k in n iterations of a 60 Hz step has the effect of a
// compliance at any rate:
//
//   a = sum(w) dt^2 R / (1 - R), R = (1 - k)^n;   c = -ln(1 - d) / dt;   dt = 1/60 s
//
// A factor belongs to a grid: w is the inverse mass of a particle that carries a square cell. The fabric is
// then the same cloth on every grid.
typedef struct SimAlanWakeGrid {
    int iterations; // 1..100
    float cell;     // m, side of a cell
    float density;  // kg/m^2
} SimAlanWakeGrid;

// N/m, of links between direct neighbours (stretch) or across cells (shear). Infinite for a factor of 1,
// here and below NaN for NaN.
float sim_alan_wake_stiffness(const SimAlanWakeGrid *grid, float factor);

// m, the drape length with which links between second neighbours (bend = "article") bend alike; infinite for
// a factor of 1.
float sim_alan_wake_drape(const SimAlanWakeGrid *grid, float factor);

// 1/s, for the share of its velocity that a particle loses in a step; infinite for a factor of 1.
float sim_alan_wake_damping(float factor);
