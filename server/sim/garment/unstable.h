// What went wrong where a garment had to be put back to its references.
#pragma once

#include "garment/group.h"

// Looked for in the state and the inputs of one lane, before it is put back.
SimCause sim_cause_find(const SimGroup *group, int garment, int lane);
// In words: what went out of all bounds, and why as far as the inputs tell.
void sim_cause_describe(const SimRig *rig, int garment, const SimCause *cause, char out_text[SIM_CAUSE_SIZE]);
