// The clock that nodes share: simulated machines whose clocks begin and run differently, without sleeping.
#include "ticks/cluster_clock.h"
#include "unit_test.h"

#include <stdlib.h>

#define SECOND_NS UINT64_C(1000000000)
#define MS_NS     UINT64_C(1000000)
#define START_NS  UINT64_C(123456789012345)

static uint64_t random_state;

static uint64_t random_below(uint64_t limit) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % limit;
}

static void test_a_timeline_is_exact_on_both_sides(void **state) {
    (void)state;
    for (int rate = 1; rate <= 1000; rate += 59) {
        const AppTimeline timeline = {.tick = 1000000, .due_ns = -5, .rate = rate};
        const uint64_t an_hour = 3600 * (uint64_t)rate;
        assert_int_equal(app_timeline_due_ns(&timeline, 1000000), -5);
        assert_int_equal(app_timeline_due_ns(&timeline, 1000000 + an_hour), 3600 * SECOND_NS - 5);
        if (an_hour < 1000000)
            assert_int_equal(app_timeline_due_ns(&timeline, 1000000 - an_hour),
                             -3600 * (int64_t)SECOND_NS - 5);
        for (uint64_t tick = 999000; tick < 1001000; tick++) {
            const int64_t due_ns = app_timeline_due_ns(&timeline, tick);
            assert_int_equal(app_timeline_tick(&timeline, due_ns), tick);
            assert_int_equal(app_timeline_tick(&timeline, due_ns - 1), tick - 1);
        }
    }
    const AppTimeline late = {.tick = 3, .due_ns = (int64_t)SECOND_NS, .rate = 60};
    assert_int_equal(app_timeline_tick(&late, 0), 0); // before its beginning
}

// The true offset is 17 h, the way there takes 0.1 ms to 5 ms, the way back as long or longer.
static void test_the_offset_is_that_of_the_shortest_round_trip(void **state) {
    (void)state;
    const uint64_t ahead = 17 * 3600 * SECOND_NS;
    AppClockOffset offset = {0};
    uint64_t now = START_NS, error, sum = 0;
    random_state = 1;
    for (int i = 0; i < 2000; i++) {
        const uint64_t there = 100000 + random_below(5000000), back = there + random_below(3) * 400000;
        const AppClockProbe probe = {.asked_ns = now,
                                     .received_ns = now + there + ahead,
                                     .answered_ns = now + there + ahead + 50000,
                                     .returned_ns = now + there + 50000 + back};
        now = probe.returned_ns;
        app_clock_offset_add(&offset, &probe);
        const int64_t found = app_clock_offset_ns(&offset, now, &error);
        assert_true(llabs(found - (int64_t)ahead) <= (int64_t)error);
        sum += error;
        now += 200 * MS_NS;
    }
    assert_int_equal(offset.count, APP_CLOCK_SAMPLES);
    assert_true(sum / 2000 < 3 * MS_NS / 2); // of 3 ms that half a round trip takes on average
    // An answer that is as good, but older, counts less; one clock may also be behind.
    offset = (AppClockOffset){0};
    app_clock_offset_add(&offset, &(AppClockProbe){5000, 5200, 1100, 1100});
    app_clock_offset_add(&offset, &(AppClockProbe){105000, 105200, 101080, 101080});
    assert_int_equal(app_clock_offset_ns(&offset, 105200, &error), -4020);
    assert_int_equal(error, 100);
    assert_int_equal(app_clock_offset_ns(&offset, 105200 + SECOND_NS, &error), -4020);
    assert_int_equal(error, 100 + 100000);
}

static void test_a_clock_is_aligned_at_once(void **state) {
    (void)state;
    AppTickClock clock;
    app_tick_clock_init(&clock, 60, START_NS);
    const AppTimeline timeline = {.tick = 77, .due_ns = (int64_t)START_NS - 12345, .rate = 60};
    app_tick_clock_align(&clock, &timeline, 80);
    assert_int_equal(app_tick_clock_deadline_ns(&clock), app_timeline_due_ns(&timeline, 80));
    assert_false(app_tick_clock_take(&clock, app_tick_clock_deadline_ns(&clock) - 1).due);
    assert_true(app_tick_clock_take(&clock, app_tick_clock_deadline_ns(&clock)).due);
}

// A node that stood still for 0.6 s: it skips what it cannot catch up, and gets those ticks back.
static void test_a_standstill_is_made_up_for_without_a_jump(void **state) {
    (void)state;
    const uint64_t period = SECOND_NS / 60;
    AppTickClock clock;
    app_tick_clock_init(&clock, 60, START_NS);
    const AppTimeline timeline = {
        .tick = 1, .due_ns = (int64_t)app_tick_clock_deadline_ns(&clock), .rate = 60};
    uint64_t newest = 0, now = START_NS, settled = 0;
    for (int i = 0; i < 60 * 30; i++) {
        const uint64_t deadline = app_tick_clock_deadline_ns(&clock), before = now;
        now = deadline > now ? deadline : now;
        if (i == 100) now += 600 * MS_NS;
        const AppTickClockStep step = app_tick_clock_take(&clock, now);
        assert_true(step.due);
        newest++;
        app_tick_clock_steer(&clock, &timeline, newest + 1, step.lateness_ns);
        if (i > 103) assert_in_range(now - before, period * 95 / 100 - 1, period * 105 / 100 + 1);
        const int64_t behind = (int64_t)app_timeline_tick(&timeline, (int64_t)now) - (int64_t)newest;
        if (i == 103) assert_in_range(behind, 33, 36);
        if (behind == 0 && i > 103 && settled == 0) settled = now;
    }
    assert_in_range(settled - START_NS, 10 * SECOND_NS, 16 * SECOND_NS);
    assert_true(llabs((int64_t)now - app_timeline_due_ns(&timeline, newest)) < 100);
}

