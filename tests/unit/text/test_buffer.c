// The text buffer: growth, quoting, and what happens when memory runs out.
#include "unit_test.h"

#include <stdlib.h>
#include <string.h>
#include <text/buffer.h>

static void assert_text(const TextBuffer *text, const char *expected) {
    assert_false(text->failed);
    assert_int_equal(text->length, strlen(expected));
    assert_memory_equal(text->bytes, expected, text->length);
}

static void test_appends_in_order(void **state) {
    (void)state;
    TextBuffer text = {0};
    assert_null(text.bytes);
    text_buffer_append_string(&text, "tick ");
    text_buffer_append_integer(&text, 0);
    text_buffer_append_char(&text, ' ');
    text_buffer_append_integer(&text, -42);
    text_buffer_append_char(&text, ' ');
    text_buffer_append_integer(&text, INT64_MIN);
    text_buffer_append_char(&text, ' ');
    text_buffer_append_integer(&text, INT64_MAX);
    text_buffer_append(&text, "", 0);
    assert_text(&text, "tick 0 -42 -9223372036854775808 9223372036854775807");
    text_buffer_finish(&text);
    assert_null(text.bytes);
}

static void test_writing_again_allocates_nothing(void **state) {
    (void)state;
    static const float values[1000] = {1.5f, -0.25f};
    TextBuffer text = {0};
    const char *bytes = NULL;
    for (int round = 0; round < 3; round++) {
        text_buffer_clear(&text);
        text_buffer_append_fixed(&text, values, 1000, 5);
        text_buffer_append_floats(&text, values, 1000);
        text_buffer_append_quoted(&text, "alan");
        if (round > 0) assert_ptr_equal(text.bytes, bytes);
        bytes = text.bytes;
    }
    assert_int_equal(strncmp(text.bytes, "1.5,-0.25,0,0,", 14), 0);
    assert_int_equal(text.length, 2 * (2 * 1000 - 1 + 2 + 4) + 6);
    text_buffer_finish(&text);
}

static void test_lists_have_commas_between_and_no_brackets(void **state) {
    (void)state;
    float values[70];
    for (int i = 0; i < 70; i++) values[i] = (float)i;
    char expected[400] = "";
    for (int i = 0; i < 70; i++) {
        char number[8] = {',', (char)('0' + i / 10), (char)('0' + i % 10)};
        if (i < 10) memmove(number + 1, number + 2, 2);
        strcat(expected, i == 0 ? number + 1 : number);
    }
    TextBuffer text = {0};
    text_buffer_append_fixed(&text, values, 70, 2);
    assert_text(&text, expected);
    text_buffer_clear(&text);
    text_buffer_append_floats(&text, values, 70);
    assert_text(&text, expected);
    text_buffer_clear(&text);
    text_buffer_append_fixed(&text, values, 0, 2);
    assert_int_equal(text.length, 0);
    text_buffer_finish(&text);
}

static void test_quotes_as_json_and_mends_utf8(void **state) {
    (void)state;
    static const struct {
        const char *string, *quoted;
    } cases[] = {
        {"", "\"\""},
        {"alan", "\"alan\""},
        {"a\"b\\c/", "\"a\\\"b\\\\c/\""},
        {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
        {"\x01\x1F\x7F", "\"\\u0001\\u001f\\u007f\""},
        {"Jacke \xC3\xA4 \xE2\x82\xAC \xF0\x9F\xA7\xA5", "\"Jacke \xC3\xA4 \xE2\x82\xAC \xF0\x9F\xA7\xA5\""},
        {"\xFF", "\"\xEF\xBF\xBD\""},
        {"a\xC3", "\"a\xEF\xBF\xBD\""},
        {"\xC0\x80z", "\"\xEF\xBF\xBD\xEF\xBF\xBDz\""},               // overlong NUL
        {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""}, // a surrogate
    };
    TextBuffer text = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_buffer_clear(&text);
        text_buffer_append_quoted(&text, cases[i].string);
        assert_text(&text, cases[i].quoted);
    }
    text_buffer_finish(&text);
}

static void test_keeps_what_it_has_when_memory_runs_out(void **state) {
    (void)state;
    TextBuffer text = {0};
    text_buffer_append_string(&text, "before");
    assert_false(text_buffer_reserve(&text, SIZE_MAX - 2)); // more than there is
    assert_true(text.failed);
    text_buffer_append_string(&text, "after");
    text_buffer_append_integer(&text, 7);
    text_buffer_append_double(&text, 7);
    text_buffer_append_fixed(&text, (const float[]){1}, 1, 5);
    assert_int_equal(text.length, 6);
    assert_memory_equal(text.bytes, "before", 6);
    text_buffer_clear(&text);
    text_buffer_append_string(&text, "again");
    assert_text(&text, "again");
    text_buffer_finish(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_appends_in_order),
        cmocka_unit_test(test_writing_again_allocates_nothing),
        cmocka_unit_test(test_lists_have_commas_between_and_no_brackets),
        cmocka_unit_test(test_quotes_as_json_and_mends_utf8),
        cmocka_unit_test(test_keeps_what_it_has_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
