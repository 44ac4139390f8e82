// Text as the outside expects it: scripts may hold any bytes.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Well-formed UTF-8 (no surrogates, nothing overlong) without a zero byte.
bool script_utf8_valid(const char *text, size_t length);
// Puts "?" in the place of bytes that are no UTF-8.
void script_utf8_mend(char *text);
