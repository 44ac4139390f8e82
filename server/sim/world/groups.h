// The groups of a world: who is in which, and which are stepped.
#pragma once

#include "world/world.h"

// Puts a new character into a group. False for want of memory.
bool sim_groups_join(SimWorld *world, SimCharacter *character);
// Takes it out of its group for good.
void sim_groups_leave(SimWorld *world, SimCharacter *character);

// Lays down all characters that are drowsy: each into a group of its own that is no task.
void sim_groups_lay_down(SimWorld *world);
// Has a character that sleeps stepped again; cannot fail.
void sim_groups_get_up(SimWorld *world, SimCharacter *character);
