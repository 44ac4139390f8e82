// When the world may be read and written, and the locks that pause the simulation.
#include "ticks/tick_phase.h"
#include "unit_test.h"

static void test_a_connection_locks_once(void **state) {
    (void)state;
    AppPauseLocks locks;
    app_pause_locks_init(&locks, false);
    assert_false(app_pause_locks_count(&locks) > 0);
    assert_true(app_pause_locks_add(&locks, 7));
    assert_true(app_pause_locks_add(&locks, 7));
    assert_int_equal(app_pause_locks_count(&locks), 1);
    assert_true(app_pause_locks_resume(&locks, 7));
    assert_false(app_pause_locks_count(&locks) > 0);
    assert_false(app_pause_locks_resume(&locks, 7));
    app_pause_locks_finish(&locks);
}

static void test_it_runs_when_the_last_lock_is_lifted(void **state) {
    (void)state;
    AppPauseLocks locks;
    app_pause_locks_init(&locks, false);
    for (uint64_t id = 1; id <= 100; id++) assert_true(app_pause_locks_add(&locks, id));
    assert_int_equal(app_pause_locks_count(&locks), 100);
    assert_false(app_pause_locks_resume(&locks, 101)); // of somebody who holds nothing
    for (uint64_t id = 1; id <= 100; id += 2) assert_true(app_pause_locks_resume(&locks, id));
    for (uint64_t id = 2; id <= 100; id += 2) {
        assert_true(app_pause_locks_count(&locks) > 0);
        assert_true(app_pause_locks_remove(&locks, id)); // it has ended
        assert_false(app_pause_locks_remove(&locks, id));
    }
    assert_false(app_pause_locks_count(&locks) > 0);
    app_pause_locks_finish(&locks);
}

static void test_the_unowned_lock_is_lifted_by_any_connection(void **state) {
    (void)state;
    AppPauseLocks locks;
    app_pause_locks_init(&locks, true);
    assert_int_equal(app_pause_locks_count(&locks), 1);
    assert_true(app_pause_locks_add(&locks, 3));
    assert_int_equal(app_pause_locks_count(&locks), 2);
    assert_false(app_pause_locks_remove(&locks, 4)); // a connection's end does not lift it
    assert_int_equal(app_pause_locks_count(&locks), 2);
    assert_true(app_pause_locks_resume(&locks, 4));
    assert_int_equal(app_pause_locks_count(&locks), 1); // 3 still holds
    assert_true(app_pause_locks_resume(&locks, 3));
    assert_false(app_pause_locks_count(&locks) > 0);
    app_pause_locks_finish(&locks);
}

static void test_a_step_is_a_lock_and_ends_with_its_connection(void **state) {
    (void)state;
    AppPauseLocks locks;
    app_pause_locks_init(&locks, false);
    assert_true(app_pause_locks_add(&locks, 3));
    locks.stepper = 3;
    assert_int_equal(app_pause_locks_count(&locks), 2);
    assert_true(app_pause_locks_resume(&locks, 3)); // the step goes on
    assert_true(app_pause_locks_count(&locks) > 0);
    assert_true(app_pause_locks_remove(&locks, 3));
    assert_false(app_pause_locks_count(&locks) > 0);
    app_pause_locks_finish(&locks);
}

static void test_changes_wait_for_a_tick_unless_paused(void **state) {
    (void)state;
    static const struct {
        AppPhase phase;
        bool paused;
        bool may_read, may_write;
    } cases[] = {
        {APP_BETWEEN_TICKS, false, true, false},   {APP_BETWEEN_TICKS, true, true, true},
        {APP_TICK_BEGINS, false, true, true},      {APP_TICK_BEGINS, true, true, true},
        {APP_TICK_IN_FLIGHT, false, false, false}, {APP_TICK_IN_FLIGHT, true, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AppTicks ticks = {.newest = 7, .rate = 60, .phase = cases[i].phase};
        app_pause_locks_init(&ticks.pause_locks, cases[i].paused);
        assert_int_equal(app_ticks_may_read(&ticks), cases[i].may_read);
        assert_int_equal(app_ticks_may_write(&ticks), cases[i].may_write);
        assert_int_equal(app_ticks_effective(&ticks), cases[i].phase == APP_TICK_BEGINS ? 8 : 7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes_wait_for_a_tick_unless_paused),
        cmocka_unit_test(test_a_connection_locks_once),
        cmocka_unit_test(test_it_runs_when_the_last_lock_is_lifted),
        cmocka_unit_test(test_the_unowned_lock_is_lifted_by_any_connection),
        cmocka_unit_test(test_a_step_is_a_lock_and_ends_with_its_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
