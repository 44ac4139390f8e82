// The rules of Host and Origin headers.

#include "http/origin.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

// A part of a text.
typedef struct Span {
    const char *start;
    size_t length;
} Span;

static Span host_of(const char *authority);
static Span entry_host(const char *entry);
static bool is_ip_literal(Span host);
static bool equals(Span span, const char *text, size_t length);
static const char *skip_scheme(const char *origin);

bool net_host_is_allowed(const char *host, NetOrigins allowed) {
    const Span name = host_of(host);
    if (name.length == 0) return false;
    if (is_ip_literal(name) || equals(name, "localhost", 9)) return true;
    for (size_t i = 0; i < allowed.count; i++) {
        const Span entry = entry_host(allowed.names[i]);
        if (equals(name, entry.start, entry.length)) return true;
    }
    return false;
}

bool net_origin_is_allowed(const char *origin, const char *host, NetOrigins allowed) {
    const char *authority = skip_scheme(origin);
    if (!authority) return false; // such as "null"
    if (strncasecmp(origin, "http://", 7) == 0 && strcasecmp(authority, host) == 0) return true;
    const Span name = host_of(authority);
    for (size_t i = 0; i < allowed.count; i++) {
        const char *entry = allowed.names[i];
        if (strcasecmp(origin, entry) == 0) return true;
        if (!strstr(entry, "://") && equals(name, entry, strlen(entry))) return true;
    }
    return false;
}

// Without a port; empty where the text is no host with or without one.
static Span host_of(const char *authority) {
    const char *end = authority + strcspn(authority, ":");
    if (authority[0] == '[') {
        end = strchr(authority, ']');
        if (!end) return (Span){0};
        end++;
    }
    const bool has_port = *end == ':';
    const char *port = end + has_port;
    if (strspn(port, "0123456789") != strlen(port) || (!has_port && *port)) return (Span){0};
    return (Span){authority, (size_t)(end - authority)};
}

static Span entry_host(const char *entry) {
    const char *authority = skip_scheme(entry);
    return host_of(authority ? authority : entry);
}

static bool is_ip_literal(Span host) {
    char text[INET6_ADDRSTRLEN];
    unsigned char address[sizeof(struct in6_addr)];
    const bool is_six = host.start[0] == '[';
    const size_t length = is_six ? host.length - 2 : host.length;
    if (length >= sizeof text) return false;
    memcpy(text, host.start + is_six, length);
    text[length] = '\0';
    return inet_pton(is_six ? AF_INET6 : AF_INET, text, address) == 1;
}

static bool equals(Span span, const char *text, size_t length) {
    return span.length == length && strncasecmp(span.start, text, length) == 0;
}

// What follows http:// or https://; NULL where it begins with neither.
static const char *skip_scheme(const char *origin) {
    if (strncasecmp(origin, "http://", 7) == 0) return origin + 7;
    if (strncasecmp(origin, "https://", 8) == 0) return origin + 8;
    return NULL;
}
