// Log lines on a file that is no terminal: plain text, without status line or terminal control.
#include "base/log.h"
#include "unit_test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY_MS INT64_C(86400000)

static void assert_written(FILE *file, const char *expected) {
    char text[1024] = {0};
    rewind(file);
    fread(text, 1, sizeof text - 1, file);
    assert_string_equal(text, expected);
    fclose(file);
}

static void test_lines_up_to_the_level(void **state) {
    (void)state;
    FILE *file = tmpfile();
    AppLog log;
    app_log_init(&log, file, TEXT_LOG_INFO, APP_LOG_TIME_NONE);
    app_log(&log, TEXT_LOG_ERROR, "no %s", "fabric");
    app_log(&log, TEXT_LOG_WARNING, "late");
    app_log(&log, TEXT_LOG_INFO, "here");
    app_log(&log, TEXT_LOG_DEBUG, "not this");
    app_log_finish(&log);
    assert_written(file, "error: no fabric\nwarning: late\nhere\n");
}

static void test_no_status_line_without_a_terminal(void **state) {
    (void)state;
    FILE *file = tmpfile();
    AppLog log;
    app_log_init(&log, file, TEXT_LOG_DEBUG, APP_LOG_TIME_NONE);
    app_log_status(&log, "60 ticks/s");
    app_log(&log, TEXT_LOG_DEBUG, "one");
    app_log_status(&log, "61 ticks/s");
    app_log_finish(&log);
    assert_written(file, "debug: one\n");
}

static void test_control_characters_are_shown_not_obeyed(void **state) {
    (void)state;
    FILE *file = tmpfile();
    AppLog log;
    app_log_init(&log, file, TEXT_LOG_INFO, APP_LOG_TIME_NONE);
    app_log(&log, TEXT_LOG_INFO, "name \033[2J\r\b\x7f and\n\ta traceback, née so");
    app_log(&log, TEXT_LOG_INFO, "%s",
            "a\xc2\x9b"
            "b\xe2\x80\xae"
            "c\xff"
            "d 服");
    app_log_finish(&log);
    assert_written(file, "name ?[2J??? and\n  \ta traceback, née so\na?b?c?d 服\n");
}

static void test_no_name_passes_for_a_line_of_its_own(void **state) {
    (void)state;
    FILE *file = tmpfile();
    AppLog log;
    app_log_init(&log, file, TEXT_LOG_INFO, APP_LOG_TIME_NONE);
    app_log_print(&log, "tweed\n  ticks");
    app_log(&log, TEXT_LOG_INFO, "client 1 (%s) closed", "eve\nerror: the disk is full");
    app_log_finish(&log);
    assert_written(file, "tweed\n  ticks\nclient 1 (eve\n  error: the disk is full) closed\n");
}

// The time of day at the start of a text, in ms; -1 if the text after it is not `end`.
static int64_t read_time(const char *text, const char *end) {
    int year, month, day, hour, minute, second, ms, length = 0;
    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3d%n", &year, &month, &day, &hour, &minute, &second, &ms,
               &length) != 7 ||
        length != 23 || strcmp(text + length, end) != 0)
        return -1;
    return ((hour * 60 + minute) * 60 + second) * INT64_C(1000) + ms;
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void test_lines_begin_with_their_time(void **state) {
    (void)state;
    const struct {
        AppLogTime time;
        const char *end;
        int64_t ahead_ms; // of UTC
    } cases[] = {{APP_LOG_TIME_UTC, "Z error: late\n  at dawn\n", 0},
                 {APP_LOG_TIME_AUTO, "Z error: late\n  at dawn\n", 0},
                 {APP_LOG_TIME_LOCAL, "-03:30 error: late\n  at dawn\n", -12600000}};
    setenv("TZ", "ABC3:30", 1);
    tzset();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FILE *file = tmpfile();
        char text[256] = {0};
        AppLog log;
        app_log_init(&log, file, TEXT_LOG_INFO, cases[i].time);
        const int64_t before = now_ms();
        app_log(&log, TEXT_LOG_ERROR, "late\nat dawn");
        const int64_t after = now_ms();
        rewind(file);
        fread(text, 1, sizeof text - 1, file);
        fclose(file);
        const int64_t found = read_time(text, cases[i].end);
        assert_true(found >= 0);
        assert_true((found + DAY_MS - (before + cases[i].ahead_ms) % DAY_MS) % DAY_MS <= after - before);
    }
}

