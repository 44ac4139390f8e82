// One peer over any transport. A connection reports to its owner through NetCallbacks (net/server.h).
//
// No function here calls back. Each only marks the connection, and the server does the work after the running
// loop callback. A reply may therefore be sent, or a connection closed, at any point, also during a broadcast
// over all connections. A NetConnection * is valid from its on_open (or on_refused) until its on_close
// returns.
#pragma once

#include "net/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct NetServer NetServer;
typedef struct NetConnection NetConnection;

// Why a connection ends. net_connection_close_text has a text for each.
typedef enum NetCloseReason {
    NET_CLOSE_FINISHED, // by its owner, in order
    NET_CLOSE_BY_PEER,
    NET_CLOSE_RESET,  // by the peer, with data on its way
    NET_CLOSE_FAILED, // the system reported another error
    NET_CLOSE_STOPPING,
    NET_CLOSE_TOO_MANY_CLIENTS,
    NET_CLOSE_OUT_OF_MEMORY,
    NET_CLOSE_HTTP,            // its first line is an HTTP request's
    NET_CLOSE_TLS,             // its first byte is that of a TLS handshake
    NET_CLOSE_ENDLESS_MESSAGE, // max_drain or max_drain_ms
    NET_CLOSE_LONG_BATCH,      // the owner's: the answers to a batch are too long
    NET_CLOSE_STALLED,         // stall_ms
    NET_CLOSE_UNREAD,          // control_hard_limit
    NET_CLOSE_SLOW_QUEUE,      // the owner's: too much waits under the policy queue
    NET_CLOSE_UNTRUSTED_BYTES, // untrusted_bytes
    NET_CLOSE_UNTRUSTED_TIME,  // untrusted_ms
    NET_CLOSE_WRONG_TOKEN,     // the owner's
    NET_CLOSE_UNMASKED,        // a WebSocket's frame
    NET_CLOSE_RESERVED,        // bits or opcode of a WebSocket's frame
    NET_CLOSE_FRAGMENTS,       // of a WebSocket's message
    NET_CLOSE_BAD_LENGTH,      // of a WebSocket's frame, or a control frame in fragments
    NET_CLOSE_BAD_CODE,        // in a WebSocket's close frame
    NET_CLOSE_NOT_UTF8,        // a WebSocket's text
    NET_CLOSE_BINARY,          // a WebSocket's message
    NET_CLOSE_NO_ANSWER,       // to a WebSocket's ping
} NetCloseReason;

// The traffic so far. A sent message is counted when the kernel has all of it, bytes as the kernel takes
// them.
typedef struct NetCounters {
    uint64_t messages_received;
    uint64_t bytes_received;
    uint64_t messages_sent;
    uint64_t bytes_sent;
} NetCounters;

NetServer *net_connection_server(const NetConnection *connection);

// 1, 2, 3, … in order of arrival; never used twice in a server's life.
uint64_t net_connection_id(const NetConnection *connection);

typedef enum NetCarrier { NET_TCP, NET_UNIX, NET_WEBSOCKET, NET_CARRIER_COUNT } NetCarrier;
extern const char *const net_carrier_names[NET_CARRIER_COUNT]; // "tcp", "unix", "websocket"

NetCarrier net_connection_carrier(const NetConnection *connection);

// The peer for people: "127.0.0.1:40312", "[::1]:40312" or "unix".
const char *net_connection_address(const NetConnection *connection);

// The owner's pointer; NULL at first.
void net_connection_set_user(NetConnection *connection, void *user);
void *net_connection_user(const NetConnection *connection);

// Queues one message of control data. Messages arrive in order and are never dropped while the connection
// lives.
// - The buffer is one whole message and ends with '\n', which a WebSocket leaves out. The connection adds a
//   reference of its own.
// - Past the soft limit the peer is not read from until half of it is written.
// - Past the hard limit the connection is closed.
// - A NULL buffer (out of memory where it was made) closes the connection, since a message is lost.
// - After finish and close it does nothing.
void net_connection_send(NetConnection *connection, NetBuffer *buffer);

// Announces data to pull: on_pull follows as soon as the control queue is empty and the socket has room.
void net_connection_wake(NetConnection *connection);

// Bytes that wait in the server for the kernel to take them: control data and what is being written.
size_t net_connection_queued_bytes(const NetConnection *connection);

// Whether the peer has shut down its sending side or, which looks the same, has gone. It may be true before
// on_end, while messages of the peer are held back.
bool net_connection_is_ended(const NetConnection *connection);

NetCounters net_connection_counters(const NetConnection *connection);

// Lifts the limits for untrusted peers (untrusted_bytes, untrusted_ms): the peer has authenticated.
void net_connection_trust(NetConnection *connection);

// Holds messages back from now on, also those that have been read already: a consumer may stop in the middle
// of a packet of a thousand. `reasons` is a set of bits, one for each reason of the owner. Messages are
// delivered again when no bit is left and the soft limit allows it. Pausing twice for one reason is the same
// as once. While paused the layer reads a few KiB ahead, to notice when a silent peer leaves.
void net_connection_pause_reading(NetConnection *connection, unsigned reasons);
void net_connection_resume_reading(NetConnection *connection, unsigned reasons);

// Ends the connection in order. No more messages come in; the queue and one last round of pulls (until
// on_pull gives NULL) go out; then shutdown(2), and the end when the peer has closed as well. on_close gives
// `reason`. A peer that reads nothing for finish_ms, or not all within finish_most_ms, is closed.
void net_connection_finish(NetConnection *connection, NetCloseReason reason);

// Ends the connection now; waiting data is lost. on_close follows with `reason`, or with that of an earlier
// net_connection_finish.
void net_connection_close(NetConnection *connection, NetCloseReason reason);

// Why it ended, for people, such as "closed by the peer". For on_close.
const char *net_connection_close_text(const NetConnection *connection);
