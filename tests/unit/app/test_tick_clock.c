// The arithmetic of the tick clock over hours, without sleeping.
#include "ticks/tick_clock.h"
#include "unit_test.h"

#define SECOND_NS UINT64_C(1000000000)
#define START_NS  UINT64_C(123456789012345)

static void test_every_rate_is_exact_for_hours(void **state) {
    (void)state;
    for (int rate = 30; rate <= 240; rate++) {
        AppTickClock clock;
        app_tick_clock_init(&clock, rate, START_NS);
        uint64_t ticks = 0, previous = START_NS;
        const uint64_t seconds = rate == 60 || rate == 77 || rate == 240 ? 10 * 3600 : 60;
        const uint64_t end = START_NS + seconds * SECOND_NS;
        for (uint64_t now = app_tick_clock_deadline_ns(&clock); now <= end;
             now = app_tick_clock_deadline_ns(&clock)) {
            // Deadlines are even: the distance to the last one is a period, rounded up or down.
            assert_in_range(now - previous, SECOND_NS / (uint64_t)rate, SECOND_NS / (uint64_t)rate + 1);
            previous = now;
            const AppTickClockStep step = app_tick_clock_take(&clock, now);
            assert_true(step.due);
            assert_int_equal(step.lateness_ns, 0);
            assert_int_equal(step.skipped, 0);
            ticks++;
        }
        assert_int_equal(ticks, seconds * (uint64_t)rate);
        assert_int_equal(clock.skipped, 0);
        assert_int_equal(previous, end);
    }
}

static void test_nothing_is_due_before_its_time(void **state) {
    (void)state;
    AppTickClock clock;
    app_tick_clock_init(&clock, 60, START_NS);
    assert_int_equal(app_tick_clock_deadline_ns(&clock), START_NS + SECOND_NS / 60);
    assert_false(app_tick_clock_take(&clock, START_NS).due);
    assert_false(app_tick_clock_take(&clock, app_tick_clock_deadline_ns(&clock) - 1).due);
    assert_true(app_tick_clock_take(&clock, app_tick_clock_deadline_ns(&clock)).due);
    assert_false(app_tick_clock_take(&clock, START_NS + SECOND_NS / 60).due);
}

// A loop that wakes up late by any time, for ten hours: ticks and skips add up to the ideal number.
static void test_late_wakeups_do_not_drift(void **state) {
    (void)state;
    AppTickClock clock;
    app_tick_clock_init(&clock, 60, START_NS);
    uint64_t ticks = 0, skipped = 0, now = START_NS, random = 1;
    const uint64_t end = START_NS + 10 * 3600 * SECOND_NS;
    while (now < end) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        const uint64_t late = (random >> 33) % 1000 == 0 ? SECOND_NS / 4 : (random >> 33) % 3000000;
        now = app_tick_clock_deadline_ns(&clock) + late;
        int in_a_row = 0;
        for (AppTickClockStep step; (step = app_tick_clock_take(&clock, now)).due; in_a_row++) {
            ticks++;
            skipped += step.skipped;
            assert_true(step.lateness_ns <= late);
        }
        assert_in_range(in_a_row, 1, 1 + APP_TICK_CLOCK_CATCH_UP);
    }
    assert_true(skipped > 0);
    assert_int_equal(clock.skipped, skipped);
    const uint64_t ideal = (now - START_NS) * 60 / SECOND_NS;
    assert_in_range(ticks + skipped, ideal - 1, ideal + 1);
}

static void test_two_missed_steps_are_caught_up_and_the_rest_skipped(void **state) {
    (void)state;
    AppTickClock clock;
    app_tick_clock_init(&clock, 100, START_NS);
    const uint64_t now = START_NS + 10 * SECOND_NS / 100; // steps 1 to 10 are due
    const AppTickClockStep first = app_tick_clock_take(&clock, now);
    assert_true(first.due);
    assert_int_equal(first.skipped, 7); // 1 to 7; 8 and 9 are caught up, 10 is the present one
    assert_int_equal(first.lateness_ns, 2 * SECOND_NS / 100);
    assert_int_equal(app_tick_clock_take(&clock, now).skipped, 0);
    const AppTickClockStep last = app_tick_clock_take(&clock, now);
    assert_true(last.due);
    assert_int_equal(last.lateness_ns, 0);
    assert_false(app_tick_clock_take(&clock, now).due);
    assert_int_equal(app_tick_clock_deadline_ns(&clock), START_NS + 11 * SECOND_NS / 100);
}

static void test_of_any_number_that_are_due_three_are_simulated(void **state) {
    (void)state;
    for (uint64_t due = 1; due <= 10; due++) {
        AppTickClock clock;
        app_tick_clock_init(&clock, 100, START_NS);
        uint64_t simulated = 0;
        while (app_tick_clock_take(&clock, START_NS + due * SECOND_NS / 100).due) simulated++;
        assert_int_equal(simulated, due < 3 ? due : 3);
        assert_int_equal(clock.skipped, due - simulated);
    }
}

static void test_time_paused_is_not_skipped(void **state) {
    (void)state;
    AppTickClock clock;
    app_tick_clock_init(&clock, 60, START_NS);
    assert_true(app_tick_clock_take(&clock, app_tick_clock_deadline_ns(&clock)).due);
    const uint64_t later = START_NS + 3600 * SECOND_NS;
    app_tick_clock_restart(&clock, later);
    assert_false(app_tick_clock_take(&clock, later).due);
    assert_int_equal(app_tick_clock_deadline_ns(&clock), later + SECOND_NS / 60);
    assert_true(app_tick_clock_take(&clock, later + SECOND_NS / 60).due);
    assert_int_equal(clock.skipped, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_rate_is_exact_for_hours),
        cmocka_unit_test(test_nothing_is_due_before_its_time),
        cmocka_unit_test(test_late_wakeups_do_not_drift),
        cmocka_unit_test(test_two_missed_steps_are_caught_up_and_the_rest_skipped),
        cmocka_unit_test(test_of_any_number_that_are_due_three_are_simulated),
        cmocka_unit_test(test_time_paused_is_not_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
