// HTTP requests and what the owner answers. The layer itself sees to methods, limits, Host and Origin, HEAD,
// conditional requests, and to WebSocket at NET_WEBSOCKET_PATH.
#pragma once

#include "net/buffer.h"

#include <stdbool.h>

#define NET_WEBSOCKET_PATH        "/v1"
#define NET_WEBSOCKET_SUBPROTOCOL "tweed.v1"

// Whether --allow-origin can be so: a host name or IP literal, or an origin, http:// or https:// with a host
// and perhaps a port and nothing behind it.
bool net_origin_is_valid(const char *entry);

typedef struct NetHttpRequest {
    const char *path;            // decoded, without the query; begins with '/'
    const char *accept_encoding; // the header's value, "" without one
} NetHttpRequest;

// Strings must live until the callback has returned.
typedef struct NetHttpResponse {
    unsigned status;          // 200, 404, 503, …
    const char *content_type; // NULL: text/plain
    NetBuffer *body;          // the layer takes over the reference; NULL: one line that names the status
    const char *encoding;     // of the body, such as "gzip"; NULL: none
    bool has_encodings;       // the answer depends on Accept-Encoding
    const char *etag;         // with its quotes; NULL: none
    bool is_immutable; // the body of this path never changes; otherwise it is asked for again each time
} NetHttpResponse;
