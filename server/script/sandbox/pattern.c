// A backtracking matcher that checks the time.
#include "sandbox/pattern.h"

#include "sandbox/state.h"

#include <ctype.h>
#include <lauxlib.h>
#include <string.h>

#define MAX_DEPTH      200  // as in Lua
#define STEPS_PER_LOOK 1024 // some microseconds

typedef struct Item {
    const char *begin, *end; // of a single class: "a", "%a", "[a-z]"
    char suffix;             // "*+-?", or 0
    const char *next;        // the rest of the pattern
} Item;

static const char *match_here(ScriptMatch *match, const char *at, const char *pattern);
static const char *match_sequence(ScriptMatch *match, const char *at, const char *pattern);
static void step(ScriptMatch *match);
static const char *begin_capture(ScriptMatch *match, const char *at, const char *pattern, ptrdiff_t length);
static const char *end_capture(ScriptMatch *match, const char *at, const char *pattern);
static bool match_special(ScriptMatch *match, const char **at, const char **pattern);
static const char *match_balanced(ScriptMatch *match, const char *at, const char *pattern);
static bool is_frontier(ScriptMatch *match, const char *at, const char *pattern, const char **out_next);
static const char *class_end(const ScriptMatch *match, const char *p);
static bool is_in_set(int c, const char *begin, const char *end);
static bool is_in_class(int c, int letter);
static const char *match_again(ScriptMatch *match, const char *at, char digit);
static Item read_item(const ScriptMatch *match, const char *pattern);
static const char *match_repeated(ScriptMatch *match, const char *at, const Item *item);
static const char *match_most(ScriptMatch *match, const char *at, const Item *item, ptrdiff_t least);
static bool is_in_item(const ScriptMatch *match, const char *at, const Item *item);
static const char *match_fewest(ScriptMatch *match, const char *at, const Item *item);

const char *script_pattern_match(ScriptMatch *match, const char *at, const char *pattern) {
    match->capture_count = 0;
    match->depth = 0;
    return match_here(match, at, pattern);
}

static const char *match_here(ScriptMatch *match, const char *at, const char *pattern) {
    if (match->depth == MAX_DEPTH) luaL_error(match->lua, "pattern too complex");
    match->depth++;
    const char *end = match_sequence(match, at, pattern);
    match->depth--;
    return end;
}

// Matches item by item, up to one that can match in several ways.
static const char *match_sequence(ScriptMatch *match, const char *at, const char *pattern) {
    while (at && pattern < match->pattern_end) {
        step(match);
        if (*pattern == '(') {
            const bool position = pattern + 1 < match->pattern_end && pattern[1] == ')';
            return begin_capture(match, at, pattern + (position ? 2 : 1),
                                 position ? SCRIPT_CAPTURE_POSITION : SCRIPT_CAPTURE_OPEN);
        }
        if (*pattern == ')') return end_capture(match, at, pattern + 1);
        if (*pattern == '$' && pattern + 1 == match->pattern_end) return at == match->text_end ? at : NULL;
        if (*pattern == '%' && match_special(match, &at, &pattern)) continue;
        const Item item = read_item(match, pattern);
        if (item.suffix) return match_repeated(match, at, &item);
        at = is_in_item(match, at, &item) ? at + 1 : NULL;
        pattern = item.next;
    }
    return at;
}

static void step(ScriptMatch *match) {
    if (++match->steps % STEPS_PER_LOOK == 0) script_state_check_time(match->lua);
}

static const char *begin_capture(ScriptMatch *match, const char *at, const char *pattern, ptrdiff_t length) {
    if (match->capture_count == SCRIPT_MAX_CAPTURES) luaL_error(match->lua, "too many captures");
    match->captures[match->capture_count++] = (ScriptCapture){at, length};
    const char *end = match_here(match, at, pattern);
    if (!end) match->capture_count--;
    return end;
}

static const char *end_capture(ScriptMatch *match, const char *at, const char *pattern) {
    int index = match->capture_count - 1;
    while (index >= 0 && match->captures[index].length != SCRIPT_CAPTURE_OPEN) index--;
    if (index < 0) luaL_error(match->lua, "invalid pattern capture");
    ScriptCapture *capture = &match->captures[index];
    capture->length = at - capture->begin;
    const char *end = match_here(match, at, pattern);
    if (!end) capture->length = SCRIPT_CAPTURE_OPEN;
    return end;
}

// Matches "%1", "%b" and "%f". True if the item is one of them: *at and *pattern move behind it; *at is NULL
// if it does not match.
static bool match_special(ScriptMatch *match, const char **at, const char **pattern) {
    const char *p = *pattern;
    if (p + 1 == match->pattern_end) return false; // an error, raised with the class
    if (p[1] == 'b') {
        *at = match_balanced(match, *at, p + 2);
        *pattern = p + 4;
    } else if (p[1] == 'f') {
        if (!is_frontier(match, *at, p + 2, pattern)) *at = NULL;
    } else if (isdigit((unsigned char)p[1])) {
        *at = match_again(match, *at, p[1]);
        *pattern = p + 2;
    } else {
        return false;
    }
    return true;
}

// "%bxy", pattern at x.
static const char *match_balanced(ScriptMatch *match, const char *at, const char *pattern) {
    if (match->pattern_end - pattern < 2)
        luaL_error(match->lua, "malformed pattern (missing arguments to '%%b')");
    if (at >= match->text_end || *at != pattern[0]) return NULL;
    int open = 1;
    while (++at < match->text_end) {
        step(match);
        if (*at == pattern[1]) { // first: the two may be the same
            if (--open == 0) return at + 1;
        } else if (*at == pattern[0]) {
            open++;
        }
    }
    return NULL;
}

