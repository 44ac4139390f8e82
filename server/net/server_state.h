#pragma once
// The state of a server, which its listeners and connections share.

#include "listener.h"
#include "net/server.h"

enum { NET_LISTENER_COUNT = 2 };

struct NetServer {
    uv_loop_t *loop;
    NetServerOptions options;
    NetCallbacks callbacks;
    void *user;

    NetListener listeners[NET_LISTENER_COUNT];
    NetConnection *connections;               // all, newest first
    NetConnection *first_ready, **last_ready; // those with something to do, in order
    unsigned client_count;                    // opened and not closed
    unsigned refused_count;
    uint64_t last_id;
    int file_limit; // RLIMIT_NOFILE as it was at the start

    uv_idle_cb on_idle; // does what is marked
    uv_idle_t idle;     // runs while something is ready, so that the loop does not wait
    uv_check_t check;   // after each round of I/O: does what the callbacks marked
    uv_timer_t timer;   // time limits
    uint64_t last_check_ms;
    uint64_t quiet_until_ms; // no further warning of few file descriptors before

    unsigned open_handles; // libuv handles that are not closed yet, connections' included
    bool is_closing;
    NetServerClosed on_closed;
    char *read_buffer; // shared: libuv fills it and has it read in one go
};

enum { NET_READ_BUFFER_SIZE = 65536 };

// The connection is looked at after the running callback.
void net_server_mark_ready(NetServer *server, NetConnection *connection);

// A connection's memory is gone / any other handle is closed.
void net_server_released(NetServer *server);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void net_server_log(NetServer *server, TextLogLevel level, const char *format, ...);
