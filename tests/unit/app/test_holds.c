// Who holds the simulation still, and when it runs again.
#include "session/holds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_connection_holds_once(void **state) {
    (void)state;
    AppHolds holds;
    app_holds_init(&holds, false);
    assert_false(app_holds_any(&holds));
    assert_true(app_holds_pause(&holds, 7));
    assert_true(app_holds_pause(&holds, 7));
    assert_int_equal(app_holds_number(&holds), 1);
    assert_true(app_holds_resume(&holds, 7));
    assert_false(app_holds_any(&holds));
    assert_false(app_holds_resume(&holds, 7));
    app_holds_finish(&holds);
}

static void it_runs_when_the_last_lets_go(void **state) {
    (void)state;
    AppHolds holds;
    app_holds_init(&holds, false);
    for (uint64_t id = 1; id <= 100; id++) assert_true(app_holds_pause(&holds, id));
    assert_int_equal(app_holds_number(&holds), 100);
    assert_false(app_holds_resume(&holds, 101)); // of somebody who holds nothing
    for (uint64_t id = 1; id <= 100; id += 2) assert_true(app_holds_resume(&holds, id));
    for (uint64_t id = 2; id <= 100; id += 2) {
        assert_true(app_holds_any(&holds));
        assert_true(app_holds_forget(&holds, id)); // it has ended
        assert_false(app_holds_forget(&holds, id));
    }
    assert_false(app_holds_any(&holds));
    app_holds_finish(&holds);
}

static void the_hold_of_nobodys_is_lifted_by_anybody(void **state) {
    (void)state;
    AppHolds holds;
    app_holds_init(&holds, true);
    assert_int_equal(app_holds_number(&holds), 1);
    assert_true(app_holds_pause(&holds, 3));
    assert_int_equal(app_holds_number(&holds), 2);
    assert_false(app_holds_forget(&holds, 4)); // a connection's end does not lift it
    assert_int_equal(app_holds_number(&holds), 2);
    assert_true(app_holds_resume(&holds, 4));
    assert_int_equal(app_holds_number(&holds), 1); // 3 still holds
    assert_true(app_holds_resume(&holds, 3));
    assert_false(app_holds_any(&holds));
    app_holds_finish(&holds);
}

static void a_step_is_a_hold_and_ends_with_its_connection(void **state) {
    (void)state;
    AppHolds holds;
    app_holds_init(&holds, false);
    assert_true(app_holds_pause(&holds, 3));
    holds.stepper = 3;
    assert_int_equal(app_holds_number(&holds), 2);
    assert_true(app_holds_resume(&holds, 3)); // the step goes on
    assert_true(app_holds_any(&holds));
    assert_true(app_holds_forget(&holds, 3));
    assert_false(app_holds_any(&holds));
    app_holds_finish(&holds);
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
