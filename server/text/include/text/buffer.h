// A growable byte buffer. Cleared and written again it allocates nothing once it has reached its working
// size. When memory runs out the buffer is marked failed and further appends do nothing, so a writer of many
// parts checks once, at its end.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// All zero: an empty text, which has allocated nothing.
typedef struct TextBuffer {
    char *bytes;   // [length], not NUL-terminated; NULL while nothing was appended
    size_t length; // bytes written
    size_t capacity;
    bool failed; // an allocation failed since it was last clear: `bytes` is incomplete
} TextBuffer;

void text_buffer_finish(TextBuffer *text);

// Empties the text and forgets a failure; the memory stays.
void text_buffer_clear(TextBuffer *text);

// Makes room for `more` bytes behind `length`; the caller writes them and adds to `length`. Returns false
// when memory runs out.
bool text_buffer_reserve(TextBuffer *text, size_t more);

// The text with a NUL behind it, which does not count; "" where memory ran out. Valid until the next change.
const char *text_buffer_string(TextBuffer *text);

void text_buffer_append(TextBuffer *text, const char *bytes, size_t length);
void text_buffer_append_string(TextBuffer *text, const char *string);
void text_buffer_append_char(TextBuffer *text, char c);
void text_buffer_append_integer(TextBuffer *text, int64_t value);

// A JSON string with its quotes. Bytes that are not UTF-8 (a script's message may hold any) become U+FFFD.
void text_buffer_append_quoted(TextBuffer *text, const char *string);

// The same of the first 64 bytes, with "…" where more follows: for text of clients in messages.
void text_buffer_append_excerpt(TextBuffer *text, const char *string);

// Numbers as number.h writes them. `values` must be finite.
void text_buffer_append_float(TextBuffer *text, float value);
void text_buffer_append_double(TextBuffer *text, double value);

// `count` numbers with commas between them and no brackets: the shortest text of each float32, or fixed-point
// with `decimals` 2 to 7.
void text_buffer_append_floats(TextBuffer *text, const float *values, size_t count);
void text_buffer_append_fixed(TextBuffer *text, const float *values, size_t count, int decimals);

// The 16 numbers of each matrix, with "],[" between matrices.
void text_buffer_append_fixed_matrices(TextBuffer *text, const float *const matrices[], size_t count,
                                       int decimals);
