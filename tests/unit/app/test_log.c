// Log lines on something that is no terminal: plain, one by one, no status line, nothing that drives a
// terminal.
#include <app/log.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_written(FILE *file, const char *expected) {
    char text[1024] = {0};
    rewind(file);
    fread(text, 1, sizeof text - 1, file);
    assert_string_equal(text, expected);
    fclose(file);
}

static void lines_up_to_the_level(void **state) {
    (void)state;
    FILE *file = tmpfile();
    AppLog log;
    app_log_init(&log, file, TEXT_LOG_INFO);
    app_log(&log, TEXT_LOG_ERROR, "no %s", "fabric");
    app_log(&log, TEXT_LOG_WARNING, "late");
    app_log(&log, TEXT_LOG_INFO, "here");
    app_log(&log, TEXT_LOG_DEBUG, "not this");
    app_log_finish(&log);
    assert_written(file, "error: no fabric\nwarning: late\nhere\n");
}

static void no_status_line_without_a_terminal(void **state) {
    (void)state;
    FILE *file = tmpfile();
    AppLog log;
    app_log_init(&log, file, TEXT_LOG_DEBUG);
    app_log_status(&log, "60 ticks/s");
    app_log(&log, TEXT_LOG_DEBUG, "one");
    app_log_status(&log, "61 ticks/s");
    app_log_finish(&log);
    assert_written(file, "debug: one\n");
}

static void control_characters_are_shown_not_obeyed(void **state) {
    (void)state;
    FILE *file = tmpfile();
    AppLog log;
    app_log_init(&log, file, TEXT_LOG_INFO);
    app_log(&log, TEXT_LOG_INFO, "name \033[2J\r\b\x7f and\n\ta traceback, née so");
    app_log(&log, TEXT_LOG_INFO, "%s",
            "a\xc2\x9b"
            "b\xe2\x80\xae"
            "c\xff"
            "d 服");
    app_log_finish(&log);
    assert_written(file, "name ?[2J??? and\n  \ta traceback, née so\na?b?c?d 服\n");
}

static void no_name_passes_for_a_line_of_its_own(void **state) {
    (void)state;
    FILE *file = tmpfile();
    AppLog log;
    app_log_init(&log, file, TEXT_LOG_INFO);
    app_log_say(&log, "tweed\n  ticks");
    app_log(&log, TEXT_LOG_INFO, "client 1 (%s) closed", "eve\nerror: the disk is full");
    app_log_finish(&log);
    assert_written(file, "tweed\n  ticks\nclient 1 (eve\n  error: the disk is full) closed\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_up_to_the_level),
        cmocka_unit_test(no_status_line_without_a_terminal),
        cmocka_unit_test(control_characters_are_shown_not_obeyed),
        cmocka_unit_test(no_name_passes_for_a_line_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
