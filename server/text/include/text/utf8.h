// UTF-8, a character at a time.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The length in bytes (1 to 4) of the first character; 0 where it is invalid by RFC 3629: overlong, a
// surrogate, past U+10FFFF, or cut off by `length`.
size_t text_utf8_length(const char *bytes, size_t length);

// Whether all characters are valid, and none is NUL.
bool text_is_utf8(const char *bytes, size_t length);

// Replaces each invalid byte by "?".
void text_utf8_mend(char *string);

// The code point of a valid character of that length.
uint32_t text_utf8_code_point(const char *bytes, size_t length);

// `length`, or less where that would split a character.
size_t text_utf8_cut(const char *bytes, size_t length);
