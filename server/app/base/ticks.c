// The phases of a tick, and the set of pause locks.
#include "base/ticks.h"

#include <stdlib.h>
#include <string.h>

static bool remove_connection(AppPauseLocks *locks, uint64_t connection);

AppMoment app_ticks_when(const AppTicks *ticks, bool changes_world) {
    const bool waits_for_tick = changes_world && !app_ticks_are_paused(ticks);
    if (ticks->phase == APP_TICK_IN_FLIGHT)
        return waits_for_tick ? APP_AT_NEXT_TICK : APP_AFTER_TICK_IN_FLIGHT;
    return waits_for_tick && ticks->phase != APP_TICK_BEGINS ? APP_AT_NEXT_TICK : APP_NOW;
}

uint64_t app_ticks_effective(const AppTicks *ticks) {
    return ticks->newest + (ticks->phase == APP_TICK_BEGINS ? 1 : 0);
}

double app_ticks_time(const AppTicks *ticks) {
    return (double)ticks->newest / ticks->rate;
}

bool app_ticks_are_paused(const AppTicks *ticks) {
    return app_pause_locks_count(&ticks->pause_locks) > 0;
}

void app_pause_locks_init(AppPauseLocks *locks, bool paused) {
    *locks = (AppPauseLocks){.unowned = paused};
}

void app_pause_locks_finish(AppPauseLocks *locks) {
    free(locks->connections);
    *locks = (AppPauseLocks){0};
}

int app_pause_locks_count(const AppPauseLocks *locks) {
    return (int)locks->count + (locks->unowned ? 1 : 0) + (locks->stepper != 0 ? 1 : 0);
}

bool app_pause_locks_add(AppPauseLocks *locks, uint64_t connection) {
    for (size_t i = 0; i < locks->count; i++)
        if (locks->connections[i] == connection) return true;
    if (locks->count == locks->capacity) {
        const size_t capacity = locks->capacity > 0 ? 2 * locks->capacity : 8;
        uint64_t *grown = realloc(locks->connections, capacity * sizeof *grown);
        if (!grown) return false;
        locks->connections = grown;
        locks->capacity = capacity;
    }
    locks->connections[locks->count++] = connection;
    return true;
}

bool app_pause_locks_resume(AppPauseLocks *locks, uint64_t connection) {
    const bool was_unowned = locks->unowned;
    locks->unowned = false;
    return remove_connection(locks, connection) || was_unowned;
}

bool app_pause_locks_remove(AppPauseLocks *locks, uint64_t connection) {
    const bool stepped = locks->stepper == connection;
    if (stepped) locks->stepper = 0;
    return remove_connection(locks, connection) || stepped;
}

static bool remove_connection(AppPauseLocks *locks, uint64_t connection) {
    for (size_t i = 0; i < locks->count; i++) {
        if (locks->connections[i] != connection) continue;
        locks->count--;
        memmove(locks->connections + i, locks->connections + i + 1,
                (locks->count - i) * sizeof *locks->connections);
        return true;
    }
    return false;
}
