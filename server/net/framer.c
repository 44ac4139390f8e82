// Cuts a stream into lines. Each byte is searched once, however small the pieces: `scanned` is the end of the
// search.

#include "framer.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL_CAPACITY = 4096, KEPT_CAPACITY = 16384, LONGEST_METHOD = 32 };

static char *find_newline(NetFramer *framer);
static bool take_line(NetFramer *framer, size_t newline, NetFramerResult *out_result, char **out_message,
                      size_t *out_length);
static void drop_excess(NetFramer *framer);
static void drop_storage(NetFramer *framer);
static size_t method_length(const char *line, size_t length);

void net_framer_init(NetFramer *framer, size_t max_message) {
    *framer = (NetFramer){.max_message = max_message};
}

void net_framer_finish(NetFramer *framer) {
    free(framer->data);
    *framer = (NetFramer){0};
}

bool net_framer_feed(NetFramer *framer, const char *bytes, size_t length) {
    size_t held = net_framer_held(framer);
    if (framer->start > 0 && framer->end + length > framer->capacity) {
        memmove(framer->data, framer->data + framer->start, held);
        framer->scanned -= framer->start;
        framer->start = 0;
        framer->end = held;
    }
    if (held + length > framer->capacity) {
        size_t capacity = framer->capacity * 2 > SMALL_CAPACITY ? framer->capacity * 2 : SMALL_CAPACITY;
        if (capacity < held + length) capacity = held + length;
        char *data = realloc(framer->data, capacity);
        if (!data) return false;
        framer->data = data;
        framer->capacity = capacity;
    }
    if (length > 0) memcpy(framer->data + framer->end, bytes, length);
    framer->end += length;
    return true;
}

NetFramerResult net_framer_next(NetFramer *framer, char **out_message, size_t *out_length) {
    char *newline;
    while ((newline = find_newline(framer))) {
        NetFramerResult result;
        if (take_line(framer, (size_t)(newline - framer->data), &result, out_message, out_length))
            return result;
    }
    drop_excess(framer);
    if (framer->start == framer->end) drop_storage(framer);
    return NET_FRAMER_MORE;
}

size_t net_framer_held(const NetFramer *framer) {
    return framer->end - framer->start;
}

const char *net_framer_peek(const NetFramer *framer) {
    return framer->data + framer->start;
}

bool net_looks_like_http(const char *bytes, size_t length, size_t max_line) {
    while (length > 0 && (*bytes == '\r' || *bytes == '\n')) bytes++, length--;
    if (length == 0) return false;
    const char *newline = memchr(bytes, '\n', length);
    size_t rest = newline ? (size_t)(newline - bytes) : length;

    size_t method = method_length(bytes, rest);
    if (method == 0 || method == rest || bytes[method] != ' ') return false;
    const char *path = bytes + method + 1;
    rest -= method + 1;
    if (rest > 0 && path[0] == '/') return true; // of any version: HTTP/0.9 names none
    const char *space = rest > 0 ? memchr(path, ' ', rest) : NULL;
    if (!space) return !newline && length > max_line;
    rest -= (size_t)(space - path) + 1;
    return space > path && rest >= 5 && memcmp(space + 1, "HTTP/", 5) == 0;
}

bool net_looks_like_tls(const char *bytes, size_t length) {
    return length > 0 && bytes[0] == 0x16; // a record of the type handshake
}

static char *find_newline(NetFramer *framer) {
    if (framer->scanned == framer->end) return NULL;
    char *newline = memchr(framer->data + framer->scanned, '\n', framer->end - framer->scanned);
    if (!newline) framer->scanned = framer->end;
    return newline;
}

// Takes the line up to `newline`. False if it is empty.
static bool take_line(NetFramer *framer, size_t newline, NetFramerResult *out_result, char **out_message,
                      size_t *out_length) {
    char *line = framer->data + framer->start;
    size_t length = newline - framer->start;
    if (length > 0 && line[length - 1] == '\r') length--;
    framer->start = framer->scanned = newline + 1;
    if (framer->is_draining || length > framer->max_message) {
        framer->is_draining = false;
        framer->drained = 0;
        *out_result = NET_FRAMER_TOO_LONG;
        return true;
    }
    line[length] = '\0';
    *out_result = NET_FRAMER_MESSAGE;
    *out_message = line;
    *out_length = length;
    return length > 0;
}

// The held bytes have no newline. One byte over the limit may still be the '\r' of a line of exactly
// max_message.
static void drop_excess(NetFramer *framer) {
    size_t held = net_framer_held(framer);
    if (!framer->is_draining && held <= framer->max_message + 1) return;
    framer->is_draining = true;
    framer->drained += held;
    framer->start = framer->scanned = framer->end;
}

// Frees the memory of an unusually long line, so that a silent connection holds little.
static void drop_storage(NetFramer *framer) {
    framer->start = framer->end = framer->scanned = 0;
    if (framer->capacity <= KEPT_CAPACITY) return;
    free(framer->data);
    framer->data = NULL;
    framer->capacity = 0;
}

// METHOD is a token (RFC 9110, 5.6.2). JSON's objects and arrays begin with no such character.
static size_t method_length(const char *line, size_t length) {
    static const char token[] =
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t count = 0;
    while (count < length && count <= LONGEST_METHOD && memchr(token, line[count], sizeof token - 1)) count++;
    return count <= LONGEST_METHOD ? count : 0;
}
