// Requests for http_parser. A body is never read: a request that has one is the last of its connection.

#include "http/request.h"

#include <string.h>
#include <strings.h>

static const char *const header_names[NET_HEADER_COUNT] = {
    [NET_HEADER_HOST] = "host",
    [NET_HEADER_ORIGIN] = "origin",
    [NET_HEADER_ACCEPT_ENCODING] = "accept-encoding",
    [NET_HEADER_IF_NONE_MATCH] = "if-none-match",
    [NET_HEADER_UPGRADE] = "upgrade",
    [NET_HEADER_KEY] = "sec-websocket-key",
    [NET_HEADER_VERSION] = "sec-websocket-version",
    [NET_HEADER_PROTOCOL] = "sec-websocket-protocol",
};

static int on_target(http_parser *parser, const char *bytes, size_t length);
static int on_name(http_parser *parser, const char *bytes, size_t length);
static int on_value(http_parser *parser, const char *bytes, size_t length);
static int on_head(http_parser *parser);
static int on_whole(http_parser *parser);
static void begin_value(NetRequest *request);
static bool append(char *text, size_t *length, size_t capacity, const char *bytes, size_t count);
static bool keep_path(NetRequest *request);
static bool decode(char *path);
static int hex_digit(char c);

void net_request_init(NetRequest *request) {
    memset(request, 0, sizeof *request);
    http_parser_init(&request->parser, HTTP_REQUEST);
    request->parser.data = request;
}

size_t net_request_feed(NetRequest *request, const char *bytes, size_t length) {
    static const http_parser_settings settings = {.on_url = on_target,
                                                  .on_header_field = on_name,
                                                  .on_header_value = on_value,
                                                  .on_headers_complete = on_head,
                                                  .on_message_complete = on_whole};
    const size_t taken = http_parser_execute(&request->parser, &settings, bytes, length);
    request->head_bytes += taken;
    const enum http_errno failure = HTTP_PARSER_ERRNO(&request->parser);
    if (request->error == 0 && request->head_bytes > NET_REQUEST_HEAD_BYTES) request->error = 431;
    if (request->error == 0 && failure != HPE_OK && failure != HPE_PAUSED)
        request->error = failure == HPE_HEADER_OVERFLOW ? 431 : 400;
    if (request->error == 0 && request->is_whole && !keep_path(request)) request->error = 400;
    return taken;
}

static int on_target(http_parser *parser, const char *bytes, size_t length) {
    NetRequest *request = parser->data;
    if (append(request->target, &request->target_length, sizeof request->target, bytes, length)) return 0;
    request->error = 414;
    return 1;
}

static int on_name(http_parser *parser, const char *bytes, size_t length) {
    NetRequest *request = parser->data;
    if (request->is_in_value) request->name_length = 0;
    request->is_in_value = false;
    append(request->name, &request->name_length, sizeof request->name, bytes, length);
    return 0;
}

static int on_value(http_parser *parser, const char *bytes, size_t length) {
    NetRequest *request = parser->data;
    if (!request->is_in_value) begin_value(request);
    if (request->error != 0) return 1;
    const NetHeader header = request->header;
    if (header == NET_HEADER_COUNT) return 0;
    if (append(request->values[header], &request->lengths[header], sizeof request->values[header], bytes,
               length))
        return 0;
    request->error = 431;
    return 1;
}

// 1: http_parser does not read the body.
static int on_head(http_parser *parser) {
    NetRequest *request = parser->data;
    request->has_body = (parser->flags & F_CHUNKED) != 0 ||
                        ((parser->flags & F_CONTENTLENGTH) != 0 && parser->content_length > 0);
    request->wants_upgrade = parser->upgrade != 0;
    request->is_keep_alive = !request->has_body && http_should_keep_alive(parser) != 0;
    return 1;
}

static int on_whole(http_parser *parser) {
    NetRequest *request = parser->data;
    request->is_whole = true;
    http_parser_pause(parser, 1); // what follows is the next request, or a WebSocket's
    return 0;
}

static void begin_value(NetRequest *request) {
    request->is_in_value = true;
    request->header = 0;
    while (request->header < NET_HEADER_COUNT &&
           (strlen(header_names[request->header]) != request->name_length ||
            strncasecmp(header_names[request->header], request->name, request->name_length) != 0))
        request->header++;
    const NetHeader header = request->header;
    if (header == NET_HEADER_COUNT) return;
    // A list may come in parts; anything else comes once.
    const bool is_list = header == NET_HEADER_PROTOCOL || header == NET_HEADER_ACCEPT_ENCODING ||
                         header == NET_HEADER_IF_NONE_MATCH;
    if (request->has[header] && !is_list) request->error = 400;
    if (request->has[header])
        append(request->values[header], &request->lengths[header], sizeof request->values[header], ",", 1);
    request->has[header] = true;
}

// Always ends with a NUL. False: it does not fit; where a name does not, it is one that is not kept.
static bool append(char *text, size_t *length, size_t capacity, const char *bytes, size_t count) {
    const bool fits = count < capacity - *length;
    const size_t taken = fits ? count : capacity - 1 - *length;
    memcpy(text + *length, bytes, taken);
    *length += taken;
    text[*length] = '\0';
    return fits;
}

static bool keep_path(NetRequest *request) {
    struct http_parser_url url;
    http_parser_url_init(&url);
    if (http_parser_parse_url(request->target, request->target_length, request->parser.method == HTTP_CONNECT,
                              &url) != 0)
        return false;
    if ((url.field_set & 1U << UF_PATH) == 0) {
        strcpy(request->target, "/");
        return true;
    }
    const size_t length = url.field_data[UF_PATH].len;
    memmove(request->target, request->target + url.field_data[UF_PATH].off, length);
    request->target[length] = '\0';
    return decode(request->target);
}

// Replaces %XX in place. False: two digits are not hexadecimal, or the byte is NUL.
static bool decode(char *path) {
    char *out = path;
    for (const char *in = path; *in; in++) {
        int byte = (unsigned char)*in;
        if (byte == '%') {
            const int high = hex_digit(in[1]);
            const int low = high < 0 ? -1 : hex_digit(in[2]);
            byte = low < 0 ? 0 : high * 16 + low;
            if (byte == 0) return false;
            in += 2;
        }
        *out++ = (char)byte;
    }
    *out = '\0';
    return true;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}
