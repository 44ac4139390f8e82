// Who holds the simulation still, and when it runs again.
#include "base/ticks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_connection_holds_once(void **state) {
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

static void it_runs_when_the_last_lets_go(void **state) {
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

static void the_hold_of_nobodys_is_lifted_by_anybody(void **state) {
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

static void a_step_is_a_hold_and_ends_with_its_connection(void **state) {
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_connection_holds_once),
        cmocka_unit_test(it_runs_when_the_last_lets_go),
        cmocka_unit_test(the_hold_of_nobodys_is_lifted_by_anybody),
        cmocka_unit_test(a_step_is_a_hold_and_ends_with_its_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
