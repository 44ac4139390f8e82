// The state of a connection: its outgoing queue, held-back input and end, which comes early where its peer is
// slow. The public functions only mark the connection; net_connection_process does the work later.

#include "net/connection.h"

#include "server_state.h"
#include "transport.h"

// The text of a constant: "16 MiB".
#define MIB(number)      MIB_TEXT(number)
#define MIB_TEXT(number) #number " MiB"

// Writes in a row, before other connections get their turn.
enum { WRITES_IN_A_ROW = 16 };

const char *const net_carrier_names[NET_CARRIER_COUNT] = {"tcp", "unix", "websocket"};

static NetConnection *oldest_stranger(const NetServer *server);
static void refuse(NetConnection *connection);
static void mark_ready(NetConnection *connection);
static void update_reading(NetConnection *connection);
static void write_waiting(NetConnection *connection);
static size_t gather(NetConnection *connection, NetBuffer *out_batch[]);
static NetBuffer *pull(NetConnection *connection);
static void finish_writing(NetConnection *connection);
static void reap(NetConnection *connection);
static bool check_peer(NetConnection *connection, unsigned elapsed_ms, NetCloseReason *out_reason);
static bool check_untrusted(NetConnection *connection, unsigned elapsed_ms);
static bool check_finishing(NetConnection *connection, unsigned elapsed_ms);

NetServer *net_connection_server(const NetConnection *connection) {
    return connection->server;
}

uint64_t net_connection_id(const NetConnection *connection) {
    return connection->id;
}

NetCarrier net_connection_carrier(const NetConnection *connection) {
    return connection->carrier;
}

const char *net_connection_address(const NetConnection *connection) {
    return connection->address;
}

void net_connection_set_user(NetConnection *connection, void *user) {
    connection->user = user;
}

void *net_connection_user(const NetConnection *connection) {
    return connection->user;
}

bool net_connection_is_ended(const NetConnection *connection) {
    return connection->has_ended || connection->transport->is_ended(connection);
}

NetCounters net_connection_counters(const NetConnection *connection) {
    return connection->counters;
}

// The limit is of what waits already: one line may be longer.
void net_connection_send(NetConnection *connection, NetBuffer *buffer) {
    if (connection->state != NET_STATE_OPEN) return;
    const size_t waiting = net_connection_queued_bytes(connection);
    if (!buffer || !net_queue_push(&connection->control, buffer)) {
        net_connection_close(connection, NET_CLOSE_OUT_OF_MEMORY);
        return;
    }
    if (connection->admission == NET_ADMISSION_OPENED &&
        waiting > connection->server->options.control_hard_limit) {
        net_connection_close(connection, NET_CLOSE_UNREAD);
        return;
    }
    update_reading(connection);
    net_connection_wake(connection);
}

void net_connection_wake(NetConnection *connection) {
    if (connection->state != NET_STATE_OPEN) return;
    connection->must_report_drained = true;
    mark_ready(connection);
}

size_t net_connection_queued_bytes(const NetConnection *connection) {
    return connection->control.bytes +
           (connection->is_writing ? connection->transport->unsent(connection) : 0);
}

void net_connection_trust(NetConnection *connection) {
    connection->is_trusted = true;
}

void net_connection_pause_reading(NetConnection *connection, unsigned reasons) {
    connection->pause_reasons |= reasons;
}

void net_connection_resume_reading(NetConnection *connection, unsigned reasons) {
    bool was_held = connection->pause_reasons != 0;
    connection->pause_reasons &= ~reasons;
    if (!was_held || connection->pause_reasons != 0 || connection->state != NET_STATE_OPEN) return;
    connection->must_resume = true;
    mark_ready(connection);
}

void net_connection_finish(NetConnection *connection, NetCloseReason reason) {
    if (connection->state != NET_STATE_OPEN) return;
    connection->state = NET_STATE_FINISHING;
    connection->idle_ms = 0;
    connection->reason = reason;
    mark_ready(connection);
}

void net_connection_close(NetConnection *connection, NetCloseReason reason) {
    if (connection->state == NET_STATE_CLOSED) return;
    if (connection->state == NET_STATE_OPEN) connection->reason = reason;
    connection->state = NET_STATE_CLOSED;
    mark_ready(connection);
}

