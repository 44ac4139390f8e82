// A text that is written to, and what it has come to; for set-up and tear-down of each test.
#pragma once

#include "unit_test.h"

#include <text/buffer.h>

extern TextBuffer text;

int set_up(void **state);
int tear_down(void **state);

// That is all of it, and it is empty again.
void assert_text(const char *expected);
