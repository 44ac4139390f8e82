// Creates, merges and removes groups as characters come and go, fall asleep and wake. Groups that are
// stepped come first in the world's list, sleeping ones after them. A character's results do not depend on
// its group; only the time of a tick does.
#include "world/world.h"

#include <stdlib.h>
#include <text/array.h>

static SimGroup *group_with_room(const SimWorld *world, const SimRig *rig, SimLevel level);
static bool has_room(const SimGroup *group, const SimRig *rig, SimLevel level);
static SimGroup *create_group(SimWorld *world, SimRig *rig, const SimKernel *kernel, SimLevel level);
static void to_awake(SimWorld *world, SimGroup *group);
static void swap(SimWorld *world, int a, int b);
static void merge_single_lane_groups(SimWorld *world, SimRig *rig, SimLevel level);
static void drop_group(SimWorld *world, SimGroup *group);
static void to_asleep(SimWorld *world, SimGroup *group);
static void compact_groups(SimWorld *world);
static void put_to_sleep(SimWorld *world, SimCharacter *character, uint64_t since);

bool sim_groups_join(SimWorld *world, SimCharacter *character) {
    SimGroup *group = group_with_room(world, character->rig, SIM_LEVEL_FULL);
    if (group) {
        sim_group_add(group, character);
        return true;
    }
    group = create_group(world, character->rig, world->alone_kernel, SIM_LEVEL_FULL);
    if (!group) return false;
    sim_group_add(group, character);
    to_awake(world, group);
    merge_single_lane_groups(world, character->rig, SIM_LEVEL_FULL);
    return true;
}

void sim_groups_leave(SimWorld *world, SimCharacter *character) {
    SimGroup *group = character->group;
    sim_group_remove(group, character);
    if (character->asleep)
        drop_group(world, group);
    else
        compact_groups(world);
}

void sim_groups_put_to_sleep(SimWorld *world) {
    bool any = false;
    for (int i = world->awake_count - 1; i >= 0; i--) {
        SimGroup *group = world->groups[i];
        for (int lane = 0; lane < group->width; lane++) {
            SimCharacter *character = group->characters[lane];
            if (!character || character->still_ticks < world->sleep_ticks) continue;
            put_to_sleep(world, character, world->tick);
            any = true;
        }
    }
    if (any) compact_groups(world);
}

void sim_groups_put_one_to_sleep(SimWorld *world, SimCharacter *character, uint64_t since) {
    put_to_sleep(world, character, since);
    compact_groups(world);
}

void sim_groups_wake(SimWorld *world, SimCharacter *character) {
    SimGroup *sleeping_group = character->group;
    SimGroup *group = group_with_room(world, sleeping_group->rig, sleeping_group->level);
    character->asleep = false;
    character->still_ticks = 0;
    if (group) {
        sim_group_move(group, character);
        drop_group(world, sleeping_group);
    } else {
        to_awake(world, sleeping_group);
        merge_single_lane_groups(world, sleeping_group->rig, sleeping_group->level);
    }
}

bool sim_groups_set_level(SimWorld *world, SimCharacter *character, SimLevel level) {
    SimGroup *from = character->group;
    if (from->level == level) return true;
    SimGroup *to = group_with_room(world, from->rig, level);
    if (!to && from->width > 1) {
        to = create_group(world, from->rig, world->alone_kernel, level);
        if (!to) return false;
        to_awake(world, to);
    }
    if (to)
        sim_group_move(to, character);
    else
        sim_group_set_level(from, level);
    compact_groups(world);
    merge_single_lane_groups(world, character->rig, level);
    return true;
}

bool sim_groups_part(SimWorld *world, SimCharacter *character) {
    if (character->group->width == 1) return true;
    SimGroup *alone = create_group(world, character->rig, world->alone_kernel, character->group->level);
    if (!alone) return false;
    to_awake(world, alone);
    sim_group_move(alone, character);
    return true;
}

