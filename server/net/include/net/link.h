// A connection to another server on the loop: lines come in, lines go out.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

typedef struct NetLink NetLink;

typedef struct NetLinkCallbacks {
    // A whole line without its end, with a NUL behind it; the callee may change it. The link may be closed
    // in it.
    void (*on_line)(void *user, char *line, size_t length);
    // It could not be made, or has ended; `why` is for people. No other callback follows. Close it all the
    // same.
    void (*on_end)(void *user, const char *why);
} NetLinkCallbacks;

// Begins to connect to a name or an IP literal. Returns NULL when memory runs out.
NetLink *net_link_open(uv_loop_t *loop, const char *host, uint16_t port, const NetLinkCallbacks *callbacks,
                       void *user);

// Sends a copy of some lines, now or as soon as there is a connection.
void net_link_send(NetLink *link, const char *lines, size_t length);

// No callback follows. NULL does nothing.
void net_link_close(NetLink *link);
