// Seams, as definitions and as the rig keeps them.
#pragma once

#include "rig/rig.h"

bool sim_validate_seam(const SimRigDef *def, int seam, SimIssue *out_issue);

// After the garments' topologies. False for want of memory.
bool sim_seams_build(SimRig *rig, const SimRigDef *def);
