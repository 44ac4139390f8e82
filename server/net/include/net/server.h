// A server listens and carries messages between peers and its owner, on the owner's libuv loop. It knows
// neither JSON nor the simulation. All of it runs on the loop's thread. The process must ignore SIGPIPE (main
// does).
#pragma once

#include "net/buffer.h"
#include "net/connection.h"
#include "net/http.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <text/log_level.h>
#include <uv.h>

// What may wait for a peer that does not read, frames apart.
#define NET_MOST_UNREAD_MIB   16
#define NET_MOST_UNREAD_BYTES ((size_t)NET_MOST_UNREAD_MIB << 20)

// An error for people: one sentence without a full stop.
typedef struct NetError {
    char text[256];
} NetError;

// Start from net_default_server_options(). The addresses are used by net_server_listen, not after it.
typedef struct NetServerOptions {
    const char *tcp_host;  // IP literal or name (IPv4 before IPv6); NULL (default): no TCP
    uint16_t tcp_port;     // 0 (default): a free one
    bool loopback_only;    // refuse to listen on a TCP address that is not loopback; default true
    const char *http_host; // HTTP and WebSocket, likewise; NULL (default): none
    uint16_t http_port;
    // Host names by which browsers may reach the server, beside IP literals and localhost, and origins of
    // other pages that may connect to it, such as http://localhost:5173; [allowed_origin_count], each valid
    // by net_origin_is_valid. They outlive the server.
    const char *const *allowed_origins;
    size_t allowed_origin_count;
    const char *unix_path; // at most 107 bytes; NULL (default): no Unix socket
    unsigned max_clients;  // 256; clamped, with a warning, to what RLIMIT_NOFILE leaves, at least 1. Of more
                           // the oldest one without net_connection_trust makes room, with untrusted_ms > 0
    unsigned reserved_files; // 64 file descriptors stay free for other uses
    size_t max_message;      // 65536 bytes, without the newline
    size_t max_drain;       // 16 MiB of an over-long message are read and dropped, then the connection closes
    unsigned max_drain_ms;  // or after 10000 ms of it
    size_t untrusted_bytes; // bytes that a peer may send before net_connection_trust, newlines and frame
                            // headers included; 0 (default): any
    unsigned untrusted_ms;  // how long it may stay without net_connection_trust; 0 (default): for ever
    unsigned stall_ms;      // 5000: a socket that takes no byte for this long while data waits is closed
    unsigned finish_ms; // 2000: the same for a finishing one, and its whole time where the server is closing
    unsigned finish_most_ms;   // 10000: its whole time otherwise
    unsigned request_ms;       // 10000: how long an HTTP client may take to send a request's head
    unsigned keep_alive_ms;    // 30000: how long it may stay without a request
    unsigned ping_ms;          // 30000: a WebSocket that is silent for so long gets a ping, and for as long
                               // again is closed
    unsigned linger_ms;        // 500: how long the peer may take to close after our shutdown(2)
    size_t control_soft_limit; // 1 MiB of control data waiting: the peer is not read from
    size_t control_hard_limit; // NET_MOST_UNREAD_BYTES of it: the connection is closed. HTTP sends one
                               // response of any length
} NetServerOptions;

NetServerOptions net_default_server_options(void);

