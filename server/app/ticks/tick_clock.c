// The arithmetic of the tick clock.
#include "ticks/tick_clock.h"

static uint64_t step_time_ns(const AppTickClock *clock, uint64_t step);
static uint64_t latest_due(const AppTickClock *clock, uint64_t now_ns);

void app_tick_clock_init(AppTickClock *clock, int rate, uint64_t now_ns) {
    *clock = (AppTickClock){.rate = rate};
    app_tick_clock_restart(clock, now_ns);
}

void app_tick_clock_restart(AppTickClock *clock, uint64_t now_ns) {
    clock->start_ns = now_ns;
    clock->next = 1;
}

uint64_t app_tick_clock_deadline_ns(const AppTickClock *clock) {
    return step_time_ns(clock, clock->next);
}

AppTickClockStep app_tick_clock_take(AppTickClock *clock, uint64_t now_ns) {
    if (now_ns < app_tick_clock_deadline_ns(clock)) return (AppTickClockStep){0};
    AppTickClockStep step = {.due = true};
    const uint64_t behind = latest_due(clock, now_ns) - clock->next;
    if (behind > APP_TICK_CLOCK_CATCH_UP) {
        step.skipped = behind - APP_TICK_CLOCK_CATCH_UP;
        clock->skipped += step.skipped;
        clock->next += step.skipped;
    }
    step.lateness_ns = now_ns - app_tick_clock_deadline_ns(clock);
    clock->next++;
    return step;
}

// Whole seconds apart from the rest, so that nothing overflows in centuries.
static uint64_t step_time_ns(const AppTickClock *clock, uint64_t step) {
    const uint64_t rate = (uint64_t)clock->rate;
    return clock->start_ns + step / rate * APP_SECOND_NS + step % rate * APP_SECOND_NS / rate;
}

// The last step whose time is not after now_ns. Rounding the division down may miss it by one, since step
// times are rounded down as well.
static uint64_t latest_due(const AppTickClock *clock, uint64_t now_ns) {
    const uint64_t rate = (uint64_t)clock->rate, elapsed = now_ns - clock->start_ns;
    uint64_t step = elapsed / APP_SECOND_NS * rate + elapsed % APP_SECOND_NS * rate / APP_SECOND_NS;
    while (step_time_ns(clock, step + 1) <= now_ns) step++;
    return step;
}
