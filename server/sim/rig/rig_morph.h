// A rig in place of another: its colliders, the rest shapes of its garments and their max distances become
// what they are now within SIM_RAMP_SECONDS, so that a number that is tuned while the cloth hangs there
// throws nothing about.
#pragma once

#include "rig/rig.h"

typedef struct SimRigMorph SimRigMorph;

// Colliders go by their names and shapes, garments by their names, rows and columns; a collider that is new
// grows from nothing. Once for a rig, by whoever adopts first; nothing where nothing is different, nor for
// want of memory.
void sim_rig_morph_begin(SimRig *rig, const SimRig *from);

// The numbers of a garment's topology as they are going to be.
const float *sim_rig_morph_target(const SimRig *rig, int garment, const float *numbers);

// Before a tick; no task may run.
void sim_rig_morph_advance(SimRig *rig, float dt);
