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
    int group_count;
    size_t group_capacity;
    int awake_count;
    bool settles;    // see SimWorldDef
    int sleep_ticks; // a character that has been still for so many falls asleep; 0: none does
    SimEnvironment environment;
    SimWeather weather;
    SimKernelAir kernel_air;       // the same, as of the last tick
    const SimKernel *kernel;       // of wide groups
    const SimKernel *alone_kernel; // of groups of one lane
    const SimKernel *strip_kernel;
    int narrow_most; // up to so many characters of a rig have a group of one lane each
    int tick_rate;
    int substeps;
    uint64_t tick;
    uint64_t unstable_total, conflicts_total;
    SimUnstable *unstable; // [unstable_count] of the last tick
    int unstable_count;
    size_t unstable_capacity;
};

SimGroupTick sim_world_group_tick(const SimWorld *world, const SimGroup *group);
SimCharacter *sim_world_character(const SimWorld *world, SimCharacterId character);

// Puts a new character into a group. Returns false when memory runs out.
bool sim_groups_join(SimWorld *world, SimCharacter *character);
// Removes a character from its group.
void sim_groups_leave(SimWorld *world, SimCharacter *character);

// Moves each character that has been still for long enough into a group of its own that is not stepped.
void sim_groups_put_to_sleep(SimWorld *world);
// The same for one character that is awake, since that tick. When memory runs out it stays awake.
void sim_groups_put_one_to_sleep(SimWorld *world, SimCharacter *character, uint64_t since);
// Lets a sleeping character be stepped again; cannot fail.
void sim_groups_wake(SimWorld *world, SimCharacter *character);
// Moves a character that is awake into a group of that level. Returns false when memory runs out.
bool sim_groups_set_level(SimWorld *world, SimCharacter *character, SimLevel level);

// Moves a character that is awake into a group of its own until sim_groups_rejoin. Returns false when memory
// runs out.
bool sim_groups_part(SimWorld *world, SimCharacter *character);
void sim_groups_rejoin(SimWorld *world, SimCharacter *character);

// Sleep: a character that lies still is not stepped until something that acts on it changes. Whether it
// sleeps depends on itself alone, so that the same steps give the same states beside any other characters.

// Wakes a character because something acts on it anew.
void sim_world_wake(SimWorld *world, SimCharacter *character);

// Wakes the characters for which the air changes in this tick, and advances the air.
void sim_environment_begin_tick(SimWorld *world);
// Takes over another world's air.
void sim_environment_set_weather(SimWorld *world, const SimWeather *weather);

// Reads what sim_weather_save has written. Returns false and fills issue when it is malformed.
bool sim_weather_read(SimWeather *weather, const void *bytes, size_t size, SimIssue *out_issue);
