// Requests for http_parser. A body is never read: a request that has one is the last of its connection.

#include "http/request.h"

#include <stdarg.h>
#include <stdio.h>
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
    [NET_HEADER_TRANSFER_ENCODING] = "transfer-encoding",
};

static int on_target(http_parser *parser, const char *bytes, size_t length);
static int on_name(http_parser *parser, const char *bytes, size_t length);
static int on_value(http_parser *parser, const char *bytes, size_t length);
static int on_head(http_parser *parser);
static int on_whole(http_parser *parser);
static void fail_other_protocol(NetRequest *request, char first);
static void check_folds(NetRequest *request, const char *bytes, size_t length);
static void fail(NetRequest *request, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void begin_value(NetRequest *request);
static bool append(char *text, size_t *length, size_t capacity, const char *bytes, size_t count);
static void trim_values(NetRequest *request);
static void keep_path(NetRequest *request);
static void keep_authority(NetRequest *request);
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
    const enum http_errno failure = HTTP_PARSER_ERRNO(&request->parser);
    if (request->head_bytes == 0 && length > 0) fail_other_protocol(request, bytes[0]);
    request->head_bytes += taken;
    if (request->head_bytes > NET_REQUEST_HEAD_BYTES || failure == HPE_HEADER_OVERFLOW)
        fail(request, 431, "expected a head of %d bytes at most, found more", NET_REQUEST_HEAD_BYTES);
    if (failure != HPE_OK && failure != HPE_PAUSED) fail(request, 400, "%s", http_errno_description(failure));
    check_folds(request, bytes, taken);
    if (request->is_whole) keep_path(request);
    return taken;
}

static int on_target(http_parser *parser, const char *bytes, size_t length) {
    NetRequest *request = parser->data;
    if (append(request->target, &request->target_length, sizeof request->target, bytes, length)) return 0;
    fail(request, 414, "expected a target of %d bytes at most, found more", NET_REQUEST_VALUE_BYTES);
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
    fail(request, 431, "expected %d bytes at most in %s, found more", NET_REQUEST_VALUE_BYTES,
         header_names[header]);
    return 1;
}

// 1: http_parser does not read the body.
static int on_head(http_parser *parser) {
    NetRequest *request = parser->data;
    trim_values(request);
    const char *coding = request->values[NET_HEADER_TRANSFER_ENCODING];
    const bool is_coded = request->has[NET_HEADER_TRANSFER_ENCODING];
    if (is_coded && strcasecmp(coding, "chunked") != 0)
        fail(request, 501, "expected no Transfer-Encoding but chunked");
    request->has_body = is_coded || ((parser->flags & F_CONTENTLENGTH) != 0 && parser->content_length > 0);
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

// Names the protocol that the first byte shows to be another one.
static void fail_other_protocol(NetRequest *request, char first) {
    if (first == 0x16) fail(request, 400, "expected HTTP, found TLS");
    if (first == '{' || first == '[')
        fail(request, 400, "expected HTTP, found JSON, which the port of --listen takes");
}

// A header that goes on in the next line, which begins with a blank (RFC 9112, 5.2).
static void check_folds(NetRequest *request, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const char before = request->last_byte;
        request->last_byte = bytes[i];
        if (before == '\n' && (bytes[i] == ' ' || bytes[i] == '\t'))
            fail(request, 400, "expected each header in one line");
    }
}

// Keeps the first error.
static void fail(NetRequest *request, unsigned status, const char *format, ...) {
    if (request->error != 0) return;
    request->error = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(request->why, sizeof request->why, format, arguments);
    va_end(arguments);
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
    if (request->has[header] && !is_list)
        fail(request, 400, "expected one %s header, found two", header_names[header]);
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

// Blanks behind a value do not belong to it (RFC 9112, 5); http_parser leaves out those before.
static void trim_values(NetRequest *request) {
    for (NetHeader header = 0; header < NET_HEADER_COUNT; header++) {
        char *value = request->values[header];
        size_t *length = &request->lengths[header];
        while (*length > 0 && (value[*length - 1] == ' ' || value[*length - 1] == '\t'))
            value[--*length] = '\0';
    }
}

static void keep_path(NetRequest *request) {
    struct http_parser_url url;
    http_parser_url_init(&url);
    if (http_parser_parse_url(request->target, request->target_length, request->parser.method == HTTP_CONNECT,
                              &url) != 0) {
        fail(request, 400, "the target is no path");
        return;
    }
    if ((url.field_set & 1U << UF_SCHEMA) != 0) keep_authority(request);
    if ((url.field_set & 1U << UF_PATH) == 0) {
        strcpy(request->target, "/");
        return;
    }
    const size_t length = url.field_data[UF_PATH].len;
    memmove(request->target, request->target + url.field_data[UF_PATH].off, length);
    request->target[length] = '\0';
    if (!decode(request->target)) fail(request, 400, "the path has a wrong %% sequence");
}

// The host of a whole URL replaces the header's (RFC 9112, 3.2.2).
static void keep_authority(NetRequest *request) {
    const char *authority = strstr(request->target, "://") + 3;
    const size_t length = strcspn(authority, "/?#");
    char *host = request->values[NET_HEADER_HOST];
    memcpy(host, authority, length); // a target is no longer than a value
    host[length] = '\0';
    request->lengths[NET_HEADER_HOST] = length;
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
