// The phases of a tick, and the set of pause locks.
#include "ticks/tick_phase.h"

#include <stdlib.h>
#include <string.h>
#include <text/array.h>

static bool remove_connection(AppPauseLocks *locks, uint64_t connection);

bool app_ticks_may_read(const AppTicks *ticks) {
    return ticks->phase != APP_TICK_IN_FLIGHT;
}

bool app_ticks_may_write(const AppTicks *ticks) {
    return ticks->phase == APP_TICK_BEGINS ||
           (ticks->phase == APP_BETWEEN_TICKS && app_ticks_are_paused(ticks));
}

uint64_t app_ticks_effective(const AppTicks *ticks) {
    return ticks->newest + (ticks->phase == APP_TICK_BEGINS ? 1 : 0);
}

double app_ticks_time(const AppTicks *ticks) {
    return (double)ticks->newest / ticks->rate;
}

bool app_ticks_are_paused(const AppTicks *ticks) {
    if (ticks->timeline.rate == 0) return app_pause_locks_count(&ticks->pause_locks) > 0;
    return ticks->is_halting && (ticks->newest >= ticks->last || ticks->pause_locks.stepper != 0);
}

bool app_ticks_are_held(const AppTicks *ticks) {
    return ticks->is_halting || app_ticks_are_paused(ticks);
}

void app_pause_locks_init(AppPauseLocks *locks, bool paused) {
    *locks = (AppPauseLocks){.unowned = paused};
}

void app_pause_locks_finish(AppPauseLocks *locks) {
    free(locks->connections);
    *locks = (AppPauseLocks){0};
}

int app_pause_locks_count(const AppPauseLocks *locks) {
    return (int)locks->count + (locks->unowned ? 1 : 0) + (locks->stepper != 0 ? 1 : 0) + locks->elsewhere;
}

bool app_pause_locks_add(AppPauseLocks *locks, uint64_t connection) {
    for (size_t i = 0; i < locks->count; i++)
        if (locks->connections[i] == connection) return true;
    if (!TEXT_ARRAY_GROW(locks->connections, locks->count, locks->capacity)) return false;
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
