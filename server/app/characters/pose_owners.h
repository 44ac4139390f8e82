// Connections that posed bones and have ended: their poses stay for a while, then the bones are released.
#pragma once

#include <sim/world.h>

typedef struct AppPoseOwner {
    uint64_t id;        // the connection's
    uint64_t last_tick; // that its bones stay posed in
} AppPoseOwner;

// All zero: no owners, and their bones stay posed for ever.
typedef struct AppPoseOwners {
    uint64_t timeout;    // ticks that bones stay posed for; 0: for ever
    AppPoseOwner *ended; // [count], in order
    size_t count, capacity;
} AppPoseOwners;

void app_pose_owners_finish(AppPoseOwners *owners);

// The connection has ended after `tick`. Returns false when memory runs out; the bones stay posed.
bool app_pose_owners_add(AppPoseOwners *owners, uint64_t id, uint64_t tick);

// At the start of `tick`: releases the bones of those whose last tick is over.
void app_pose_owners_release(AppPoseOwners *owners, SimWorld *world, uint64_t tick);
