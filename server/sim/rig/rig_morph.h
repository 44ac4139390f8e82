// A reloaded rig takes over the colliders, rest shapes and max distances of the rig that it replaces and
// morphs them to its own within SIM_RAMP_SECONDS, so that tuning a number live does not throw the cloth
// about.
#pragma once

#include "rig/rig.h"

typedef struct SimRigMorph SimRigMorph;

// Matches colliders by name and shape, garments by name, rows and columns; a new collider grows from nothing.
// Only the first call for a rig has an effect. Does nothing when the rigs are alike or memory runs out.
void sim_rig_morph_begin(SimRig *rig, const SimRig *from);

// The final values of numbers of a garment's topology.
const float *sim_rig_morph_target(const SimRig *rig, int garment, const float *numbers);

// Call between ticks: no task may run.
void sim_rig_morph_advance(SimRig *rig, float dt);
