// A growable byte buffer.
#include "text/buffer.h"

#include "text/number.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_CAPACITY = 256,
    LONGEST_EXCERPT = 64,
    NUMBERS_AT_ONCE = 32, // reserving the longest text of more would waste memory
    MATRICES_AT_ONCE = 2
};

static void append_quoted_character(TextBuffer *text, const char *bytes, size_t size);

void text_buffer_finish(TextBuffer *text) {
    free(text->bytes);
    *text = (TextBuffer){0};
}

void text_buffer_clear(TextBuffer *text) {
    text->length = 0;
    text->failed = false;
}

bool text_buffer_reserve(TextBuffer *text, size_t more) {
    if (text->failed) return false;
    if (more <= text->capacity - text->length) return true;
    size_t needed = text->length + more;
    size_t capacity = text->capacity < FIRST_CAPACITY ? FIRST_CAPACITY : text->capacity;
    while (capacity < needed && capacity <= SIZE_MAX / 2) capacity *= 2;
    char *bytes = needed >= more && capacity >= needed ? realloc(text->bytes, capacity) : NULL;
    if (!bytes) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

const char *text_buffer_string(TextBuffer *text) {
    if (!text_buffer_reserve(text, 1)) return "";
    text->bytes[text->length] = '\0';
    return text->bytes;
}

void text_buffer_append(TextBuffer *text, const char *bytes, size_t length) {
    if (length == 0 || !text_buffer_reserve(text, length)) return;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

void text_buffer_append_string(TextBuffer *text, const char *string) {
    text_buffer_append(text, string, strlen(string));
}

void text_buffer_append_char(TextBuffer *text, char c) {
    text_buffer_append(text, &c, 1);
}

void text_buffer_append_integer(TextBuffer *text, int64_t value) {
    char digits[24];
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) digits[--at] = '-';
    text_buffer_append(text, digits + at, sizeof digits - at);
}

void text_buffer_append_quoted(TextBuffer *text, const char *string) {
    size_t length = strlen(string), plain = 0;
    text_buffer_append_char(text, '"');
    for (size_t at = 0; at < length;) {
        unsigned char c = (unsigned char)string[at];
        if (c >= 0x20 && c < 0x7F && c != '"' && c != '\\') {
            at++;
            continue;
        }
        text_buffer_append(text, string + plain, at - plain);
        size_t size = text_utf8_length(string + at, length - at);
        append_quoted_character(text, string + at, size);
        at += size == 0 ? 1 : size;
        plain = at;
    }
    text_buffer_append(text, string + plain, length - plain);
    text_buffer_append_char(text, '"');
}

void text_buffer_append_excerpt(TextBuffer *text, const char *string) {
    char excerpt[LONGEST_EXCERPT + sizeof "…"];
    const bool whole = strlen(string) <= LONGEST_EXCERPT;
    const size_t kept = whole ? strlen(string) : text_utf8_cut(string, LONGEST_EXCERPT);
    memcpy(excerpt, string, kept);
    strcpy(excerpt + kept, whole ? "" : "…");
    text_buffer_append_quoted(text, excerpt);
}

void text_buffer_append_float(TextBuffer *text, float value) {
    text_buffer_append_floats(text, &value, 1);
}

void text_buffer_append_double(TextBuffer *text, double value) {
    if (!text_buffer_reserve(text, TEXT_DOUBLE_BYTES)) return;
    text->length += text_write_double(text->bytes + text->length, value);
}

void text_buffer_append_floats(TextBuffer *text, const float *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!text_buffer_reserve(text, TEXT_FLOAT_BYTES + 1)) return;
        char *end = text->bytes + text->length;
        if (i > 0) *end++ = ',';
        end += text_write_float(end, values[i]);
        text->length = (size_t)(end - text->bytes);
    }
}

void text_buffer_append_fixed(TextBuffer *text, const float *values, size_t count, int decimals) {
    for (size_t first = 0; first < count; first += NUMBERS_AT_ONCE) {
        size_t some = count - first < NUMBERS_AT_ONCE ? count - first : NUMBERS_AT_ONCE;
        if (!text_buffer_reserve(text, some * (TEXT_FIXED_BYTES + 1))) return;
        char *end = text->bytes + text->length;
        if (first > 0) *end++ = ',';
        end += text_write_fixed_list(end, values + first, some, decimals);
        text->length = (size_t)(end - text->bytes);
    }
}

void text_buffer_append_fixed_matrices(TextBuffer *text, const float *const matrices[], size_t count,
                                       int decimals) {
    for (size_t first = 0; first < count; first += MATRICES_AT_ONCE) {
        size_t some = count - first < MATRICES_AT_ONCE ? count - first : MATRICES_AT_ONCE;
        if (first > 0) text_buffer_append(text, "],[", 3);
        if (!text_buffer_reserve(text, some * TEXT_FIXED_MATRIX_BYTES)) return;
        text->length +=
            text_write_fixed_matrices(text->bytes + text->length, matrices + first, some, decimals);
    }
}

// `size` 0: a byte that belongs to no character.
static void append_quoted_character(TextBuffer *text, const char *bytes, size_t size) {
    static const char hex[] = "0123456789abcdef", letters[] = "\"\\\b\f\n\r\t", escapes[] = "\"\\bfnrt";
    unsigned char c = (unsigned char)bytes[0];
    if (size == 0) {
        text_buffer_append_string(text, "\xEF\xBF\xBD");
    } else if (size > 1) {
        text_buffer_append(text, bytes, size);
    } else if (strchr(letters, c)) {
        char escape[2] = {'\\', escapes[strchr(letters, c) - letters]};
        text_buffer_append(text, escape, sizeof escape);
    } else {
        char escape[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
        text_buffer_append(text, escape, sizeof escape);
    }
}
