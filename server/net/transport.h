#pragma once
// A connection from within the layer: its state, and the interface between it and the transport that carries
// its bytes.

#include "address.h"
#include "listener.h"
#include "net/connection.h"
#include "queue.h"

enum { NET_BATCH_COUNT = 32, NET_BATCH_BYTES = 16384 };

// What carries bytes. A transport gives whole messages in and takes whole buffers out; its own struct begins
// with the NetConnection. It reports through the functions below, and never after `close`.
typedef struct NetTransport {
    // Gives on what it holds and goes on reading, as long as net_connection_wants_messages.
    void (*resume)(NetConnection *connection);

    // Takes `count` buffers (at most NET_BATCH_COUNT), references included. 0: the kernel has them all.
    // Positive: the rest is kept and on its way, net_connection_written follows. Negative: a libuv error.
    int (*write)(NetConnection *connection, NetBuffer *const buffers[], size_t count);

    // Bytes kept and on their way.
    size_t (*unsent)(const NetConnection *connection);

    // Whether the peer has said that it sends nothing more, though much of what it sent may not be read yet.
    bool (*is_ended)(const NetConnection *connection);

    // All is written: tells the peer so; net_connection_shut follows. Then it reads and drops until the peer
    // ends. Negative: a libuv error.
    int (*shut_down)(NetConnection *connection);

    // Once in a while: `elapsed_ms` have passed; the transport's own time limits.
    void (*check)(NetConnection *connection, unsigned elapsed_ms);

    // Lets go of everything, frees the connection later and says so to the server (net_server_released).
    void (*close)(NetConnection *connection);
} NetTransport;

typedef enum NetState {
    NET_STATE_OPEN,
    NET_STATE_FINISHING, // writes what waits, reads nothing
    NET_STATE_SHUTTING,  // everything written, shutdown under way
    NET_STATE_LINGERING, // waits for the peer to close
    NET_STATE_CLOSED,    // marked; reaped by the server
} NetState;

struct NetConnection {
    NetServer *server;
    const NetTransport *transport;
    void *user;
    uint64_t id;
    NetState state;
    bool is_refused;    // one too many: no session of the owner's
    bool is_trusted;    // the limits of strangers do not count
    bool has_ended;     // the peer will send nothing more
    bool is_writing;    // the transport keeps what the socket did not take
    bool was_full;      // since the outbox was empty last: only one frame at a time now
    bool owes_drained;  // send or wake since the last on_drained
    bool must_resume;   // no hold is left: what is held back goes on
    bool is_ready;      // in the server's list of those with something to do
    unsigned holders;   // the owner's reasons to hold messages back
    bool is_over_limit; // the layer's: over the soft limit
    NetQueue control;
    size_t stranger_bytes; // of messages so far, while not trusted
    unsigned stranger_ms;
    size_t last_unsent;
    unsigned idle_ms; // how long the socket took nothing, or a lingering or finishing connection has waited
    unsigned finishing_ms;
    NetCounters counters;
    NetConnection *previous, *next; // all of the server's
    NetConnection *next_ready;
    char address[NET_ADDRESS_LENGTH];
    NetCloseReason reason;
    int status; // libuv's, where the reason is NET_CLOSE_FAILED
};

// Makes the transport's memory a connection of the server: counted, listed, and announced to the owner.
void net_connection_begin(NetConnection *connection, NetServer *server, const NetTransport *transport);

// Whether the owner takes messages right now.
bool net_connection_wants_messages(const NetConnection *connection);

// From the transport: what came in.
void net_connection_received(NetConnection *connection, char *message, size_t length);
void net_connection_received_too_long(NetConnection *connection);
void net_connection_ended(NetConnection *connection);

// From the transport: so many bytes are held of a message that is not whole.
void net_connection_holds(NetConnection *connection, size_t bytes);

// From the transport: libuv's word (0 or negative) on a pending write, on shut_down, on reading.
void net_connection_written(NetConnection *connection, int status);
void net_connection_shut(NetConnection *connection, int status);
void net_connection_failed(NetConnection *connection, int status);

// From the server: does what was marked. Then the connection may be on its way out.
void net_connection_process(NetConnection *connection);
void net_connection_check(NetConnection *connection, unsigned elapsed_ms);

// The transport of NDJSON over a stream socket, TCP or Unix (stream.c): accepts the peer that waits at the
// listener and begins its connection; a failure is logged. False: out of memory, the peer goes on waiting.
bool net_stream_accept(NetServer *server, NetListener *listener);
