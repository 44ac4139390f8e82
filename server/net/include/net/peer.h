// The client's end: one blocking connection to a server, without a loop.
#pragma once

#include "net/server.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct NetPeer NetPeer;

// `host` is an IP literal or a name, all of whose addresses are tried; may block as long as the system waits
// for an answer. NULL: `out_error`.
NetPeer *net_peer_connect_tcp(const char *host, uint16_t port, NetError *out_error);
NetPeer *net_peer_connect_unix(const char *path, NetError *out_error);

// NULL does nothing.
void net_peer_close(NetPeer *peer);

// From now on SIGINT and SIGTERM do not end the process: net_peer_read returns NET_PEER_SIGNAL.
void net_peer_hold_signals(NetPeer *peer);

// For poll(): readable when the server has sent data or closed the connection. Lines that were read together
// with an earlier one do not count: call net_peer_read until it returns NET_PEER_TIMEOUT first.
int net_peer_socket(const NetPeer *peer);

// False: `out_error`, and the connection is broken.
bool net_peer_send(NetPeer *peer, const char *bytes, size_t length, NetError *out_error);

typedef enum NetPeerEvent {
    NET_PEER_LINE,    // a whole line, without its end, NUL behind it; valid until the next call
    NET_PEER_TIMEOUT, // none came in time
    NET_PEER_SIGNAL,  // SIGINT or SIGTERM, after net_peer_hold_signals
    NET_PEER_ENDED,   // the server closed the connection; a line that was not whole is dropped
    NET_PEER_FAILED,  // `out_error`
} NetPeerEvent;

// Waits for the next line, `timeout_ms` at most; negative: without limit. `out_line` and `out_length` are set
// with NET_PEER_LINE, `out_error` with NET_PEER_FAILED.
NetPeerEvent net_peer_read(NetPeer *peer, int timeout_ms, char **out_line, size_t *out_length,
                           NetError *out_error);
