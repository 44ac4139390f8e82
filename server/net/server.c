// The server: accepts connections, gives each its turn, and closes.

#include "net/server.h"

#include "server_state.h"
#include "stream.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

// Time limits are checked every CHECK_MS. At most REFUSED_COUNT refused connections are open; further
// peers wait in the kernel's queue. Of more than PENDING_COUNT HTTP clients without a session the oldest is
// closed. A lack of file descriptors is logged once in WARNING_MS.
enum { CHECK_MS = 100, REFUSED_COUNT = 256, PENDING_COUNT = 64, WARNING_MS = 60000 };

static void start_handles(NetServer *server);
static bool open_listener(NetServer *server, NetListenerKind kind, NetError *out_error);
static bool clamp_clients(NetServer *server, NetError *out_error);
static void admit(NetListener *listener);
static bool has_room(NetServer *server, const NetListener *listener);
static bool close_oldest_pending(NetServer *server);
static int file_limit(void);
static int lowest_free_file(int any_file);
static void on_idle(uv_idle_t *idle);
static void on_check(uv_check_t *check);
static void on_timer(uv_timer_t *timer);
static void close_own_handles(NetServer *server);
static void on_own_handle_closed(uv_handle_t *handle);

NetServerOptions net_default_server_options(void) {
    return (NetServerOptions){
        .loopback_only = true,
        .max_clients = 256,
        .reserved_files = 64,
        .max_message = 65536,
        .max_drain = 16 << 20,
        .max_drain_ms = 10000,
        .stall_ms = 5000,
        .finish_ms = 2000,
        .finish_most_ms = 10000,
        .request_ms = 10000,
        .keep_alive_ms = 30000,
        .ping_ms = 30000,
        .linger_ms = 500,
        .control_soft_limit = 1 << 20,
        .control_hard_limit = NET_MOST_UNREAD_BYTES,
    };
}

NetServer *net_server_create(uv_loop_t *loop, const NetServerOptions *options, const NetCallbacks *callbacks,
                             void *user) {
    NetServer *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->loop = loop;
    server->options = *options;
    server->callbacks = *callbacks;
    server->user = user;
    server->on_idle = on_idle;
    server->last_ready = &server->first_ready;
    server->file_limit = file_limit();
    server->read_buffer = malloc(NET_READ_BUFFER_SIZE);
    if (!server->read_buffer) {
        free(server);
        return NULL;
    }
    start_handles(server);
    return server;
}

bool net_server_listen(NetServer *server, NetError *out_error) {
    bool listens = true;
    for (NetListenerKind kind = 0; listens && kind < NET_LISTENER_COUNT; kind++)
        listens = open_listener(server, kind, out_error);
    if (listens && clamp_clients(server, out_error)) return true;
    for (int i = 0; i < NET_LISTENER_COUNT; i++) net_listener_close(&server->listeners[i]);
    return false;
}

bool net_has_http(void) {
#ifdef NET_WITH_HTTP
    return true;
#else
    return false;
#endif
}

uint16_t net_server_port(const NetServer *server) {
    return server->listeners[NET_LISTENER_TCP].port;
}

uint16_t net_server_http_port(const NetServer *server) {
    return server->listeners[NET_LISTENER_HTTP].port;
}

unsigned net_server_client_count(const NetServer *server) {
    return server->client_count;
}

unsigned net_server_max_clients(const NetServer *server) {
    return server->options.max_clients;
}

NetCounters net_server_counters(const NetServer *server) {
    NetCounters sum = server->counters;
    for (const NetConnection *connection = server->connections; connection; connection = connection->next)
        net_counters_add(&sum, &connection->counters);
    return sum;
}

void *net_server_user(const NetServer *server) {
    return server->user;
}

void net_server_close(NetServer *server, NetServerClosed on_closed) {
    if (!server || server->is_closing) return;
    server->is_closing = true;
    server->on_closed = on_closed;
    for (int i = 0; i < NET_LISTENER_COUNT; i++) net_listener_close(&server->listeners[i]);
    for (NetConnection *connection = server->connections; connection; connection = connection->next) {
        net_connection_finish(connection, NET_CLOSE_STOPPING);
    }
}

static void start_handles(NetServer *server) {
    uv_idle_init(server->loop, &server->idle);
    uv_check_init(server->loop, &server->check);
    uv_timer_init(server->loop, &server->timer);
    server->idle.data = server->check.data = server->timer.data = server;
    server->open_handles = 3;
    server->last_check_ms = uv_now(server->loop);
    uv_check_start(&server->check, on_check);
    uv_timer_start(&server->timer, on_timer, CHECK_MS, CHECK_MS);
}

// True as well where the options name no such address.
static bool open_listener(NetServer *server, NetListenerKind kind, NetError *out_error) {
    const NetServerOptions *options = &server->options;
    NetListener *listener = &server->listeners[kind];
    listener->server = server;
    listener->codec = &net_lines_codec;
    listener->on_peer = admit;
    switch (kind) {
    case NET_LISTENER_TCP:
        return !options->tcp_host ||
               net_listener_open_tcp(listener, options->tcp_host, options->tcp_port, out_error);
    case NET_LISTENER_HTTP:
        if (!options->http_host) return true;
#ifdef NET_WITH_HTTP
        listener->codec = &net_http_codec;
        return net_listener_open_tcp(listener, options->http_host, options->http_port, out_error);
#else
        snprintf(out_error->text, sizeof out_error->text, "cannot listen for HTTP: it is not in this build");
        return false;
#endif
    case NET_LISTENER_UNIX:
        return !options->unix_path || net_listener_open_unix(listener, options->unix_path, out_error);
    case NET_LISTENER_COUNT:
        break;
    }
    return true;
}

