// A text buffer for tests that write, emptied after all.
#pragma once

#include "unit_test.h"

#include <text/buffer.h>

extern TextBuffer text;

int tear_down(void **state);

// Asserts the whole text, and empties it.
void assert_text(const char *expected);
