// A text that is written to, and what it has come to; for set-up and tear-down of each test.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <text/buffer.h>

#include <cmocka.h>

static TextBuffer text;

static inline int set_up(void **state) {
    (void)state;
    text_buffer_init(&text);
    return 0;
}

static inline int tear_down(void **state) {
    (void)state;
    text_buffer_finish(&text);
    return 0;
}

// That is all of it, and it is empty again.
static inline void assert_text(const char *expected) {
    assert_false(text.failed);
    text_buffer_append_char(&text, '\0');
    assert_string_equal(text.bytes, expected);
    text_buffer_clear(&text);
}
