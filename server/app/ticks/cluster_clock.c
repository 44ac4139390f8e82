// The arithmetic of the clock that the nodes of a cluster share.
#include "ticks/cluster_clock.h"

#define DRIFT 10000 // one nanosecond in so many: 100 ppm
#define GAIN  8     // steps in which about two thirds of an error are made up for
#define SLEW  20    // the part of a period that a step is shifted by, at most

static int64_t error_ns(const AppTickClock *clock, const AppTimeline *timeline, uint64_t tick);

// Whole seconds apart from the rest: no error adds up.
int64_t app_timeline_due_ns(const AppTimeline *timeline, uint64_t tick) {
    const int64_t rate = timeline->rate, ticks = (int64_t)(tick - timeline->tick);
    const int64_t below =
        ticks % rate < 0 ? ticks % rate + rate : ticks % rate; // rounded down before it, too
    return timeline->due_ns + (ticks - below) / rate * APP_SECOND_NS + below * APP_SECOND_NS / rate;
}

uint64_t app_timeline_tick(const AppTimeline *timeline, int64_t now_ns) {
    const int64_t rate = timeline->rate, elapsed = now_ns - timeline->due_ns;
    int64_t ticks = elapsed / APP_SECOND_NS * rate + elapsed % APP_SECOND_NS * rate / APP_SECOND_NS + 1;
    while (ticks + (int64_t)timeline->tick > 0 &&
           app_timeline_due_ns(timeline, timeline->tick + (uint64_t)ticks) > now_ns)
        ticks--;
    const int64_t tick = (int64_t)timeline->tick + ticks;
    return tick > 0 ? (uint64_t)tick : 0;
}

void app_tick_clock_align(AppTickClock *clock, const AppTimeline *timeline, uint64_t tick) {
    clock->start_ns += (uint64_t)error_ns(clock, timeline, tick);
}

void app_tick_clock_steer(AppTickClock *clock, const AppTimeline *timeline, uint64_t tick,
                          uint64_t lateness_ns) {
    const int64_t most = APP_SECOND_NS / clock->rate / SLEW, error = error_ns(clock, timeline, tick) / GAIN;
    if (error < 0 && lateness_ns > (uint64_t)(APP_SECOND_NS / clock->rate / 2)) return;
    clock->start_ns += (uint64_t)(error > most ? most : error < -most ? -most : error);
}

void app_clock_offset_add(AppClockOffset *offset, const AppClockProbe *probe) {
    const int64_t there = (int64_t)(probe->received_ns - probe->asked_ns),
                  back = (int64_t)(probe->answered_ns - probe->returned_ns);
    const int64_t round_trip = there - back;
    offset->samples[offset->next].offset_ns = back + round_trip / 2;
    offset->samples[offset->next].error_ns = round_trip > 0 ? (uint64_t)(round_trip + 1) / 2 : 0;
    offset->samples[offset->next].at_ns = probe->returned_ns;
    offset->next = (offset->next + 1) % APP_CLOCK_SAMPLES;
    if (offset->count < APP_CLOCK_SAMPLES) offset->count++;
}

int64_t app_clock_offset_ns(const AppClockOffset *offset, uint64_t now_ns, uint64_t *out_error_ns) {
    int best = 0;
    for (int i = 0; i < offset->count; i++) {
        const uint64_t error = offset->samples[i].error_ns + (now_ns - offset->samples[i].at_ns) / DRIFT;
        if (i > 0 && error >= *out_error_ns) continue;
        *out_error_ns = error;
        best = i;
    }
    return offset->samples[best].offset_ns;
}

// How much later the next step is to be.
static int64_t error_ns(const AppTickClock *clock, const AppTimeline *timeline, uint64_t tick) {
    return app_timeline_due_ns(timeline, tick) - (int64_t)app_tick_clock_deadline_ns(clock);
}
