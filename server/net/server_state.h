// The state of a server, which its listeners and connections share.
#pragma once

#include "listener.h"
#include "net/server.h"

typedef enum NetListenerKind {
    NET_LISTENER_TCP,
    NET_LISTENER_HTTP,
    NET_LISTENER_UNIX,
    NET_LISTENER_COUNT
} NetListenerKind;

// Of one reason.
typedef struct NetRefusals {
    uint64_t count;
    uint64_t quiet_until_ms; // nothing is logged before
    unsigned left_out;       // of the log since then
} NetRefusals;

struct NetServer {
    uv_loop_t *loop;
    NetServerOptions options;
    NetCallbacks callbacks;
    void *user;

    NetListener listeners[NET_LISTENER_COUNT];
    NetConnection *connections;               // all, newest first
    NetConnection *first_ready, **last_ready; // marked ones, in order
    unsigned client_count;                    // opened and not closed
    unsigned refused_count;
    unsigned pending_count; // HTTP clients without a session
    uint64_t last_id;
    NetCounters counters; // of the connections that have ended
    NetRefusals refusals[NET_REFUSAL_COUNT];
    int file_limit; // RLIMIT_NOFILE as it was at the start

    uv_idle_cb on_idle; // processes marked connections
    uv_idle_t idle;     // active while a connection is marked, so that the loop does not wait
    uv_check_t check;   // after each poll: processes marked connections
    uv_timer_t timer;   // time limits
    uint64_t last_check_ms;
    uint64_t quiet_until_ms; // no warning about few file descriptors before

    unsigned open_handles; // libuv handles that are not closed yet, connections' included
    bool is_closing;
    NetServerClosed on_closed;
    char *read_buffer; // shared by all connections: it is consumed at once
};

enum { NET_READ_BUFFER_SIZE = 65536 };

void net_counters_add(NetCounters *sum, const NetCounters *counters);

// A handle is closed and its memory freed. The last one frees the server.
void net_server_released(NetServer *server);

// Counts a peer that is turned away, and logs it unless the same reason was logged less than a second ago.
// The text names the peer.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void net_server_refuse(NetServer *server, NetRefusal reason, const char *format, ...);

// Logs how many were left out, where a second is over.
void net_server_report_refusals(NetServer *server);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void net_server_log(NetServer *server, TextLogLevel level, const char *format, ...);
