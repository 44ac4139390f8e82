// When the next tick is due: the arithmetic of a fixed rate that never drifts. Pure: times come in, decisions
// go out, so that tests run through hours of it without a sleep.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define APP_SECOND_NS INT64_C(1000000000)

// Missed steps that are still simulated, in a row, once a loop is late; what lies further back is skipped.
#define APP_TICK_CLOCK_CATCH_UP 2

// Step n is due at start_ns + n / rate seconds, rounded down to a nanosecond: no error adds up.
typedef struct AppTickClock {
    uint64_t start_ns; // monotonic time of step 0
    uint64_t next;     // the step that is due next
    uint64_t skipped;  // steps given up since app_tick_clock_init, over all restarts
    int rate;          // Hz
} AppTickClock;

typedef struct AppTickClockStep {
    bool due;             // a tick is to be simulated now
    uint64_t lateness_ns; // how long ago it was due
    uint64_t skipped;     // steps given up just before it
} AppTickClockStep;

// The first step is due one period after now_ns. rate: Hz, 1 at least.
void app_tick_clock_init(AppTickClock *clock, int rate, uint64_t now_ns);

// Begins anew at now_ns, as after a pause: the time between counts neither as simulated nor as skipped.
void app_tick_clock_restart(AppTickClock *clock, uint64_t now_ns);

// When the next step is due, monotonic nanoseconds.
uint64_t app_tick_clock_deadline_ns(const AppTickClock *clock);

// Takes the next step if it is due. Of several that are due, the latest and the APP_TICK_CLOCK_CATCH_UP
// before it are given by so many calls; those before are skipped.
AppTickClockStep app_tick_clock_take(AppTickClock *clock, uint64_t now_ns);