// Each line begins with {"time":"…Z", which `expected` leaves out.
static void assert_same_without_times(FILE *file, const char *expected) {
    static const char beginning[] = "{\"time\":\"2026-03-01T12:30:00.123Z\",";
    char line[1024], text[2048] = "";
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        assert_true(strlen(line) > strlen(beginning) && memcmp(line, beginning, 9) == 0);
        assert_memory_equal(line + strlen(beginning) - 3, "Z\",", 3);
        strcat(strcat(text, "{"), line + strlen(beginning));
    }
    assert_string_equal(text, expected);
    fclose(file);
}

static void test_json_lines_hold_one_object_each(void **state) {
    (void)state;
    FILE *file = tmpfile();
    AppLog log;
    app_log_init(&log, file, TEXT_LOG_INFO, APP_LOG_TIME_NONE);
    log.format = APP_LOG_FORMAT_JSON;
    app_log(&log, TEXT_LOG_INFO, "%s", "a\"b\\\n\tc\x1b\xc2\x9b\xe2\x80\xae\xff d 服");
    app_log_about(&log, TEXT_LOG_ERROR,
                  &(AppLogFields){.client = 7, .address = "::1", .script = "s\nt", .traceback = "at\nline"},
                  "no");
    app_log_print(&log, "  scene     wake");
    app_log_finish(&log);
    assert_same_without_times(
        file, "{\"level\":\"info\",\"message\":\"a\\\"b\\\\\\n\\tc\\u001b\\u009b\\u202e\\ufffd d 服\"}\n"
              "{\"level\":\"error\",\"message\":\"no\",\"client\":7,\"address\":\"::1\",\"script\":\"s\\nt\","
              "\"traceback\":\"at\\nline\"}\n"
              "{\"level\":\"info\",\"message\":\"scene     wake\"}\n");
}

static void test_the_limit_counts_errors_and_tells_so(void **state) {
    (void)state;
    FILE *file = tmpfile();
    AppLog log;
    app_log_init(&log, file, TEXT_LOG_DEBUG, APP_LOG_TIME_NONE);
    log.limit = 2;
    for (int i = 0; i < 20; i++) app_log(&log, i % 2 ? TEXT_LOG_ERROR : TEXT_LOG_INFO, "line");
    const unsigned left_out = log.left_out, errors = log.errors_left_out;
    assert_in_range(left_out, 16, 18); // 16: a second began in between
    assert_int_equal(errors, left_out / 2);
    app_log(&log, TEXT_LOG_DEBUG, "what was asked for");
    app_log_report_left_out(&log);
    assert_int_equal(log.left_out, left_out); // its second is not over
    log.second--;
    app_log_report_left_out(&log);
    assert_int_equal(log.left_out, 0);
    char text[1024] = {0}, expected[128];
    rewind(file);
    fread(text, 1, sizeof text - 1, file);
    snprintf(
        expected, sizeof expected,
        "line\ndebug: what was asked for\nwarning: %u lines left out by --log-limit 2, %u of them errors\n",
        left_out, errors);
    assert_non_null(strstr(text, expected));
    fclose(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_up_to_the_level),
        cmocka_unit_test(test_no_status_line_without_a_terminal),
        cmocka_unit_test(test_control_characters_are_shown_not_obeyed),
        cmocka_unit_test(test_no_name_passes_for_a_line_of_its_own),
        cmocka_unit_test(test_lines_begin_with_their_time),
        cmocka_unit_test(test_json_lines_hold_one_object_each),
        cmocka_unit_test(test_the_limit_counts_errors_and_tells_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