// The owner's callbacks. All but on_message may be NULL. The loop calls them, never a call of the owner. Each
// may use every function of connection.h and net_server_close.
typedef struct NetCallbacks {
    // A peer has connected. Its messages and on_close follow.
    void (*on_open)(NetConnection *connection);

    // One whole message, without its "\n" or "\r\n", with a NUL behind it. It may contain any byte but '\n',
    // NULs too. The callee may change the bytes, which are valid until it returns. Empty lines are left out.
    // A last line without '\n' is a message.
    void (*on_message)(NetConnection *connection, char *message, size_t length);

    // A message over max_message was dropped; once for each, in its place between the others.
    void (*on_too_long)(NetConnection *connection);

    // A connection beyond max_clients: a new one, or, after its on_close, the one that makes room for a new
    // one. The owner may send it one message, then it is finished. It gets no other callback from then on.
    void (*on_refused)(NetConnection *connection);

    // The socket has room and no control data waits: returns the next message to write, or NULL. The layer
    // takes over the reference. It is called as late as possible: return the newest state. Beyond what the
    // socket takes at once, one message is taken (or 16 KiB of them, the first time the socket fills up).
    NetBuffer *(*on_pull)(NetConnection *connection);

    // After send or wake, once for all calls since the last time: the kernel has everything and on_pull gave
    // NULL.
    void (*on_drained)(NetConnection *connection);

    // The peer sends nothing more: it shut down its sending side or, which looks the same, has gone. All its
    // messages have been given. Without this callback the connection is finished; with it the owner finishes
    // it, now or when the last answer is sent.
    void (*on_end)(NetConnection *connection);

    // A GET or HEAD request on the HTTP port. `out_response` is 404 without a body. Without this callback
    // that is the answer.
    void (*on_request)(NetServer *server, const NetHttpRequest *request, NetHttpResponse *out_response);

    // The last callback of a connection.
    void (*on_close)(NetConnection *connection, NetCloseReason reason);

    void (*on_log)(NetServer *server, TextLogLevel level, const char *text);
} NetCallbacks;

// `loop` outlives the server; `user` is the owner's. The server ends with net_server_close, also when it
// never listened. Returns NULL when memory runs out.
NetServer *net_server_create(uv_loop_t *loop, const NetServerOptions *options, const NetCallbacks *callbacks,
                             void *user);

// Binds and listens on all addresses of the options, or on none. The Unix socket has mode 0600 before anyone
// can reach it. A stale socket file is replaced; a live one is an error, and so is a file that is not a
// socket. False: `out_error`.
bool net_server_listen(NetServer *server, NetError *out_error);

// Whether this build has HTTP and WebSocket.
bool net_has_http(void);

// The bound ports; 0 without that listener or before net_server_listen.
uint16_t net_server_port(const NetServer *server);
uint16_t net_server_http_port(const NetServer *server);

// Connections between on_open and on_close, and the most there can be (max_clients as clamped).
unsigned net_server_client_count(const NetServer *server);
unsigned net_server_max_clients(const NetServer *server);

// The traffic of all connections so far, of HTTP requests as well; each response counts as one or two
// messages.
NetCounters net_server_counters(const NetServer *server);

// Why a peer is turned away. The server logs each reason at most once a second, as a warning with the number
// of peers that it left out.
typedef enum NetRefusal {
    NET_REFUSAL_REQUEST,  // a wrong HTTP request
    NET_REFUSAL_HOST,     // of an HTTP request
    NET_REFUSAL_ORIGIN,   // of a page that asked for a WebSocket
    NET_REFUSAL_PROTOCOL, // HTTP or TLS on the JSON port
    NET_REFUSAL_CLIENTS,  // max_clients
    NET_REFUSAL_STRANGER, // untrusted_bytes, untrusted_ms
    NET_REFUSAL_TOKEN,    // the owner's
    NET_REFUSAL_COUNT
} NetRefusal;
extern const char *const net_refusal_names[NET_REFUSAL_COUNT]; // "http_request", …

// How often so far.
uint64_t net_server_refusals(const NetServer *server, NetRefusal reason);

// NET_REFUSAL_COUNT: a connection that ends for this reason was not refused.
NetRefusal net_refusal_of(NetCloseReason reason);

void *net_server_user(const NetServer *server);

typedef void (*NetServerClosed)(void *user);

// Stops listening, removes the Unix socket's file and finishes every connection (finish_ms and linger_ms at
// most, so 2.6 s by default, half a second when no peer is slow). Then `on_closed` (may be NULL) is called
// with the server's user pointer, when nothing of the server is left on the loop and the server is freed. A
// second call, and NULL, do nothing.
void net_server_close(NetServer *server, NetServerClosed on_closed);