const char *net_connection_close_text(const NetConnection *connection) {
    static const char *const texts[] = {
        [NET_CLOSE_FINISHED] = "finished",
        [NET_CLOSE_BY_PEER] = "closed by the peer",
        [NET_CLOSE_RESET] = "connection reset by peer",
        [NET_CLOSE_STOPPING] = "the server is stopping",
        [NET_CLOSE_TOO_MANY_CLIENTS] = "too many clients",
        [NET_CLOSE_OUT_OF_MEMORY] = "out of memory",
        [NET_CLOSE_HTTP] = "an HTTP request on the JSON port",
        [NET_CLOSE_TLS] = "TLS on the JSON port",
        [NET_CLOSE_ENDLESS_MESSAGE] = "an over-long message did not end",
        [NET_CLOSE_LONG_BATCH] = "the answers to a batch take more than " MIB(NET_MOST_UNREAD_MIB),
        [NET_CLOSE_STALLED] = "the peer does not read",
        [NET_CLOSE_UNREAD] = "more than " MIB(NET_MOST_UNREAD_MIB) " of unread replies",
        [NET_CLOSE_SLOW_QUEUE] = "it reads too slowly for the policy queue",
        [NET_CLOSE_UNTRUSTED_BYTES] = "too many bytes before authentication",
        [NET_CLOSE_UNTRUSTED_TIME] = "no authentication in time",
        [NET_CLOSE_WRONG_TOKEN] = "it gave a wrong token",
        [NET_CLOSE_UNMASKED] = "a WebSocket frame is not masked",
        [NET_CLOSE_RESERVED] = "a WebSocket frame has a reserved bit or opcode",
        [NET_CLOSE_FRAGMENTS] = "a WebSocket message's fragments are out of order",
        [NET_CLOSE_BAD_LENGTH] = "a WebSocket frame's length is wrong, or a control frame is in fragments",
        [NET_CLOSE_BAD_CODE] = "a WebSocket close frame has a wrong code",
        [NET_CLOSE_NOT_UTF8] = "a WebSocket text is not UTF-8",
        [NET_CLOSE_BINARY] = "a WebSocket message is binary",
        [NET_CLOSE_NO_ANSWER] = "no answer to a WebSocket ping",
    };
    if (connection->reason == NET_CLOSE_FAILED) return uv_strerror(connection->status);
    return texts[connection->reason];
}

void net_connection_begin(NetConnection *connection, NetServer *server, const NetTransport *transport) {
    connection->server = server;
    connection->transport = transport;
    connection->id = ++server->last_id;
    connection->next = server->connections;
    if (connection->next) connection->next->previous = connection;
    server->connections = connection;
    server->pending_count++;
}

void net_connection_admit(NetConnection *connection) {
    NetServer *server = connection->server;
    server->pending_count--;
    if (server->client_count >= server->options.max_clients) {
        NetConnection *stranger = oldest_stranger(server);
        refuse(stranger ? stranger : connection);
        if (!stranger) return;
    }
    connection->admission = NET_ADMISSION_OPENED;
    server->client_count++;
    if (server->callbacks.on_open) server->callbacks.on_open(connection);
}

bool net_connection_wants_messages(const NetConnection *connection) {
    return connection->state == NET_STATE_OPEN && connection->pause_reasons == 0 &&
           !connection->is_over_limit;
}

bool net_connection_count(NetConnection *connection, size_t bytes) {
    if (!net_connection_may_hold(connection, bytes)) return false;
    if (!connection->is_trusted) connection->untrusted_bytes += bytes;
    return true;
}

bool net_connection_may_hold(NetConnection *connection, size_t bytes) {
    const size_t limit = connection->server->options.untrusted_bytes;
    if (connection->is_trusted || limit == 0 || connection->untrusted_bytes + bytes <= limit) return true;
    net_connection_close(connection, NET_CLOSE_UNTRUSTED_BYTES);
    return false;
}

void net_connection_received(NetConnection *connection, char *message, size_t length) {
    connection->counters.messages_received++;
    connection->server->callbacks.on_message(connection, message, length);
}

void net_connection_received_too_long(NetConnection *connection) {
    if (connection->server->callbacks.on_too_long) connection->server->callbacks.on_too_long(connection);
}

void net_connection_ended(NetConnection *connection) {
    if (connection->has_ended) return;
    connection->has_ended = true;
    if (connection->state == NET_STATE_LINGERING) {
        net_connection_close(connection, NET_CLOSE_FINISHED);
    } else if (connection->state != NET_STATE_OPEN) {
        return; // waiting data is still written
    } else if (connection->admission == NET_ADMISSION_OPENED && connection->server->callbacks.on_end) {
        connection->server->callbacks.on_end(connection);
    } else {
        net_connection_finish(connection, NET_CLOSE_BY_PEER);
    }
}

