// A growable byte buffer that lines are written into. Cleared and written again it allocates nothing once it
// has reached its working size. When memory runs out the text is marked failed and further appends do
// nothing, so a writer of many parts checks once, at its end.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ProtocolText {
    char *bytes;   // [length], not NUL-terminated; NULL while nothing was appended
    size_t length; // bytes written
    size_t capacity;
    bool failed; // an allocation failed since init or clear: `bytes` lacks something, do not send it
} ProtocolText;

// An empty text. Allocates nothing.
void protocol_text_init(ProtocolText *text);
void protocol_text_finish(ProtocolText *text);

// Empties the text and forgets a failure; the memory stays.
void protocol_text_clear(ProtocolText *text);

// Room for `more` bytes behind `length`, to be written by hand and counted in `length`. False: out of memory.
bool protocol_text_reserve(ProtocolText *text, size_t more);

void protocol_text_append(ProtocolText *text, const char *bytes, size_t length);
void protocol_text_append_string(ProtocolText *text, const char *string);
void protocol_text_append_char(ProtocolText *text, char c);
void protocol_text_append_integer(ProtocolText *text, int64_t value);

// A JSON string with its quotes. Bytes that are not UTF-8 (a script's message may hold any) become U+FFFD.
void protocol_text_append_quoted(ProtocolText *text, const char *string);

// Numbers as number.h writes them. `values` must be finite.
void protocol_text_append_float(ProtocolText *text, float value);
void protocol_text_append_double(ProtocolText *text, double value);

// `count` numbers with commas between them and no brackets: the shortest text of each float32, or fixed-point
// with `decimals` 2 to 7.
void protocol_text_append_floats(ProtocolText *text, const float *values, size_t count);
void protocol_text_append_fixed(ProtocolText *text, const float *values, size_t count, int decimals);
