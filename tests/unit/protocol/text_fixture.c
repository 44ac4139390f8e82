// A text buffer for tests that write.
#include "text_fixture.h"

TextBuffer text;

int tear_down(void **state) {
    (void)state;
    text_buffer_finish(&text);
    return 0;
}

void assert_text(const char *expected) {
    assert_false(text.failed);
    text_buffer_append_char(&text, '\0');
    assert_string_equal(text.bytes, expected);
    text_buffer_clear(&text);
}
