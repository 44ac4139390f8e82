// A text buffer for tests that write, with set-up and tear-down of each test.
#pragma once

#include "unit_test.h"

#include <text/buffer.h>

extern TextBuffer text;

int set_up(void **state);
int tear_down(void **state);

// Asserts the whole text, and empties it.
void assert_text(const char *expected);