void net_connection_written(NetConnection *connection, int status) {
    connection->is_writing = false;
    connection->idle_ms = 0;
    update_reading(connection);
    if (status < 0) net_connection_failed(connection, status);
    mark_ready(connection);
}

void net_connection_shut(NetConnection *connection, int status) {
    if (connection->state != NET_STATE_SHUTTING) return;
    connection->state = NET_STATE_LINGERING;
    connection->idle_ms = 0;
    if (status < 0 || connection->has_ended) net_connection_close(connection, NET_CLOSE_FINISHED);
}

void net_connection_failed(NetConnection *connection, int status) {
    if (connection->state == NET_STATE_OPEN) connection->status = status;
    net_connection_close(connection, status == UV_EPIPE        ? NET_CLOSE_BY_PEER
                                     : status == UV_ECONNRESET ? NET_CLOSE_RESET
                                                               : NET_CLOSE_FAILED);
}

void net_connection_process(NetConnection *connection) {
    if (connection->state == NET_STATE_CLOSED) {
        reap(connection);
        return; // a connection closed below is marked again, and reaped with nothing of it on the stack
    }
    if (connection->must_resume && connection->state == NET_STATE_OPEN) {
        connection->must_resume = false;
        connection->transport->resume(connection);
    }
    if (connection->state == NET_STATE_OPEN || connection->state == NET_STATE_FINISHING)
        write_waiting(connection);
}

void net_connection_check(NetConnection *connection, unsigned elapsed_ms) {
    NetCloseReason reason;
    if (!check_peer(connection, elapsed_ms, &reason)) net_connection_close(connection, reason);
    connection->transport->check(connection, elapsed_ms);
}

// NULL: all have authenticated, need not, or are ending.
static NetConnection *oldest_stranger(const NetServer *server) {
    NetConnection *oldest = NULL;
    if (server->options.untrusted_ms == 0) return NULL;
    for (NetConnection *connection = server->connections; connection; connection = connection->next)
        if (connection->admission == NET_ADMISSION_OPENED && connection->state == NET_STATE_OPEN &&
            !connection->is_trusted)
            oldest = connection;
    return oldest;
}

static void refuse(NetConnection *connection) {
    NetServer *server = connection->server;
    connection->reason = NET_CLOSE_TOO_MANY_CLIENTS;
    if (connection->admission == NET_ADMISSION_OPENED) {
        server->client_count--;
        if (server->callbacks.on_close) server->callbacks.on_close(connection, connection->reason);
    }
    connection->admission = NET_ADMISSION_REFUSED;
    server->refused_count++;
    if (server->callbacks.on_refused) server->callbacks.on_refused(connection);
    net_connection_finish(connection, NET_CLOSE_TOO_MANY_CLIENTS);
}

// Has the server process the connection after the running callback.
static void mark_ready(NetConnection *connection) {
    NetServer *server = connection->server;
    if (connection->is_ready) return;
    connection->is_ready = true;
    *server->last_ready = connection;
    server->last_ready = &connection->next_ready;
    uv_idle_start(&server->idle, server->on_idle);
}

// Holds messages back while more bytes wait than the soft limit, until half of them are written.
static void update_reading(NetConnection *connection) {
    const size_t limit = connection->server->options.control_soft_limit;
    const size_t waiting = net_connection_queued_bytes(connection);
    if (waiting > limit) connection->is_over_limit = true;
    if (waiting > limit / 2 || !connection->is_over_limit) return;
    connection->is_over_limit = false;
    connection->must_resume = true;
    mark_ready(connection);
}

// Hands the waiting data to the transport, as much at a time as the socket is likely to take, until it is
// full.
static void write_waiting(NetConnection *connection) {
    for (int round = 0; !connection->is_writing && connection->state != NET_STATE_CLOSED; round++) {
        if (round == WRITES_IN_A_ROW) {
            mark_ready(connection);
            return;
        }
        NetBuffer *batch[NET_BATCH_COUNT];
        size_t count = gather(connection, batch);
        if (count == 0) {
            finish_writing(connection);
            return;
        }
        int status = connection->transport->write(connection, batch, count);
        if (status > 0) connection->is_writing = connection->was_full = true;
        if (status < 0) net_connection_failed(connection, status);
        update_reading(connection);
    }
}

