// Which characters are safe to print, and what stands for the others.
#include "base/safe_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <text/utf8.h>

static size_t print_safe(FILE *file, const char *text, size_t length, size_t most_columns);
static bool is_safe(uint32_t code_point);
static size_t print_json_character(FILE *file, const char *text);

size_t app_print_safe(FILE *file, const char *text, size_t most_columns) {
    return print_safe(file, text, strlen(text), most_columns);
}

void app_print_safe_lines(FILE *file, const char *text, const char *indent) {
    while (*text) {
        const size_t length = strcspn(text, "\n\t");
        print_safe(file, text, length, SIZE_MAX);
        text += length;
        if (*text) fputc(*text, file);
        if (*text && *text++ == '\n') fputs(indent, file);
    }
}

void app_print_safe_string(FILE *file, const char *text) {
    fputc('"', file);
    while (*text) {
        if (*text == '"' || *text == '\\') fputc('\\', file);
        if (*text == '\n')
            fputs("\\n", file), text++;
        else if (*text == '\t')
            fputs("\\t", file), text++;
        else
            text += print_json_character(file, text);
    }
    fputc('"', file);
}

void app_print_safe_json(FILE *file, const char *json) {
    while (*json) json += print_json_character(file, json);
}

static size_t print_safe(FILE *file, const char *text, size_t length, size_t most_columns) {
    size_t columns = 0;
    for (size_t at = 0; at < length && columns < most_columns; columns++) {
        const size_t size = text_utf8_length(text + at, length - at);
        if (size > 0 && is_safe(text_utf8_code_point(text + at, size)))
            fwrite(text + at, 1, size, file);
        else
            fputc('?', file);
        at += size > 0 ? size : 1;
    }
    return columns;
}

static bool is_safe(uint32_t code_point) {
    const bool is_control = code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0);
    const bool is_direction = code_point == 0x061c || (code_point >= 0x200e && code_point <= 0x200f) ||
                              (code_point >= 0x2028 && code_point <= 0x202e) ||
                              (code_point >= 0x2066 && code_point <= 0x2069);
    return !is_control && !is_direction;
}

// Returns how many bytes it took. All unsafe characters lie below U+10000.
static size_t print_json_character(FILE *file, const char *text) {
    const size_t size = text_utf8_length(text, strnlen(text, 4));
    const uint32_t code_point = size > 0 ? text_utf8_code_point(text, size) : 0xfffd;
    if (size > 0 && is_safe(code_point))
        fwrite(text, 1, size, file);
    else
        fprintf(file, "\\u%04x", (unsigned)code_point);
    return size > 0 ? size : 1;
}
