// Globs on names. A mismatch returns to the last star only, so matching takes at most pattern times name
// steps.
#include "text/glob.h"

#include "text/utf8.h"

#include <string.h>

static const char *set_end(const char *set);
static bool match_one(const char **pattern, const char **name);
static uint32_t next(const char **at);
static bool is_in_set(const char *set, const char *end, uint32_t character);

bool text_is_name(const char *text, size_t length) {
    if (length < 1 || length > TEXT_NAME_BYTES || !text_is_utf8(text, length)) return false;
    for (size_t i = 0; i < length; i++)
        if (strchr("*?[", text[i])) return false;
    return true;
}

bool text_glob_is_valid(const char *pattern) {
    while ((pattern = strchr(pattern, '['))) {
        const char *end = set_end(pattern);
        if (!end) return false;
        pattern = end;
    }
    return true;
}

bool text_glob_match(const char *pattern, const char *name) {
    const char *after_star = NULL, *retry = NULL;
    while (*name != '\0' || *pattern != '\0') {
        if (*pattern == '*') {
            after_star = ++pattern;
            retry = name;
            continue;
        }
        if (match_one(&pattern, &name)) continue;
        if (!after_star || *retry == '\0') return false;
        next(&retry);
        pattern = after_star;
        name = retry;
    }
    return true;
}

// The end of the set that begins at `set` ("["): behind its "]". NULL where it has no end or is empty; a "]"
// that comes first belongs to the set.
static const char *set_end(const char *set) {
    const char *at = set + 1;
    if (*at == '!' || *at == '^') at++;
    if (*at == ']') at++;
    at = strchr(at, ']');
    return at ? at + 1 : NULL;
}

// Matches one character of the name against the pattern's next element and moves both on.
static bool match_one(const char **pattern, const char **name) {
    if (**pattern == '\0' || **name == '\0') return false;
    const char *end = **pattern == '[' ? set_end(*pattern) : NULL;
    uint32_t character = next(name);
    if (end) {
        bool found = is_in_set(*pattern, end, character);
        *pattern = end;
        return found;
    }
    uint32_t expected = next(pattern);
    return expected == '?' || expected == character;
}

// One character of pattern or name; 0 at the end. Bytes that are no UTF-8 stand for themselves.
static uint32_t next(const char **at) {
    if (**at == '\0') return 0;
    size_t size = text_utf8_length(*at, strlen(*at) < 4 ? strlen(*at) : 4);
    uint32_t code = size == 0 ? (unsigned char)**at : text_utf8_code_point(*at, size);
    *at += size == 0 ? 1 : size;
    return code;
}

static bool is_in_set(const char *set, const char *end, uint32_t character) {
    const char *at = set + 1;
    bool negated = *at == '!' || *at == '^';
    if (negated) at++;
    bool found = false;
    while (at < end - 1) {
        uint32_t first = next(&at), last = first;
        if (*at == '-' && at + 1 < end - 1) {
            at++;
            last = next(&at);
        }
        found = found || (character >= first && character <= last);
    }
    return found != negated;
}
