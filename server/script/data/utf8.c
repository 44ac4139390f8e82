// Well-formed sequences after table 3-7 of the Unicode standard.
#include "data/utf8.h"

static size_t character_length(const char *text);

bool script_utf8_valid(const char *text, size_t length) {
    for (size_t at = 0; at < length;) {
        const size_t step = text[at] ? character_length(text + at) : 0;
        if (!step || step > length - at) return false;
        at += step;
    }
    return true;
}

void script_utf8_mend(char *text) {
    while (*text) {
        const size_t step = character_length(text);
        if (!step) *text = '?';
        text += step ? step : 1;
    }
}

// Bytes of the character that begins at text, 0 if it is not well-formed. Reads no further than a zero byte.
static size_t character_length(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80) return 1;
    const size_t length = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    if (c[0] < 0xc2 || c[0] > 0xf4) return 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f)) return 0;
    if ((c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f)) return 0;
    return length;
}
