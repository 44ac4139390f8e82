// A listening socket: a TCP port or a Unix socket.
#pragma once

#include "net/server.h"

#include <sys/types.h>
#include <uv.h>

// Of a listener or a connection.
typedef union NetHandle {
    uv_handle_t any;
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
} NetHandle;

typedef struct NetListener NetListener;
typedef struct NetCodec NetCodec; // stream.h

// NDJSON (lines.c), and HTTP with WebSocket (http/).
extern const NetCodec net_lines_codec, net_http_codec;

// A peer waits at the listener: accept it, or set is_waiting and do so later.
typedef void (*NetPeerWaits)(NetListener *listener);

struct NetListener {
    NetHandle handle;
    NetServer *server;
    const NetCodec *codec; // of its connections
    NetPeerWaits on_peer;
    bool is_open;
    bool is_unix;
    bool is_waiting; // libuv holds a peer that is not accepted yet, and listens no further
    uint16_t port;   // TCP's, as bound
    char *unix_path; // the file to remove, with its identity
    dev_t unix_device;
    ino_t unix_inode;
};

// Binds and listens. The server, the codec and on_peer are set. False: `out_error`, and the listener is
// closed or was never open.
bool net_listener_open_tcp(NetListener *listener, const char *host, uint16_t port, NetError *out_error);
bool net_listener_open_unix(NetListener *listener, const char *path, NetError *out_error);

// Stops listening and removes the Unix socket's file, if it is still the one bound. Does nothing when not
// open.
void net_listener_close(NetListener *listener);
