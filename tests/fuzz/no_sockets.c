// Stands in for the library's server.c and connection.c; its buffers are the real ones.
#include "no_sockets.h"

#include <net/server.h>
#include <stdlib.h>

struct NetServer {
    void *user;
};

struct NetConnection {
    NetServer server;
    void *user;
    void (*on_line)(const char *line, size_t length);
    bool closed, woke;
};

NetConnection *no_sockets_open(void *user, void (*on_line)(const char *line, size_t length)) {
    NetConnection *connection = calloc(1, sizeof *connection);
    if (connection) *connection = (NetConnection){.server = {user}, .on_line = on_line};
    return connection;
}

void no_sockets_close(NetConnection *connection) {
    free(connection);
}

void no_sockets_take(NetConnection *connection, NetBuffer *buffer) {
    connection->on_line(net_buffer_data(buffer), net_buffer_length(buffer));
    net_buffer_release(buffer);
}

bool no_sockets_is_closed(const NetConnection *connection) {
    return connection->closed;
}

bool no_sockets_woke(NetConnection *connection) {
    const bool woke = connection->woke;
    connection->woke = false;
    return woke;
}

// net/connection.h
// ---------------------------------------------------------------------------------------------------

NetServer *net_connection_server(const NetConnection *connection) {
    return (NetServer *)&connection->server;
}

uint64_t net_connection_id(const NetConnection *connection) {
    (void)connection;
    return 1;
}

const char *net_connection_address(const NetConnection *connection) {
    (void)connection;
    return "unix";
}

void net_connection_set_user(NetConnection *connection, void *user) {
    connection->user = user;
}

void *net_connection_user(const NetConnection *connection) {
    return connection->user;
}

void net_connection_send(NetConnection *connection, NetBuffer *buffer) {
    connection->woke = true;
    if (!buffer)
        connection->closed = true;
    else if (!connection->closed)
        no_sockets_take(connection, net_buffer_retain(buffer));
}

void net_connection_wake(NetConnection *connection) {
    connection->woke = true;
}

size_t net_connection_queued_bytes(const NetConnection *connection) {
    (void)connection;
    return 0;
}

NetCounters net_connection_counters(const NetConnection *connection) {
    (void)connection;
    return (NetCounters){0};
}

bool net_connection_is_ended(const NetConnection *connection) {
    (void)connection;
    return false;
}

void net_connection_trust(NetConnection *connection) {
    (void)connection;
}

void net_connection_pause_reading(NetConnection *connection, unsigned reasons) {
    (void)connection, (void)reasons;
}

void net_connection_resume_reading(NetConnection *connection, unsigned reasons) {
    (void)connection, (void)reasons;
}

void net_connection_finish(NetConnection *connection, NetCloseReason reason) {
    net_connection_close(connection, reason);
}

void net_connection_close(NetConnection *connection, NetCloseReason reason) {
    (void)reason;
    connection->closed = true;
}

const char *net_connection_close_text(const NetConnection *connection) {
    (void)connection;
    return "closed";
}

NetCarrier net_connection_carrier(const NetConnection *connection) {
    (void)connection;
    return NET_TCP;
}

const char *const net_carrier_names[NET_CARRIER_COUNT] = {"tcp", "unix", "websocket"};

// net/server.h: there is none
// ---------------------------------------------------------------------------------------

NetServerOptions net_default_server_options(void) {
    return (NetServerOptions){.max_clients = 1};
}

NetServer *net_server_create(uv_loop_t *loop, const NetServerOptions *options, const NetCallbacks *callbacks,
                             void *user) {
    (void)loop, (void)options, (void)callbacks, (void)user;
    return NULL;
}

bool net_server_listen(NetServer *server, NetError *out_error) {
    (void)server, (void)out_error;
    return false;
}

bool net_has_http(void) {
    return false;
}

uint16_t net_server_port(const NetServer *server) {
    (void)server;
    return 0;
}

uint16_t net_server_http_port(const NetServer *server) {
    (void)server;
    return 0;
}

unsigned net_server_client_count(const NetServer *server) {
    (void)server;
    return 1;
}

unsigned net_server_max_clients(const NetServer *server) {
    (void)server;
    return 1;
}

NetCounters net_server_counters(const NetServer *server) {
    (void)server;
    return (NetCounters){0};
}

const char *const net_refusal_names[NET_REFUSAL_COUNT] = {
    "http_request", "host", "origin", "not_json", "clients", "no_token", "wrong_token",
};

uint64_t net_server_refusals(const NetServer *server, NetRefusal reason) {
    (void)server, (void)reason;
    return 0;
}

NetRefusal net_refusal_of(NetCloseReason reason) {
    (void)reason;
    return NET_REFUSAL_COUNT;
}

void *net_server_user(const NetServer *server) {
    return server->user;
}

void net_server_close(NetServer *server, NetServerClosed on_closed) {
    (void)server, (void)on_closed;
}
