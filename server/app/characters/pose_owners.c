// Poses whose owner has ended.
#include "characters/pose_owners.h"

#include <stdlib.h>
#include <string.h>
#include <text/array.h>

void app_pose_owners_finish(AppPoseOwners *owners) {
    free(owners->ended);
    *owners = (AppPoseOwners){0};
}

bool app_pose_owners_add(AppPoseOwners *owners, uint64_t id, uint64_t tick) {
    if (owners->timeout == 0) return true;
    if (!TEXT_ARRAY_GROW(owners->ended, owners->count, owners->capacity)) return false;
    owners->ended[owners->count++] = (AppPoseOwner){id, tick + owners->timeout};
    return true;
}

void app_pose_owners_release(AppPoseOwners *owners, SimWorld *world, uint64_t tick) {
    size_t over = 0;
    while (over < owners->count && owners->ended[over].last_tick < tick)
        sim_world_release_pose_owner(world, owners->ended[over++].id);
    if (over == 0) return;
    owners->count -= over;
    memmove(owners->ended, owners->ended + over, owners->count * sizeof *owners->ended);
}