// "%f[set]", pattern at the bracket: where the set begins to hold. The text's ends count as '\0'.
static bool is_frontier(ScriptMatch *match, const char *at, const char *pattern, const char **out_next) {
    if (pattern == match->pattern_end || *pattern != '[')
        luaL_error(match->lua, "missing '[' after '%%f' in pattern");
    *out_next = class_end(match, pattern);
    const int before = at == match->text ? '\0' : (unsigned char)at[-1];
    const int here = at == match->text_end ? '\0' : (unsigned char)*at;
    return !is_in_set(before, pattern, *out_next) && is_in_set(here, pattern, *out_next);
}

// Behind the class that begins there. A "]" that comes first in a set is a member of it.
static const char *class_end(const ScriptMatch *match, const char *p) {
    const char first = *p++;
    if (first == '%') {
        if (p == match->pattern_end) luaL_error(match->lua, "malformed pattern (ends with '%%')");
        return p + 1;
    }
    if (first != '[') return p;
    if (p < match->pattern_end && *p == '^') p++;
    do {
        if (p == match->pattern_end) luaL_error(match->lua, "malformed pattern (missing ']')");
        if (*p++ == '%' && p < match->pattern_end) p++;
    } while (p == match->pattern_end || *p != ']');
    return p + 1;
}

// "[...]": begin at the bracket, end behind the closing one.
static bool is_in_set(int c, const char *begin, const char *end) {
    const char *last = end - 1, *p = begin + 1;
    const bool inverted = *p == '^';
    if (inverted) p++;
    for (; p < last; p++) {
        const int low = (unsigned char)*p;
        if (low == '%') {
            if (is_in_class(c, (unsigned char)*++p)) return !inverted;
        } else if (p[1] == '-' && p + 2 < last) {
            p += 2;
            if (low <= c && c <= (unsigned char)*p) return !inverted;
        } else if (low == c) {
            return !inverted;
        }
    }
    return inverted;
}

static bool is_in_class(int c, int letter) {
    bool is_in;
    switch (tolower(letter)) {
    case 'a':
        is_in = isalpha(c);
        break;
    case 'c':
        is_in = iscntrl(c);
        break;
    case 'd':
        is_in = isdigit(c);
        break;
    case 'g':
        is_in = isgraph(c);
        break;
    case 'l':
        is_in = islower(c);
        break;
    case 'p':
        is_in = ispunct(c);
        break;
    case 's':
        is_in = isspace(c);
        break;
    case 'u':
        is_in = isupper(c);
        break;
    case 'w':
        is_in = isalnum(c);
        break;
    case 'x':
        is_in = isxdigit(c);
        break;
    default:
        return letter == c;
    }
    return isupper(letter) ? !is_in : is_in;
}

// "%1": behind the same text once more, or NULL.
static const char *match_again(ScriptMatch *match, const char *at, char digit) {
    const int index = digit - '1';
    if (index < 0 || index >= match->capture_count || match->captures[index].length == SCRIPT_CAPTURE_OPEN)
        luaL_error(match->lua, "invalid capture index %%%d", index + 1);
    const ScriptCapture *capture = &match->captures[index];
    const ptrdiff_t length = capture->length; // a position, as negative, matches nothing
    const bool fits = length >= 0 && match->text_end - at >= length;
    return fits && memcmp(capture->begin, at, (size_t)length) == 0 ? at + length : NULL;
}

static Item read_item(const ScriptMatch *match, const char *pattern) {
    Item item = {.begin = pattern, .end = class_end(match, pattern)};
    item.next = item.end;
    if (item.end < match->pattern_end && *item.end && strchr("*+-?", *item.end)) {
        item.suffix = *item.end;
        item.next++;
    }
    return item;
}

static const char *match_repeated(ScriptMatch *match, const char *at, const Item *item) {
    switch (item->suffix) {
    case '*':
        return match_most(match, at, item, 0);
    case '+':
        return match_most(match, at, item, 1);
    case '-':
        return match_fewest(match, at, item);
    default:
        break;
    }
    const char *end = is_in_item(match, at, item) ? match_here(match, at + 1, item->next) : NULL;
    return end ? end : match_here(match, at, item->next);
}

static const char *match_most(ScriptMatch *match, const char *at, const Item *item, ptrdiff_t least) {
    ptrdiff_t count = 0;
    for (; is_in_item(match, at + count, item); count++) step(match);
    for (; count >= least; count--) {
        const char *end = match_here(match, at + count, item->next);
        if (end) return end;
    }
    return NULL;
}

static bool is_in_item(const ScriptMatch *match, const char *at, const Item *item) {
    if (at >= match->text_end) return false;
    const int c = (unsigned char)*at;
    switch (*item->begin) {
    case '.':
        return true;
    case '%':
        return is_in_class(c, (unsigned char)item->begin[1]);
    case '[':
        return is_in_set(c, item->begin, item->end);
    default:
        return (unsigned char)*item->begin == c;
    }
}

static const char *match_fewest(ScriptMatch *match, const char *at, const Item *item) {
    for (;; at++) {
        const char *end = match_here(match, at, item->next);
        if (end || !is_in_item(match, at, item)) return end;
    }
}
