// Heads of responses, with the headers that keep a browser from doing more with them than is meant.

#include "http/response.h"

#include <http_parser.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// Everything comes from the server's own files: nothing inline, nothing from elsewhere.
static const char security_headers[] =
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Content-Security-Policy: default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'\r\n";

typedef struct Text {
    char bytes[2048];
    size_t length;
} Text;

static void add(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_date(Text *text);
static NetBuffer *raw_copy(const char *bytes, size_t length);

NetBuffer *net_response_head(const NetResponseHead *head) {
    const NetHttpResponse *response = head->response;
    Text text = {.length = 0};
    add(&text, "HTTP/1.1 %u %s\r\n", head->status, http_status_str((enum http_status)head->status));
    add_date(&text);
    add(&text, "Server: tweed\r\nConnection: %s\r\n", head->is_last ? "close" : "keep-alive");
    if (head->status != 304) {
        add(&text, "Content-Type: %s\r\nContent-Length: %zu\r\n",
            response->content_type ? response->content_type : "text/plain; charset=utf-8", head->body_length);
        if (response->encoding) add(&text, "Content-Encoding: %s\r\n", response->encoding);
    }
    if (response->has_encodings) add(&text, "Vary: Accept-Encoding\r\n");
    if (response->etag) add(&text, "ETag: %s\r\n", response->etag);
    add(&text, "Cache-Control: %s\r\n",
        response->is_immutable ? "public, max-age=31536000, immutable" : "no-cache");
    add(&text, "%s%s\r\n", security_headers, head->more_headers);
    return raw_copy(text.bytes, text.length);
}

NetBuffer *net_response_line(unsigned status, const char *why) {
    char line[512];
    const char *name = http_status_str((enum http_status)status);
    snprintf(line, sizeof line, why ? "%u %s: %s\n" : "%u %s\n", status, name, why);
    return raw_copy(line, strlen(line));
}

bool net_etag_matches(const char *if_none_match, const char *etag) {
    return strcmp(if_none_match, "*") == 0 || strstr(if_none_match, etag); // quotes are part of it
}

// Cuts what does not fit: it all does.
static void add(Text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const size_t room = sizeof text->bytes - text->length;
    const int length = vsnprintf(text->bytes + text->length, room, format, arguments);
    va_end(arguments);
    if (length > 0) text->length += (size_t)length < room ? (size_t)length : room - 1;
}

static void add_date(Text *text) {
    char date[64];
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) && strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &utc) > 0)
        add(text, "Date: %s\r\n", date);
}

static NetBuffer *raw_copy(const char *bytes, size_t length) {
    NetBuffer *buffer = net_buffer_create_copy(bytes, length);
    if (buffer) net_buffer_mark_raw(buffer);
    return buffer;
}