// Control data first. Small frames of many characters go out in one write. After the socket was full, frames
// are written one at a time, so that each is as new as possible.
static size_t gather(NetConnection *connection, NetBuffer *out_batch[]) {
    size_t count = 0;
    size_t bytes = 0;
    while (count < NET_BATCH_COUNT && bytes < NET_BATCH_BYTES) {
        NetBuffer *buffer = net_queue_pop(&connection->control);
        if (!buffer && count > 0 && connection->was_full) break;
        if (!buffer) buffer = pull(connection);
        if (!buffer) break;
        out_batch[count++] = buffer;
        bytes += net_buffer_length(buffer);
    }
    return count;
}

static NetBuffer *pull(NetConnection *connection) {
    const NetCallbacks *callbacks = &connection->server->callbacks;
    if (!callbacks->on_pull || connection->admission != NET_ADMISSION_OPENED) return NULL;
    return callbacks->on_pull(connection);
}

static void finish_writing(NetConnection *connection) {
    connection->was_full = false;
    if (connection->state == NET_STATE_CLOSED) return; // by on_pull
    if (connection->control.count > 0) return;         // likewise; the connection is marked ready
    if (connection->state == NET_STATE_FINISHING) {
        connection->state = NET_STATE_SHUTTING;
        int status = connection->transport->shut_down(connection);
        if (status < 0) net_connection_failed(connection, status);
    } else if (connection->must_report_drained) {
        connection->must_report_drained = false;
        if (connection->admission == NET_ADMISSION_OPENED && connection->server->callbacks.on_drained)
            connection->server->callbacks.on_drained(connection);
    }
}

// Reports the end to the owner, then closes the transport.
static void reap(NetConnection *connection) {
    NetServer *server = connection->server;
    if (connection->previous) connection->previous->next = connection->next;
    if (connection->next) connection->next->previous = connection->previous;
    if (server->connections == connection) server->connections = connection->next;
    net_queue_finish(&connection->control);
    net_counters_add(&server->counters, &connection->counters);
    const NetRefusal refusal = net_refusal_of(connection->reason);
    if (refusal != NET_REFUSAL_COUNT)
        net_server_refuse(server, refusal, "%s: %s", connection->address,
                          net_connection_close_text(connection));
    if (connection->admission == NET_ADMISSION_PENDING) {
        server->pending_count--;
    } else if (connection->admission == NET_ADMISSION_REFUSED) {
        server->refused_count--;
    } else {
        server->client_count--;
        if (server->callbacks.on_close) server->callbacks.on_close(connection, connection->reason);
    }
    connection->transport->close(connection);
}

// Adds the elapsed time. False with the reason if the connection must be closed: its peer does not read, has
// not authenticated in time, or takes too long to end.
static bool check_peer(NetConnection *connection, unsigned elapsed_ms, NetCloseReason *out_reason) {
    const NetServerOptions *options = &connection->server->options;
    size_t unsent = connection->is_writing ? connection->transport->unsent(connection) : 0;
    bool has_moved = unsent != connection->last_unsent;
    connection->last_unsent = unsent;
    bool is_waiting = !has_moved && (unsent > 0 || connection->state != NET_STATE_OPEN);
    connection->idle_ms = is_waiting ? connection->idle_ms + elapsed_ms : 0;

    *out_reason = NET_CLOSE_FINISHED;
    switch (connection->state) {
    case NET_STATE_OPEN:
        *out_reason = NET_CLOSE_UNTRUSTED_TIME;
        if (!check_untrusted(connection, elapsed_ms)) return false;
        *out_reason = NET_CLOSE_STALLED;
        return connection->idle_ms < options->stall_ms;
    case NET_STATE_FINISHING:
    case NET_STATE_SHUTTING:
        return check_finishing(connection, elapsed_ms);
    case NET_STATE_LINGERING:
        return connection->idle_ms < options->linger_ms;
    case NET_STATE_CLOSED:
        break;
    }
    return true;
}

static bool check_untrusted(NetConnection *connection, unsigned elapsed_ms) {
    const unsigned limit = connection->server->options.untrusted_ms;
    if (connection->is_trusted || connection->admission != NET_ADMISSION_OPENED || limit == 0) return true;
    connection->untrusted_ms += elapsed_ms;
    return connection->untrusted_ms < limit;
}

// The queue may be long and the peer slow, but the peer may not stay for ever, or keep the server from
// ending.
static bool check_finishing(NetConnection *connection, unsigned elapsed_ms) {
    const NetServerOptions *options = &connection->server->options;
    const unsigned most_ms = connection->server->is_closing ? options->finish_ms : options->finish_most_ms;
    connection->finishing_ms += elapsed_ms;
    return connection->idle_ms < options->finish_ms && connection->finishing_ms < most_ms;
}
