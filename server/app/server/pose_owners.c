// The list of those who left.
#include "server/pose_owners.h"

#include "server/app.h"

#include <stdlib.h>
#include <string.h>

void app_pose_owners_finish(AppPoseOwners *owners) {
    free(owners->departures);
    *owners = (AppPoseOwners){0};
}

void app_pose_owners_remove(App *app, const AppClient *client) {
    AppPoseOwners *owners = &app->pose_owners;
    const uint64_t timeout = (uint64_t)app->options->pose_timeout * (uint64_t)app->characters.tick_rate;
    if (!client->drives || timeout == 0) return;
    if (owners->count == owners->capacity) {
        const size_t capacity = owners->capacity > 0 ? 2 * owners->capacity : 16;
        AppDeparture *grown = realloc(owners->departures, capacity * sizeof *grown);
        if (!grown) {
            app_log(&app->log, TEXT_LOG_ERROR, "out of memory: what a client has posed stays so");
            return;
        }
        owners->departures = grown;
        owners->capacity = capacity;
    }
    owners->departures[owners->count++] = (AppDeparture){client->id, app->tick + timeout};
}

void app_pose_owners_release(App *app) {
    AppPoseOwners *owners = &app->pose_owners;
    size_t over = 0;
    while (over < owners->count && owners->departures[over].last_tick < app_effect_tick(app))
        sim_world_release_driver(app->characters.world, owners->departures[over++].driver);
    if (over == 0) return;
    owners->count -= over;
    memmove(owners->departures, owners->departures + over, owners->count * sizeof *owners->departures);
}
