// The world's tables: shared by world.c (ticks) and characters.c (what happens between them).
#pragma once

#include "core/sim_assert.h"
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
