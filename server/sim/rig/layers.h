// Stages of garments: who is stepped together, and who before whom.
#pragma once

#include "rig/rig.h"

// Fills in the rig's stages. Before the garments are built. False, with issue filled, where a garment would
// meet a collider that waits for it.
bool sim_layers_order(SimRig *rig, const SimRigDef *def, SimIssue *out_issue);

// False for a collider that goes with the garment's own bones, or with those of a garment that it is sewn to.
bool sim_layers_meet(const SimRig *rig, int garment, int collider);
