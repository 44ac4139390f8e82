// Folders that are watched, and those that are not there.
#include "base/file_watch.h"
#include "unit_test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 40, NAMES = 50 };

typedef struct Fixture {
    uv_loop_t loop;
    AppFileWatch watch;
    char folder[64];
    char changed[256];
} Fixture;

static bool on_changed(void *context, const char *path) {
    Fixture *fixture = context;
    snprintf(fixture->changed, sizeof fixture->changed, "%s", path);
    return false;
}

static void on_settled(void *context) {
    (void)context;
}

static int begin(void **state) {
    Fixture *fixture = calloc(1, sizeof *fixture);
    strcpy(fixture->folder, "/tmp/tweed-watch-XXXXXX");
    *state = fixture;
    return !mkdtemp(fixture->folder) || uv_loop_init(&fixture->loop) != 0 ||
           app_file_watch_init(&fixture->watch, &fixture->loop, on_changed, on_settled, fixture) != 0;
}

static void close_handle(uv_handle_t *handle, void *context) {
    (void)context;
    if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

static int end(void **state) {
    Fixture *fixture = *state;
    uv_walk(&fixture->loop, close_handle, NULL);
    uv_run(&fixture->loop, UV_RUN_DEFAULT);
    app_file_watch_finish(&fixture->watch);
    const int status = uv_loop_close(&fixture->loop);
    free(fixture);
    return status;
}

static const char *path_in(const Fixture *fixture, const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", fixture->folder, name);
    return path;
}

// Runs the loop until the change is seen.
static void expect_change(Fixture *fixture, const char *name) {
    for (int i = 0; i < 200 && strcmp(fixture->changed, path_in(fixture, name)) != 0; i++) {
        uv_run(&fixture->loop, UV_RUN_NOWAIT);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    assert_string_equal(fixture->changed, path_in(fixture, name));
}

static void test_missing_folders_are_forgotten_unless_they_are_wanted(void **state) {
    Fixture *fixture = *state;
    for (int round = 0; round < ROUNDS; round++) {
        app_file_watch_begin_round(&fixture->watch);
        (void)app_file_watch_folder(&fixture->watch, path_in(fixture, "wanted/inner"));
        for (int i = 0; i < NAMES; i++) {
            char name[64];
            snprintf(name, sizeof name, "missing-%d-%d", round, i);
            (void)app_file_watch_folder(&fixture->watch, path_in(fixture, name));
        }
        app_file_watch_end_round(&fixture->watch);
        uv_run(&fixture->loop, UV_RUN_NOWAIT);
    }
    assert_true(fixture->watch.count <= 2 * NAMES + 5); // with wanted/inner and the folders above
    assert_int_equal(mkdir(path_in(fixture, "wanted"), 0700), 0);
    expect_change(fixture, "wanted");
    assert_int_equal(mkdir(path_in(fixture, "wanted/inner"), 0700), 0);
    expect_change(fixture, "wanted/inner");
    fclose(fopen(path_in(fixture, "wanted/inner/file"), "w"));
    expect_change(fixture, "wanted/inner/file");
    unlink(path_in(fixture, "wanted/inner/file"));
    rmdir(path_in(fixture, "wanted/inner"));
    rmdir(path_in(fixture, "wanted"));
    rmdir(fixture->folder);
}

static void test_a_folder_that_exists_stays(void **state) {
    Fixture *fixture = *state;
    assert_int_equal(app_file_watch_folder(&fixture->watch, fixture->folder), 0);
    for (int round = 0; round < ROUNDS; round++) {
        app_file_watch_begin_round(&fixture->watch);
        app_file_watch_end_round(&fixture->watch);
    }
    fclose(fopen(path_in(fixture, "file"), "w"));
    expect_change(fixture, "file");
    unlink(path_in(fixture, "file"));
    rmdir(fixture->folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_missing_folders_are_forgotten_unless_they_are_wanted, begin,
                                        end),
        cmocka_unit_test_setup_teardown(test_a_folder_that_exists_stays, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
