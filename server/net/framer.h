// Cuts a stream of bytes into lines, however it arrives. Knows no sockets.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct NetFramer {
    char *data;        // received bytes, [start, end) not yet given out
    size_t start, end; // offsets in data
    size_t scanned;    // no newline in [start, scanned)
    size_t capacity;
    size_t max_message; // bytes of a line, without "\n" or "\r\n"
    bool is_draining;   // inside a line over max_message, whose bytes are dropped
    size_t drained;     // bytes of it dropped so far
} NetFramer;

typedef enum NetFramerResult {
    NET_FRAMER_MORE,     // no whole line: feed more
    NET_FRAMER_MESSAGE,  // a line, NUL-terminated in place, valid until the next call
    NET_FRAMER_TOO_LONG, // the end of a line over max_message
} NetFramerResult;

void net_framer_init(NetFramer *framer, size_t max_message);
void net_framer_finish(NetFramer *framer);

// Appends received bytes. Returns false when memory runs out, and the framer is as before.
bool net_framer_feed(NetFramer *framer, const char *bytes, size_t length);

// The next line that is not empty. `out_message` and `out_length` are set with NET_FRAMER_MESSAGE only.
NetFramerResult net_framer_next(NetFramer *framer, char **out_message, size_t *out_length);

// Bytes held and not yet given out.
size_t net_framer_held(const NetFramer *framer);

// The start of the line that is not whole yet; only the first max_message + 1 bytes matter.
const char *net_framer_peek(const NetFramer *framer);

// Whether the bytes a connection starts with are an HTTP request's: METHOD SP and a slash, or METHOD SP
// target SP HTTP/, in a line that may not be whole yet. Without a newline, METHOD SP target alone is enough
// once there are more than `max_line` bytes. A web page can make a browser send a POST to any port on
// loopback, and its body would be lines like others.
bool net_looks_like_http(const char *bytes, size_t length, size_t max_line);

// Whether they are a TLS handshake's. A page chooses some of the bytes that a browser sends in one.
bool net_looks_like_tls(const char *bytes, size_t length);
