// One outgoing connection.
#include "net/link.h"

#include "framer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ_BYTES = 256 * 1024 };
static const size_t LONGEST_LINE = (size_t)256 << 20; // of a description with meshes

struct NetLink {
    uv_tcp_t socket;
    uv_getaddrinfo_t lookup;
    uv_connect_t connect;
    NetLinkCallbacks callbacks;
    void *user;
    NetFramer framer;
    char *waiting; // [waiting_length] to be sent once it is connected
    size_t waiting_length;
    bool is_connected, is_closed, is_looking_up, is_handle_closed;
    char bytes[READ_BYTES];
};

typedef struct Write {
    uv_write_t request;
    char bytes[];
} Write;

static void on_found(uv_getaddrinfo_t *lookup, int status, struct addrinfo *found);
static void on_connected(uv_connect_t *connect, int status);
static void on_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *out_buffer);
static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer);
static void write_bytes(NetLink *link, const char *bytes, size_t length);
static void on_written(uv_write_t *request, int status);
static void end(NetLink *link, const char *why);
static void on_closed(uv_handle_t *handle);
static void free_if_over(NetLink *link);

NetLink *net_link_open(uv_loop_t *loop, const char *host, uint16_t port, const NetLinkCallbacks *callbacks,
                       void *user) {
    NetLink *link = calloc(1, sizeof *link);
    if (!link) return NULL;
    link->callbacks = *callbacks;
    link->user = user;
    link->socket.data = link->lookup.data = link->connect.data = link;
    net_framer_init(&link->framer, LONGEST_LINE);
    if (uv_tcp_init(loop, &link->socket) != 0) {
        free(link);
        return NULL;
    }
    char service[8];
    snprintf(service, sizeof service, "%u", (unsigned)port);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    link->is_looking_up = uv_getaddrinfo(loop, &link->lookup, on_found, host, service, &hints) == 0;
    if (link->is_looking_up) return link;
    net_link_close(link);
    return NULL;
}

void net_link_send(NetLink *link, const char *lines, size_t length) {
    if (link->is_connected) {
        write_bytes(link, lines, length);
        return;
    }
    char *grown = realloc(link->waiting, link->waiting_length + length);
    if (!grown) return;
    memcpy(grown + link->waiting_length, lines, length);
    link->waiting = grown;
    link->waiting_length += length;
}

void net_link_close(NetLink *link) {
    if (!link || link->is_closed) return;
    link->is_closed = true;
    uv_cancel((uv_req_t *)&link->lookup);
    uv_close((uv_handle_t *)&link->socket, on_closed);
}

static void on_found(uv_getaddrinfo_t *lookup, int status, struct addrinfo *found) {
    NetLink *link = lookup->data;
    link->is_looking_up = false;
    if (!link->is_closed && status == 0)
        status = uv_tcp_connect(&link->connect, &link->socket, found->ai_addr, on_connected);
    uv_freeaddrinfo(found);
    if (!link->is_closed && status != 0) end(link, uv_strerror(status));
    free_if_over(link);
}

static void on_connected(uv_connect_t *connect, int status) {
    NetLink *link = connect->data;
    if (link->is_closed) return;
    if (status == 0) status = uv_read_start((uv_stream_t *)&link->socket, on_buffer, on_read);
    if (status != 0) {
        end(link, uv_strerror(status));
        return;
    }
    link->is_connected = true;
    uv_tcp_nodelay(&link->socket, 1);
    if (link->waiting_length > 0) write_bytes(link, link->waiting, link->waiting_length);
    free(link->waiting);
    link->waiting = NULL;
    link->waiting_length = 0;
}

static void on_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *out_buffer) {
    (void)suggested;
    NetLink *link = handle->data;
    *out_buffer = uv_buf_init(link->bytes, sizeof link->bytes);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer) {
    NetLink *link = stream->data;
    if (length < 0 || !net_framer_feed(&link->framer, buffer->base, (size_t)length)) {
        end(link, length < 0 ? uv_strerror((int)length) : "out of memory");
        return;
    }
    char *line;
    size_t size;
    NetFramerResult result = NET_FRAMER_MORE;
    while (!link->is_closed && (result = net_framer_next(&link->framer, &line, &size)) == NET_FRAMER_MESSAGE)
        link->callbacks.on_line(link->user, line, size);
    if (!link->is_closed && result == NET_FRAMER_TOO_LONG) end(link, "a line is too long");
}

static void write_bytes(NetLink *link, const char *bytes, size_t length) {
    Write *write = malloc(sizeof *write + length);
    if (!write) return;
    memcpy(write->bytes, bytes, length);
    const uv_buf_t buffer = uv_buf_init(write->bytes, (unsigned)length);
    if (uv_write(&write->request, (uv_stream_t *)&link->socket, &buffer, 1, on_written) != 0) free(write);
}

static void on_written(uv_write_t *request, int status) {
    (void)status; // reading tells of the end as well
    free(request);
}

static void end(NetLink *link, const char *why) {
    const NetLinkCallbacks callbacks = link->callbacks;
    if (link->is_connected) uv_read_stop((uv_stream_t *)&link->socket);
    link->is_connected = false;
    callbacks.on_end(link->user, why);
}

static void on_closed(uv_handle_t *handle) {
    NetLink *link = handle->data;
    link->is_handle_closed = true;
    free_if_over(link);
}

static void free_if_over(NetLink *link) {
    if (!link->is_handle_closed || link->is_looking_up) return;
    net_framer_finish(&link->framer);
    free(link->waiting);
    free(link);
}