// Beside the clients there must be a file for a refused peer, and for one that libuv has taken from the
// kernel and holds until it is accepted. Without a free file libuv 1.44 accepts a peer and closes it
// silently, so the server stops accepting while some are still free. Where files are few, one client goes
// before those that are reserved. False: not even that one has room.
static bool clamp_clients(NetServer *server, NetError *out_error) {
    NetServerOptions *options = &server->options;
    const int lowest_free = lowest_free_file(uv_backend_fd(server->loop));
    const int64_t used = lowest_free < server->file_limit ? lowest_free : server->file_limit;
    const int64_t spare = server->file_limit - used - 3; // with one client
    if (spare < 0) {
        snprintf(
            out_error->text, sizeof out_error->text,
            "expected a limit of %lld open files at least, for one client, found %d: raise it (ulimit -n)",
            (long long)used + 3, server->file_limit);
        return false;
    }
    if (spare < options->reserved_files) options->reserved_files = (unsigned)spare;
    const int64_t possible = spare - options->reserved_files + 1;
    if (possible >= options->max_clients) return true;
    net_server_log(server, TEXT_LOG_WARNING,
                   "at most %u connection%s, not %u: the limit of open files is %d, and %u are reserved",
                   (unsigned)possible, possible == 1 ? "" : "s", options->max_clients, server->file_limit,
                   options->reserved_files);
    options->max_clients = (unsigned)possible;
    return true;
}

// A peer waits at the listener: accepts it when there is room, later otherwise.
static void admit(NetListener *listener) {
    NetServer *server = listener->server;
    listener->is_waiting = !has_room(server, listener) || !net_stream_accept(server, listener);
}

static bool has_room(NetServer *server, const NetListener *listener) {
    if (server->refused_count >= REFUSED_COUNT) return false;
    if (listener == &server->listeners[NET_LISTENER_HTTP] && server->pending_count >= PENDING_COUNT &&
        !close_oldest_pending(server))
        return false;
    int64_t lowest_free = lowest_free_file(uv_backend_fd(server->loop));
    if (lowest_free + server->options.reserved_files < server->file_limit) return true;
    if (uv_now(server->loop) >= server->quiet_until_ms) {
        server->quiet_until_ms = uv_now(server->loop) + WARNING_MS;
        net_server_log(server, TEXT_LOG_WARNING,
                       "new connections wait: only %u of %d files may still be opened",
                       server->options.reserved_files, server->file_limit);
    }
    return false;
}

// So that idle HTTP clients keep nobody out. False: all are being answered.
static bool close_oldest_pending(NetServer *server) {
    NetConnection *oldest = NULL;
    for (NetConnection *connection = server->connections; connection; connection = connection->next)
        if (connection->admission == NET_ADMISSION_PENDING && connection->state == NET_STATE_OPEN &&
            net_connection_queued_bytes(connection) == 0)
            oldest = connection;
    if (oldest) net_connection_close(oldest, NET_CLOSE_FINISHED);
    return oldest != NULL;
}

// The process's limit on open files (RLIMIT_NOFILE, soft), at most INT_MAX.
static int file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT_MAX) return INT_MAX;
    return (int)limit.rlim_cur;
}

// The lowest free file descriptor: all below are in use. The kernel always gives that one, so one probe is
// enough. INT_MAX: none is free.
static int lowest_free_file(int any_file) {
    int probe = fcntl(any_file, F_DUPFD_CLOEXEC, 0);
    if (probe < 0) return INT_MAX;
    close(probe);
    return probe;
}

static void admit_waiting(NetServer *server) {
    for (int i = 0; i < NET_LISTENER_COUNT; i++) {
        if (server->listeners[i].is_waiting) admit(&server->listeners[i]);
    }
}

// Processes the connections marked so far. Those marked meanwhile come after the next poll.
static void process_ready(NetServer *server) {
    NetConnection *list = server->first_ready;
    server->first_ready = NULL;
    server->last_ready = &server->first_ready;
    while (list) {
        NetConnection *connection = list;
        list = connection->next_ready;
        connection->next_ready = NULL;
        connection->is_ready = false;
        net_connection_process(connection);
    }
    if (!server->first_ready) uv_idle_stop(&server->idle);
    if (server->is_closing && !server->connections) close_own_handles(server);
}

// Before the loop waits: connections marked by timers and closing handles.
static void on_idle(uv_idle_t *idle) {
    process_ready(idle->data);
}

// After the loop has waited: connections marked by I/O.
static void on_check(uv_check_t *check) {
    process_ready(check->data);
}

// Time in which the loop itself was busy is not counted against the peers.
static void on_timer(uv_timer_t *timer) {
    NetServer *server = timer->data;
    uint64_t now = uv_now(server->loop);
    uint64_t elapsed = now - server->last_check_ms;
    server->last_check_ms = now;
    if (elapsed > 2 * CHECK_MS) elapsed = 2 * CHECK_MS;
    for (NetConnection *connection = server->connections; connection; connection = connection->next) {
        net_connection_check(connection, (unsigned)elapsed);
    }
    admit_waiting(server);
    net_server_report_refusals(server);
}

static void close_own_handles(NetServer *server) {
    if (uv_is_closing((uv_handle_t *)&server->idle)) return;
    uv_close((uv_handle_t *)&server->idle, on_own_handle_closed);
    uv_close((uv_handle_t *)&server->check, on_own_handle_closed);
    uv_close((uv_handle_t *)&server->timer, on_own_handle_closed);
}

static void on_own_handle_closed(uv_handle_t *handle) {
    net_server_released(handle->data);
}
