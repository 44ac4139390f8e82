// The rules of Host and Origin headers.

#include "origin.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HTTP_PORT = 80, HTTPS_PORT = 443, PORT_DIGITS = 5, MOST_PORT = 65535 };

// A part of a text.
typedef struct Span {
    const char *start;
    size_t length;
} Span;

typedef struct Origin {
    bool is_https;
    Span host;
    unsigned port; // that of the scheme where the text has none
} Origin;

static bool parse_origin(const char *text, Origin *out_origin);
static bool parse_authority(const char *text, Span *out_host, unsigned *inout_port);
static bool is_host(Span host);
static bool is_ip_literal(Span host);
static bool equals(Span a, Span b);
static Span span_of(const char *text);

bool net_origin_is_valid(const char *entry) {
    Origin origin;
    return parse_origin(entry, &origin) || (is_host(span_of(entry)) && strcasecmp(entry, "null") != 0);
}

bool net_host_is_allowed(const char *host, NetOrigins allowed) {
    Span name;
    unsigned port = HTTP_PORT;
    if (!parse_authority(host, &name, &port)) return false;
    if (is_ip_literal(name) || equals(name, span_of("localhost"))) return true;
    for (size_t i = 0; i < allowed.count; i++) {
        Origin entry = {.host = span_of(allowed.names[i])};
        parse_origin(allowed.names[i], &entry);
        if (equals(name, entry.host)) return true;
    }
    return false;
}

bool net_origin_is_allowed(const char *origin, const char *host, NetOrigins allowed) {
    Origin page, own = {.port = HTTP_PORT};
    if (!parse_origin(origin, &page)) return false; // such as "null"
    if (!page.is_https && parse_authority(host, &own.host, &own.port) && own.port == page.port &&
        equals(own.host, page.host))
        return true;
    for (size_t i = 0; i < allowed.count; i++) {
        Origin entry;
        if (!parse_origin(allowed.names[i], &entry)) {
            if (equals(page.host, span_of(allowed.names[i]))) return true;
        } else if (entry.is_https == page.is_https && entry.port == page.port &&
                   equals(entry.host, page.host)) {
            return true;
        }
    }
    return false;
}

// Leaves `out_origin` as it is where the text is no origin.
static bool parse_origin(const char *text, Origin *out_origin) {
    Origin origin = {.is_https = strncasecmp(text, "https://", 8) == 0};
    if (!origin.is_https && strncasecmp(text, "http://", 7) != 0) return false;
    origin.port = origin.is_https ? HTTPS_PORT : HTTP_PORT;
    if (!parse_authority(text + (origin.is_https ? 8 : 7), &origin.host, &origin.port)) return false;
    *out_origin = origin;
    return true;
}

// HOST or HOST:PORT. Without a port, `inout_port` stays.
static bool parse_authority(const char *text, Span *out_host, unsigned *inout_port) {
    const char *bracket = text[0] == '[' ? strchr(text, ']') : NULL;
    const char *end = bracket ? bracket + 1 : text + strcspn(text, ":");
    *out_host = (Span){text, (size_t)(end - text)};
    if (!is_host(*out_host)) return false;
    if (!*end) return true;
    const size_t digits = strlen(end + 1);
    if (*end != ':' || digits > PORT_DIGITS || strspn(end + 1, "0123456789") != digits) return false;
    if (digits > 0) *inout_port = (unsigned)atoi(end + 1); // RFC 3986, 3.2.3: it may be empty
    return *inout_port <= MOST_PORT;
}

// A name, or an IP literal.
static bool is_host(Span host) {
    static const char letters[] = "-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (host.length > 0 && host.start[0] == '[') return is_ip_literal(host);
    return host.length > 0 && strspn(host.start, letters) >= host.length;
}

static bool is_ip_literal(Span host) {
    char text[INET6_ADDRSTRLEN];
    unsigned char address[sizeof(struct in6_addr)];
    const bool is_six = host.start[0] == '[';
    if (is_six && (host.length < 2 || host.start[host.length - 1] != ']')) return false;
    const size_t length = is_six ? host.length - 2 : host.length;
    if (length >= sizeof text) return false;
    memcpy(text, host.start + is_six, length);
    text[length] = '\0';
    return inet_pton(is_six ? AF_INET6 : AF_INET, text, address) == 1;
}

static bool equals(Span a, Span b) {
    return a.length == b.length && strncasecmp(a.start, b.start, a.length) == 0;
}

static Span span_of(const char *text) {
    return (Span){text, strlen(text)};
}
