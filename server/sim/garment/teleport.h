// Cloth that goes along with a pose that teleports.
#pragma once

#include "garment/group.h"

// Once the references are where the pose has them: every particle keeps its way from its reference, seen from
// the bones that move that; the references stand in this tick.
void sim_carry_garment(SimGroup *group, int garment, int lane);
