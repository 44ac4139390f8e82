// UTF-8, a character at a time.
#include "text/utf8.h"

#include <string.h>

typedef unsigned char byte;

size_t text_utf8_length(const char *bytes, size_t length) {
    if (length == 0) return 0;
    byte lead = (byte)bytes[0];
    if (lead < 0x80) return 1;
    size_t size = lead >= 0xC2 && lead < 0xE0   ? 2
                  : lead >= 0xE0 && lead < 0xF0 ? 3
                  : lead >= 0xF0 && lead < 0xF5 ? 4
                                                : 0;
    if (size == 0 || size > length) return 0;
    for (size_t i = 1; i < size; i++) {
        if (((byte)bytes[i] & 0xC0) != 0x80) return 0;
    }
    byte second = (byte)bytes[1];
    if (lead == 0xE0 && second < 0xA0) return 0; // overlong
    if (lead == 0xED && second > 0x9F) return 0; // surrogate
    if (lead == 0xF0 && second < 0x90) return 0; // overlong
    if (lead == 0xF4 && second > 0x8F) return 0; // past U+10FFFF
    return size;
}

uint32_t text_utf8_code_point(const char *bytes, size_t length) {
    if (length <= 1) return (byte)bytes[0];
    uint32_t code = (byte)bytes[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) code = code << 6 | ((byte)bytes[i] & 0x3Fu);
    return code;
}

size_t text_utf8_cut(const char *bytes, size_t length) {
    size_t start = length;
    while (start > 0 && length - start < 4) {
        start--;
        byte lead = (byte)bytes[start];
        if ((lead & 0xC0) == 0x80) continue;
        size_t size = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        return start + size <= length ? length : start;
    }
    return length;
}

bool text_is_utf8(const char *bytes, size_t length) {
    for (size_t at = 0; at < length;) {
        size_t size = text_utf8_length(bytes + at, length - at);
        if (size == 0 || bytes[at] == '\0') return false;
        at += size;
    }
    return true;
}

void text_utf8_mend(char *string) {
    for (size_t left = strlen(string); left > 0;) {
        const size_t size = text_utf8_length(string, left);
        if (size == 0) *string = '?';
        string += size == 0 ? 1 : size;
        left -= size == 0 ? 1 : size;
    }
}
