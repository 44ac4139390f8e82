// The world's tables: shared by world.c (ticks) and characters.c (what happens between them).
#pragma once

#include "core/issue.h"
#include "garment/group.h"
#include "sim/world.h"
#include "world/table.h"

struct SimWorld {
    SimTable rigs;
    SimTable characters;
    SimGroup **groups; // [group_count]: awake_count that are stepped, then those of one character that sleeps
    int group_count, group_capacity;
    int awake_count;
    bool settles;    // see SimWorldDef
    int sleep_ticks; // who has been still for so many falls asleep; 0: nobody does
    SimEnvironment environment;
    SimAir air;
    SimKernelAir kernel_air; // the same, as of the last tick
    const SimKernel *kernel; // of wide groups
    const SimKernel *strip_kernel;
    int narrow_most; // so many characters of a rig have a group of one lane each
    int tick_rate;
    int substeps;
    uint64_t tick;
    uint64_t unstable_total, conflicts_total;
    SimUnstable *unstable; // [unstable_count] of the last tick
    int unstable_count, unstable_capacity;
};

SimGroupTick sim_world_group_tick(const SimWorld *world);
SimCharacter *sim_world_character(const SimWorld *world, SimCharacterId character);

// The groups of a world: who is in which, and which are stepped.

// Puts a new character into a group. False for want of memory.
bool sim_groups_join(SimWorld *world, SimCharacter *character);
// Takes it out of its group for good.
void sim_groups_leave(SimWorld *world, SimCharacter *character);

// Lays down all characters that are drowsy: each into a group of its own that is no task.
void sim_groups_put_to_sleep(SimWorld *world);
// Has a character that sleeps stepped again; cannot fail.
void sim_groups_wake(SimWorld *world, SimCharacter *character);

// Sleep: a character that lies still, and on which nothing acts that changes, is not stepped until something
// does. Whether it sleeps follows from itself alone, so that the same steps give the same states whoever else
// there is.

// Something acts on the character anew; on all.
void sim_sleep_wake(SimWorld *world, SimCharacter *character);
void sim_sleep_wake_all(SimWorld *world);
// Those that a tornado reaches where it is.
void sim_sleep_wake_near(SimWorld *world, const SimTornadoState *state);

// Time in s of a clip that plays: it goes on for sleepers, too, past the clip's end.
double sim_sleep_clip_time(const SimWorld *world, const SimCharacter *character, int layer);

// Before the air moves on: wakes those whom it changes for.
void sim_sleep_begin_tick(SimWorld *world);
// Those that have been still for long enough fall asleep.
void sim_sleep_end_tick(SimWorld *world);
