// The decision of what may happen between ticks.
#include "base/ticks.h"

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
    return app_pause_locks_any(&ticks->pause_locks);
}
