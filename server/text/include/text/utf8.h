// UTF-8, a character at a time.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The length in bytes (1 to 4) of the character that `bytes` begins with; 0 where that is none by RFC 3629:
// overlong, a surrogate, past U+10FFFF, or cut off by `length`.
size_t text_utf8_length(const char *bytes, size_t length);

// Whether the bytes are characters by that rule, NUL not among them.
bool text_is_utf8(const char *bytes, size_t length);

// Replaces each byte that belongs to no character by "?".
void text_utf8_mend(char *string);

// The code point of a valid character of that length.
uint32_t text_utf8_code_point(const char *bytes, size_t length);

// `length`, or less where that would cut a character in two.
size_t text_utf8_cut(const char *bytes, size_t length);