// Who is late with every step cannot make up for what it has skipped, and is not made to skip even more.
static void test_who_is_overloaded_is_not_hurried(void **state) {
    (void)state;
    AppTickClock clock;
    app_tick_clock_init(&clock, 60, START_NS);
    const AppTimeline timeline = {
        .tick = 1, .due_ns = (int64_t)app_tick_clock_deadline_ns(&clock), .rate = 60};
    uint64_t newest = 0, now = START_NS;
    for (int i = 0; i < 1000; i++) {
        now += 25 * MS_NS; // that a tick takes
        const AppTickClockStep step = app_tick_clock_take(&clock, now);
        if (!step.due) continue;
        newest++;
        app_tick_clock_steer(&clock, &timeline, newest + 1, step.lateness_ns);
    }
    const uint64_t ideal = (now - START_NS) * 60 / SECOND_NS;
    assert_in_range(newest + clock.skipped, ideal - 3, ideal + 3);
}

// Three machines: quartzes 50 ppm apart, probes with 0.2 to 4 ms of delay, a reference that dies. Equal ticks
// are due within 3 ms of each other all the time, and no period is off by more than a twentieth.
static void test_machines_agree_for_an_hour(void **state) {
    (void)state;
    enum { NODES = 3 };
    const int64_t begins[NODES] = {0, -5000 * (int64_t)SECOND_NS, 900000 * (int64_t)SECOND_NS};
    const int64_t ppm[NODES] = {0, 50, -50};
    AppTimeline timelines[NODES];
    AppClockOffset offsets[NODES] = {0};
    AppTickClock clocks[NODES];
    uint64_t newest[NODES] = {0}, last[NODES] = {0}, truth = START_NS * 8, most = 0;
    random_state = 7;
    int reference = 0;
#define CLOCK(node, true_ns)                                                                                 \
    ((uint64_t)((int64_t)(true_ns) + begins[node] + (int64_t)((true_ns) / 1000000) * ppm[node]))
    for (int node = 0; node < NODES; node++) {
        app_tick_clock_init(&clocks[node], 60, CLOCK(node, truth));
        timelines[node] = (AppTimeline){1, (int64_t)app_tick_clock_deadline_ns(&clocks[node]), 60};
    }
    const uint64_t end = truth + 3600 * SECOND_NS, dies = truth + 1800 * SECOND_NS;
    for (uint64_t probe = truth; truth < end; truth += MS_NS / 4) {
        if (truth >= dies) reference = 1;
        for (int node = reference + 1; truth >= probe && node < NODES; node++) {
            const uint64_t there = 100000 + random_below(2000000), back = 100000 + random_below(2000000);
            if (truth - dies < 250000) offsets[node] = (AppClockOffset){0};
            app_clock_offset_add(&offsets[node],
                                 &(AppClockProbe){.asked_ns = CLOCK(node, truth),
                                                  .received_ns = CLOCK(reference, truth + there),
                                                  .answered_ns = CLOCK(reference, truth + there),
                                                  .returned_ns = CLOCK(node, truth + there + back)});
            uint64_t error;
            const int64_t offset = app_clock_offset_ns(&offsets[node], CLOCK(node, truth), &error);
            timelines[node] = timelines[reference];
            timelines[node].due_ns -= offset;
        }
        if (truth >= probe) probe = truth + SECOND_NS / 2;
        for (int node = reference; node < NODES; node++) {
            const uint64_t now = CLOCK(node, truth);
            const AppTickClockStep step = app_tick_clock_take(&clocks[node], now);
            if (!step.due) continue;
            newest[node]++;
            app_tick_clock_steer(&clocks[node], &timelines[node], newest[node] + 1, step.lateness_ns);
            if (newest[node] > 1) assert_in_range(truth - last[node], 15 * MS_NS, 18 * MS_NS + MS_NS / 2);
            last[node] = truth;
        }
        for (int node = reference + 1; node < NODES && newest[0] > 120; node++)
            if (newest[node] == newest[reference] && last[node] > last[reference] &&
                last[node] - last[reference] > most)
                most = last[node] - last[reference];
    }
    assert_true(newest[1] >= 3600 * 60 - 2 && newest[1] <= 3600 * 60 + 12); // its quartz is fast
    assert_true(llabs((int64_t)(newest[2] - newest[1])) <= 1);
    assert_true(most <= 3 * MS_NS);
#undef CLOCK
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_timeline_is_exact_on_both_sides),
        cmocka_unit_test(test_the_offset_is_that_of_the_shortest_round_trip),
        cmocka_unit_test(test_a_clock_is_aligned_at_once),
        cmocka_unit_test(test_a_standstill_is_made_up_for_without_a_jump),
        cmocka_unit_test(test_who_is_overloaded_is_not_hurried),
        cmocka_unit_test(test_machines_agree_for_an_hour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
