// Which tick the simulation is at, and what may be done now: the one place that knows what may happen between
// ticks.
#pragma once

#include "base/pause_locks.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum AppPhase {
    APP_BETWEEN_TICKS,
    APP_TICK_BEGINS,    // what is done now takes effect in the tick about to begin
    APP_TICK_IN_FLIGHT, // workers simulate: nobody else touches the world
} AppPhase;

typedef struct AppTicks {
    uint64_t newest; // that is finished
    int rate;        // Hz
    AppPhase phase;
    bool stopping; // the server has been asked to end
    AppPauseLocks pause_locks;
} AppTicks;

typedef enum AppMoment { APP_NOW, APP_AFTER_TICK_IN_FLIGHT, APP_AT_NEXT_TICK } AppMoment;

// When to read the world, or to change it. Changes wait for the start of a tick, or happen between ticks
// while the simulation is paused, since the next tick may be far away.
AppMoment app_ticks_when(const AppTicks *ticks, bool changes_world);

// The tick that a change made now takes effect in: the one about to begin, or the newest while paused.
uint64_t app_ticks_effective(const AppTicks *ticks);

// Seconds of simulation.
double app_ticks_time(const AppTicks *ticks);

bool app_ticks_are_paused(const AppTicks *ticks);