void sim_groups_rejoin(SimWorld *world, SimCharacter *character) {
    compact_groups(world);
    SimGroup *alone = character->group,
             *group = group_with_room(world, character->rig, character->group->level);
    if (!group || group == alone || character->asleep) return;
    sim_group_move(group, character);
    drop_group(world, alone);
}

static SimGroup *group_with_room(const SimWorld *world, const SimRig *rig, SimLevel level) {
    for (int i = 0; i < world->awake_count; i++)
        if (has_room(world->groups[i], rig, level)) return world->groups[i];
    return NULL;
}

static bool has_room(const SimGroup *group, const SimRig *rig, SimLevel level) {
    return group->rig == rig && group->level == level && group->width > 1 && group->count < group->width;
}

// The new group is not stepped until to_awake.
static SimGroup *create_group(SimWorld *world, SimRig *rig, const SimKernel *kernel, SimLevel level) {
    if (!TEXT_ARRAY_GROW(world->groups, world->group_count, world->group_capacity)) return NULL;
    SimGroup *group = sim_group_create(rig, kernel, world->strip_kernel, world->substeps);
    if (!group) return NULL;
    group->level = level;
    group->place = world->group_count;
    world->groups[world->group_count++] = group;
    return group;
}

static void to_awake(SimWorld *world, SimGroup *group) {
    swap(world, group->place, world->awake_count++);
}

static void swap(SimWorld *world, int a, int b) {
    SimGroup *group = world->groups[a];
    world->groups[a] = world->groups[b];
    world->groups[b] = group;
    world->groups[a]->place = a;
    world->groups[b]->place = b;
}

// Moves a rig's characters of a level from groups of one lane to one wide group if there are more than
// narrow_most. A wide group costs the same for any number of used lanes.
static void merge_single_lane_groups(SimWorld *world, SimRig *rig, SimLevel level) {
    int narrow = 0;
    for (int i = 0; i < world->awake_count; i++) {
        const SimGroup *group = world->groups[i];
        narrow += group->rig == rig && group->level == level && group->width == 1;
    }
    if (rig->has_strips || world->kernel->width == 1 || narrow <= world->narrow_most) return;
    SimGroup *wide = create_group(world, rig, world->kernel, level);
    if (!wide) return; // they keep their own groups
    to_awake(world, wide);
    for (int i = world->awake_count - 1; i >= 0 && wide->count < wide->width; i--) {
        SimGroup *group = world->groups[i];
        if (group->rig != rig || group->level != level || group->width > 1) continue;
        sim_group_move(wide, group->characters[0]);
        drop_group(world, group);
    }
}

static void drop_group(SimWorld *world, SimGroup *group) {
    if (group->place < world->awake_count) to_asleep(world, group);
    swap(world, group->place, world->group_count - 1);
    world->group_count--;
    sim_group_destroy(group);
}

static void to_asleep(SimWorld *world, SimGroup *group) {
    swap(world, group->place, --world->awake_count);
}

// Keeps all wide groups of a rig and level full but one: moves characters from the last groups to free lanes.
static void compact_groups(SimWorld *world) {
    for (int i = 0; i < world->awake_count; i++) {
        SimGroup *group = world->groups[i];
        for (int k = world->awake_count - 1; k > i && has_room(group, group->rig, group->level); k--) {
            SimGroup *other = world->groups[k];
            if (!has_room(other, group->rig, group->level)) continue;
            for (int lane = other->width - 1; lane >= 0 && group->count < group->width; lane--)
                if (other->characters[lane]) sim_group_move(group, other->characters[lane]);
        }
    }
    for (int i = world->awake_count - 1; i >= 0; i--)
        if (world->groups[i]->count == 0) drop_group(world, world->groups[i]);
}

static void put_to_sleep(SimWorld *world, SimCharacter *character, uint64_t since) {
    SimGroup *group = character->group;
    if (group->width > 1) {
        SimGroup *sleeping_group = create_group(world, group->rig, world->alone_kernel, group->level);
        if (!sleeping_group) return; // the next tick retries
        sim_group_move(sleeping_group, character);
    } else {
        to_asleep(world, group);
    }
    character->asleep = true;
    character->asleep_since = since;
}
