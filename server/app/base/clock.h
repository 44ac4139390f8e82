// When the next tick is due: the arithmetic of a fixed rate that never drifts. Pure: times come in, decisions
// go out, so that tests run through hours of it without a sleep.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Missed steps that are still simulated, in a row, once a loop is late; what lies further back is skipped.
#define APP_CLOCK_CATCH_UP 2

// Step n is due at start_ns + n / rate seconds, rounded down to a nanosecond: no error adds up.
typedef struct AppClock {
    uint64_t start_ns; // monotonic time of step 0
    uint64_t next;     // the step that is due next
    uint64_t skipped;  // steps given up since app_clock_init, over all restarts
    int rate;          // Hz
} AppClock;

typedef struct AppClockStep {
    bool due;             // a tick is to be simulated now
    uint64_t lateness_ns; // how long ago it was due
    uint64_t skipped;     // steps given up just before it
} AppClockStep;

// The first step is due one period after now_ns. rate: Hz, 1 at least.
void app_clock_init(AppClock *clock, int rate, uint64_t now_ns);

// Begins anew at now_ns, as after a pause: the time between counts neither as simulated nor as skipped.
void app_clock_restart(AppClock *clock, uint64_t now_ns);

// When the next step is due, monotonic nanoseconds.
uint64_t app_clock_deadline_ns(const AppClock *clock);

// Takes the next step if it is due. Of several that are due, the latest and the APP_CLOCK_CATCH_UP before it
// are given by so many calls; those before are skipped.
AppClockStep app_clock_take(AppClock *clock, uint64_t now_ns);
