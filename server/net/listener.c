// Listening sockets. The server decides whom to accept (on_peer).

#include "listener.h"

#include "address.h"
#include "server_state.h"
#include "unix_socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Peers that may wait to be accepted; the kernel clamps it to net.core.somaxconn.
enum { BACKLOG = 1024 };

static bool listen_on(NetListener *listener, const char *name, int status, NetError *out_error);
static void on_connection(uv_stream_t *stream, int status);
static void on_closed(uv_handle_t *handle);

bool net_listener_open_tcp(NetListener *listener, const char *host, uint16_t port, NetError *out_error) {
    NetServer *server = listener->server;
    struct sockaddr_storage address;
    if (!net_address_resolve(host, port, "listen on", &address, out_error)) return false;
    char name[NET_ADDRESS_LENGTH];
    net_address_print(&address, name, sizeof name);
    if (server->options.loopback_only && !net_address_is_loopback(&address)) {
        snprintf(out_error->text, sizeof out_error->text, "cannot listen on %s: it is not a loopback address",
                 name);
        return false;
    }

    listener->is_unix = false;
    int status = uv_tcp_init(server->loop, &listener->handle.tcp);
    if (status == 0) {
        listener->is_open = true;
        server->open_handles++;
        status = uv_tcp_bind(&listener->handle.tcp, (const struct sockaddr *)&address, 0);
    }
    if (!listen_on(listener, name, status, out_error)) return false;
    int size = sizeof address;
    uv_tcp_getsockname(&listener->handle.tcp, (struct sockaddr *)&address, &size);
    listener->port = net_address_port(&address);
    return true;
}

bool net_listener_open_unix(NetListener *listener, const char *path, NetError *out_error) {
    NetServer *server = listener->server;
    dev_t device;
    ino_t inode;
    int file = net_unix_socket_bind(path, &device, &inode, out_error);
    if (file < 0) return false;

    listener->is_unix = true;
    listener->unix_path = strdup(path);
    listener->unix_device = device;
    listener->unix_inode = inode;
    int status = listener->unix_path ? uv_pipe_init(server->loop, &listener->handle.pipe, 0) : UV_ENOMEM;
    if (status == 0) {
        listener->is_open = true;
        server->open_handles++;
        status = uv_pipe_open(&listener->handle.pipe, file);
    }
    if (status != 0) {
        close(file);
        net_unix_socket_remove(path, device, inode);
    }
    return listen_on(listener, path, status, out_error);
}

void net_listener_close(NetListener *listener) {
    if (listener->unix_path) {
        net_unix_socket_remove(listener->unix_path, listener->unix_device, listener->unix_inode);
        free(listener->unix_path);
        listener->unix_path = NULL;
    }
    if (!listener->is_open) return;
    listener->is_open = listener->is_waiting = false;
    listener->port = 0;
    uv_close(&listener->handle.any, on_closed);
}

// `status` is libuv's result of the calls before; an error closes the listener.
static bool listen_on(NetListener *listener, const char *name, int status, NetError *out_error) {
    if (listener->is_open) listener->handle.any.data = listener; // for the closing as well, should it fail
    if (status == 0) status = uv_listen(&listener->handle.stream, BACKLOG, on_connection);
    if (status == 0) return true;
    snprintf(out_error->text, sizeof out_error->text, "cannot listen on %.107s: %s", name,
             uv_strerror(status));
    net_listener_close(listener);
    return false;
}

static void on_connection(uv_stream_t *stream, int status) {
    NetListener *listener = stream->data;
    if (status == 0) {
        listener->on_peer(listener);
    } else {
        net_server_log(listener->server, TEXT_LOG_WARNING, "a connection was not accepted: %s",
                       uv_strerror(status));
    }
}

static void on_closed(uv_handle_t *handle) {
    NetListener *listener = handle->data;
    net_server_released(listener->server);
}
