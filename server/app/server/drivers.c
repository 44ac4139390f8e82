// The list of those who left.
#include "server/drivers.h"

#include "server/app.h"

#include <stdlib.h>
#include <string.h>

void app_drivers_finish(AppDrivers *drivers) {
    free(drivers->departures);
    *drivers = (AppDrivers){0};
}

void app_drivers_leave(App *app, const AppClient *client) {
    AppDrivers *drivers = &app->drivers;
    const uint64_t timeout = (uint64_t)app->options->pose_timeout * (uint64_t)app->fleet.tick_rate;
    if (!client->drives || timeout == 0) return;
    if (drivers->count == drivers->capacity) {
        const size_t capacity = drivers->capacity > 0 ? 2 * drivers->capacity : 16;
        AppDeparture *grown = realloc(drivers->departures, capacity * sizeof *grown);
        if (!grown) {
            app_log(&app->log, APP_LOG_ERROR, "out of memory: what a client has posed stays so");
            return;
        }
        drivers->departures = grown;
        drivers->capacity = capacity;
    }
    drivers->departures[drivers->count++] = (AppDeparture){client->id, app->tick + timeout};
}

void app_drivers_release(App *app) {
    AppDrivers *drivers = &app->drivers;
    size_t over = 0;
    while (over < drivers->count && drivers->departures[over].last_tick < app_effect_tick(app))
        sim_world_release_driver(app->fleet.world, drivers->departures[over++].driver);
    if (over == 0) return;
    drivers->count -= over;
    memmove(drivers->departures, drivers->departures + over, drivers->count * sizeof *drivers->departures);
}
