// METHOD is a token (RFC 9110, 5.6.2). JSON's objects and arrays begin with no such character.

#include "http_guard.h"

#include <string.h>

enum { LONGEST_METHOD = 32 };

static size_t method_length(const char *line, size_t length);

bool net_looks_like_http(const char *bytes, size_t length, size_t max_line) {
    while (length > 0 && (*bytes == '\r' || *bytes == '\n')) bytes++, length--;
    if (length == 0) return false;
    const char *newline = memchr(bytes, '\n', length);
    size_t rest = newline != NULL ? (size_t)(newline - bytes) : length;

    size_t method = method_length(bytes, rest);
    if (method == 0 || method == rest || bytes[method] != ' ') return false;
    const char *path = bytes + method + 1;
    rest -= method + 1;
    const char *space = rest > 0 ? memchr(path, ' ', rest) : NULL;
    if (space == NULL) return newline == NULL && length > max_line;
    rest -= (size_t)(space - path) + 1;
    return space > path && rest >= 5 && memcmp(space + 1, "HTTP/", 5) == 0;
}

static size_t method_length(const char *line, size_t length) {
    static const char token[] =
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t count = 0;
    while (count < length && count <= LONGEST_METHOD && memchr(token, line[count], sizeof token - 1) != NULL)
        count++;
    return count <= LONGEST_METHOD ? count : 0;
}
