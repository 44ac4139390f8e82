// For how long a character has lain still, nothing acting on it that changes, and how its cloth settles then.
#pragma once

#include "garment/group.h"

// After a tick of its group: counts for how long the character and all that acts on it have been still.
void sim_stillness_watch(SimCharacter *character, const SimGroupTick *tick);

// How a garment settles so many seconds after the end of the last tick, 1/s; see SimLaneFabric.
float sim_stillness_settling(const SimCharacter *character, int garment, float later);
