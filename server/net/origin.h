// Which hosts and origins the server answers: a page of any site can have a browser send requests to a port
// on loopback, and by DNS rebinding even under the site's own name. Valid entries: net_origin_is_valid.
#pragma once

#include "net/http.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct NetOrigins {
    const char *const *names; // [count]
    size_t count;
} NetOrigins;

// Whether a Host header is an IP literal, localhost or the host of an entry; with any port.
bool net_host_is_allowed(const char *host, NetOrigins allowed);

// Whether an Origin header is the own one ("http://" and the request's Host), an entry, or http or https at
// an entry's host name, at any port.
bool net_origin_is_allowed(const char *origin, const char *host, NetOrigins allowed);
