// A connection from within the layer: its state, and the interface between it and the transport that carries
// its bytes.
#pragma once

#include "address.h"
#include "listener.h"
#include "net/connection.h"
#include "queue.h"

enum { NET_BATCH_COUNT = 32, NET_BATCH_BYTES = 16384 };

// A transport reads whole messages from the peer and writes whole buffers to it. Its own struct begins with
// the NetConnection. It reports through the functions below, but not after `close`.
typedef struct NetTransport {
    // Delivers held messages and continues reading, while net_connection_wants_messages.
    void (*resume)(NetConnection *connection);

    // Takes `count` buffers (at most NET_BATCH_COUNT), references included. 0: the kernel has them all.
    // Positive: the rest is kept and on its way, net_connection_written follows. Negative: a libuv error.
    int (*write)(NetConnection *connection, NetBuffer *const buffers[], size_t count);

    // Bytes kept and not yet taken by the kernel.
    size_t (*unsent)(const NetConnection *connection);

    // Whether the peer has announced its end, though some of its data may not be read yet.
    bool (*is_ended)(const NetConnection *connection);

    // Everything is written: shuts down the sending side; net_connection_shut follows. Then it reads and
    // drops until the peer ends. Negative: a libuv error.
    int (*shut_down)(NetConnection *connection);

    // Checks the transport's own time limits; `elapsed_ms` since the last call.
    void (*check)(NetConnection *connection, unsigned elapsed_ms);

    // Releases everything, frees the connection later and then calls net_server_released.
    void (*close)(NetConnection *connection);
} NetTransport;

typedef enum NetState {
    NET_STATE_OPEN,
    NET_STATE_FINISHING, // writes waiting data, reads nothing
    NET_STATE_SHUTTING,  // everything written, shutdown under way
    NET_STATE_LINGERING, // waits for the peer to close
    NET_STATE_CLOSED,    // marked; reaped by the server
} NetState;

// Whether the owner has a session for the connection.
typedef enum NetAdmission {
    NET_ADMISSION_PENDING, // an HTTP client, which may become a WebSocket
    NET_ADMISSION_REFUSED, // beyond max_clients
    NET_ADMISSION_OPENED,  // on_open was called
} NetAdmission;

struct NetConnection {
    NetServer *server;
    const NetTransport *transport;
    void *user;
    uint64_t id;
    NetState state;
    NetAdmission admission;
    NetCarrier carrier;
    bool is_trusted;          // the limits for untrusted peers do not apply
    bool has_ended;           // the peer will send nothing more
    bool is_writing;          // the transport keeps data that the socket did not take
    bool was_full;            // since everything was written last: frames go one at a time
    bool must_report_drained; // send or wake since the last on_drained
    bool must_resume;         // no reason is left: held messages are delivered
    bool is_ready;            // in the server's list of marked connections
    unsigned pause_reasons;   // bits of the owner; messages are held back while one is set
    bool is_over_limit;       // control data is over the soft limit
    NetQueue control;
    size_t untrusted_bytes; // taken so far, while not trusted
    unsigned untrusted_ms;
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

// Adds the connection to the server, not admitted yet.
void net_connection_begin(NetConnection *connection, NetServer *server, const NetTransport *transport);

// Calls on_open, or on_refused where there are max_clients already.
void net_connection_admit(NetConnection *connection);

// Whether the owner takes messages right now.
bool net_connection_wants_messages(const NetConnection *connection);

// From the transport: it takes that many bytes of the peer's, with newlines and frame headers; what they are
// is given next. False: too many before authentication, the connection is closed.
bool net_connection_count(NetConnection *connection, size_t bytes);

// Whether `bytes` that are not taken yet are too many; likewise.
bool net_connection_may_hold(NetConnection *connection, size_t bytes);

// From the transport: input of the peer.
void net_connection_received(NetConnection *connection, char *message, size_t length);
void net_connection_received_too_long(NetConnection *connection);
void net_connection_ended(NetConnection *connection);

// From the transport: libuv's status (0 or negative) of a pending write, of shut_down, of reading.
void net_connection_written(NetConnection *connection, int status);
void net_connection_shut(NetConnection *connection, int status);
void net_connection_failed(NetConnection *connection, int status);

// From the server: does the marked work, which may close the connection.
void net_connection_process(NetConnection *connection);
void net_connection_check(NetConnection *connection, unsigned elapsed_ms);
