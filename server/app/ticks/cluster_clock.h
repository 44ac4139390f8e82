// The clock that the nodes of a cluster share: which tick is due when, what another machine's clock shows,
// and how a node's ticks get there without a jump. Pure, as tick_clock.h is.
//
// One node is the reference. The others ask it for the time, as NTP does: half of the round trip is taken
// off, and of the newest answers the one counts whose error can be least.
#pragma once

#include "ticks/tick_clock.h"

// Tick n is due at due_ns + (n - tick) / rate, in monotonic nanoseconds of this machine, which may lie before
// its start.
typedef struct AppTimeline {
    uint64_t tick;
    int64_t due_ns;
    int rate; // Hz; 0: there is no timeline
} AppTimeline;

// When a tick is due.
int64_t app_timeline_due_ns(const AppTimeline *timeline, uint64_t tick);
// The newest tick that is due by then, 0 at least.
uint64_t app_timeline_tick(const AppTimeline *timeline, int64_t now_ns);

// The step that is due next simulates the tick: sets its time to the timeline's at once. While no character
// streams.
void app_tick_clock_align(AppTickClock *clock, const AppTimeline *timeline, uint64_t tick);
// Shifts all coming steps towards that by a twentieth of a period at most. Call once a step. lateness_ns: of
// the step before; a node that is late anyway is not made to run faster.
void app_tick_clock_steer(AppTickClock *clock, const AppTimeline *timeline, uint64_t tick,
                          uint64_t lateness_ns);

// A question for the time: monotonic times of the node that asks, and of the one that is asked.
typedef struct AppClockProbe {
    uint64_t asked_ns, returned_ns;
    uint64_t received_ns, answered_ns; // by the clock of the one that is asked
} AppClockProbe;

#define APP_CLOCK_SAMPLES 8

// How far another clock is ahead of this machine's, by the newest answers.
typedef struct AppClockOffset {
    struct {
        int64_t offset_ns;
        uint64_t error_ns; // at the time of the answer, at most
        uint64_t at_ns;
    } samples[APP_CLOCK_SAMPLES];
    int count; // filled
    int next;
} AppClockOffset;

void app_clock_offset_add(AppClockOffset *offset, const AppClockProbe *probe);
// Of the sample whose error can be least now: half of its round trip, and 100 ppm of its age for the drift
// between two quartzes. There is a sample. Returns the offset.
int64_t app_clock_offset_ns(const AppClockOffset *offset, uint64_t now_ns, uint64_t *out_error_ns);
