// When a slow peer is closed: how long it may take to read, to authenticate and to end. connection.c limits
// how much it may leave unread, and how much it may send before it has authenticated.

#include "server_state.h"
#include "transport.h"

static bool check_untrusted(NetConnection *connection, unsigned elapsed_ms);
static bool check_finishing(NetConnection *connection, unsigned elapsed_ms);

bool net_slow_peer_check(NetConnection *connection, unsigned elapsed_ms, NetCloseReason *out_reason) {
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
