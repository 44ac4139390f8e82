// Connections that posed bones and have ended: their poses stay for a while, then the bones are released.
#pragma once

#include <sim/world.h>

typedef struct AppPoseOwner {
    uint64_t id;        // the connection's
    uint64_t last_tick; // that its bones stay posed in
} AppPoseOwner;

// All zero is without owners.
typedef struct AppPoseOwners {
    AppPoseOwner *ended; // [count], in order
    size_t count, capacity;
} AppPoseOwners;

void app_pose_owners_finish(AppPoseOwners *owners);

// Call in the order of last_tick. Returns false when memory runs out; the bones stay posed.
bool app_pose_owners_add(AppPoseOwners *owners, uint64_t id, uint64_t last_tick);

// At the start of `tick`: releases the bones of those whose last tick is over.
void app_pose_owners_release(AppPoseOwners *owners, SimWorld *world, uint64_t tick);
