// Sleep: a character that lies still, and on which nothing acts that changes, is not stepped until something
// does. Whether it sleeps follows from itself alone, so that the same steps give the same states whoever else
// there is.
#pragma once

#include "world/world.h"

// Something acts on the character anew; on all.
void sim_sleep_wake(SimWorld *world, SimCharacter *character);
void sim_sleep_wake_all(SimWorld *world);
// Those that a tornado reaches where it is.
void sim_sleep_wake_near(SimWorld *world, const SimStorm *storm);

// Time in s of a clip that plays: it goes on for sleepers, too, past the clip's end.
double sim_sleep_clip_time(const SimWorld *world, const SimCharacter *character, int layer);

// Before the air moves on: wakes those whom it changes for.
void sim_sleep_begin_tick(SimWorld *world);
// Those that have been still for long enough fall asleep.
void sim_sleep_end_tick(SimWorld *world);
