// Connections that posed bones and are gone: for a while the bones stay as they were left.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct App App;
typedef struct AppClient AppClient;

typedef struct AppDeparture {
    uint64_t driver;    // the connection's id
    uint64_t last_tick; // that its bones stay posed in
} AppDeparture;

typedef struct AppPoseOwners {
    AppDeparture *departures; // [count], in order
    size_t count, capacity;
} AppPoseOwners;

void app_pose_owners_finish(AppPoseOwners *owners);

// The connection ends; also while a tick runs.
void app_pose_owners_remove(App *app, const AppClient *client);
// Before a tick: gives back what those have posed whose time is over.
void app_pose_owners_release(App *app);
