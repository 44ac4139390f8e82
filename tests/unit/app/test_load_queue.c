// The load queue when a load cannot start: it completes with a failure, so that requests for it are
// answered.
#include "reload/load_queue.h"
#include "unit_test.h"

#include <stdlib.h>
#include <string.h>

ScriptReload *__wrap_script_reload_create(const ScriptHost *host, ScriptKind kind, const char *file);

// Out of memory.
ScriptReload *__wrap_script_reload_create(const ScriptHost *host, ScriptKind kind, const char *file) {
    (void)host, (void)kind, (void)file;
    return NULL;
}

typedef struct Fixture {
    uv_loop_t loop;
    AppTicks ticks;
    AppLoadQueue queue;
    AppLoad *done[4]; // [count]
    int count;
} Fixture;

static void on_done(void *context, AppLoad *load) {
    Fixture *fixture = context;
    fixture->done[fixture->count++] = load;
}

static void begin(Fixture *fixture) {
    *fixture = (Fixture){0};
    assert_int_equal(uv_loop_init(&fixture->loop), 0);
    assert_int_equal(
        app_load_queue_init(&fixture->queue, &fixture->loop, NULL, &fixture->ticks, on_done, fixture), 0);
}

static void end(Fixture *fixture) {
    app_load_queue_stop(&fixture->queue);
    uv_close((uv_handle_t *)&fixture->queue.wake, NULL);
    uv_run(&fixture->loop, UV_RUN_DEFAULT);
    app_load_queue_finish(&fixture->queue);
    assert_int_equal(uv_loop_close(&fixture->loop), 0);
}

static void test_a_load_that_cannot_begin_is_done_with_an_error(void **state) {
    (void)state;
    Fixture fixture;
    ScriptError error = {0};
    begin(&fixture);
    AppLoad *load = app_load_queue_add(&fixture.queue, APP_RELOAD, SCRIPT_CHARACTER, "alan", "alan.lua");
    assert_int_equal(fixture.count, 0); // never before the loop has gone round
    uv_run(&fixture.loop, UV_RUN_NOWAIT);
    assert_int_equal(fixture.count, 1);
    assert_ptr_equal(fixture.done[0], load);
    assert_int_equal(load->state, APP_LOAD_DONE);
    assert_true(app_load_has_failed(load, &error));
    assert_string_equal(error.message, "cannot load it: no thread or out of memory");
    script_error_finish(&error);
    end(&fixture);
}

static void test_a_reload_waits_until_the_one_ahead_is_removed(void **state) {
    (void)state;
    Fixture fixture;
    begin(&fixture);
    AppLoad *first = app_load_queue_add(&fixture.queue, APP_RELOAD, SCRIPT_FABRIC, "", NULL);
    AppLoad *second = app_load_queue_add(&fixture.queue, APP_RELOAD, SCRIPT_SCENE, "scene", "scene.lua");
    AppLoad *needed = app_load_queue_add(&fixture.queue, APP_FIRST_LOAD, SCRIPT_CHARACTER, "b", "b.lua");
    assert_true(app_load_queue_has_first_loads(&fixture.queue));
    uv_run(&fixture.loop, UV_RUN_NOWAIT);
    assert_int_equal(fixture.count, 2);
    assert_ptr_equal(fixture.done[0], first);
    assert_ptr_equal(fixture.done[1], needed);
    assert_false(app_load_queue_has_first_loads(&fixture.queue));
    app_load_queue_remove(&fixture.queue, first);
    uv_run(&fixture.loop, UV_RUN_NOWAIT);
    assert_int_equal(fixture.count, 3);
    assert_ptr_equal(fixture.done[2], second);
    assert_null(app_load_queue_find(&fixture.queue, APP_RELOAD, SCRIPT_FABRIC, NULL));
    assert_ptr_equal(app_load_queue_find(&fixture.queue, APP_RELOAD, SCRIPT_SCENE, "scene.lua"), second);
    end(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_load_that_cannot_begin_is_done_with_an_error),
        cmocka_unit_test(test_a_reload_waits_until_the_one_ahead_is_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
