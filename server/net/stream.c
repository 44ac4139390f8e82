// Lines over a stream socket. libuv reads into one buffer shared by all connections, and a framer cuts lines.
// A write first gives the socket as much as it takes at once, then libuv the rest.

#include "address.h"
#include "framer.h"
#include "server_state.h"
#include "transport.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// The first two keep the kernel's queue short, so that a slow reader gets recent frames: at 50 KB/s it is
// 0.35 s behind, with the defaults 8 s. A peer that does not acknowledge is dropped after USER_TIMEOUT_MS, a
// silent one is probed after KEEPALIVE_S. While messages are held back, up to READ_AHEAD bytes are still
// read, to notice the peer's end.
enum {
    SEND_BUFFER_BYTES = 128 * 1024,
    NOT_SENT_BYTES = 16 * 1024,
    USER_TIMEOUT_MS = 10000,
    KEEPALIVE_S = 15,
    READ_AHEAD = 4096
};

typedef struct NetStream {
    NetConnection base;
    NetHandle handle;
    uv_write_t write_request;
    uv_shutdown_t shutdown_request;
    NetBuffer *batch[NET_BATCH_COUNT]; // that write_request refers to
    size_t batch_count;
    size_t batch_bytes; // of the batch when the write began
    NetFramer framer;
    unsigned drain_ms;  // spent on the current over-long message
    bool is_first_line; // which must not be an HTTP request's
    bool is_reading;    // uv_read_start is in force
    bool saw_end;       // nothing more comes from the socket
} NetStream;

static void resume(NetConnection *connection);
static int write_buffers(NetConnection *connection, NetBuffer *const buffers[], size_t count);
static size_t unsent(const NetConnection *connection);
static bool is_ended(const NetConnection *connection);
static int shut_down(NetConnection *connection);
static void check(NetConnection *connection, unsigned elapsed_ms);
static void close_stream(NetConnection *connection);

static const NetTransport stream_transport = {resume,    write_buffers, unsent,      is_ended,
                                              shut_down, check,         close_stream};

static int accept_into(NetStream *stream, NetListener *listener);
static void set_socket_options(NetStream *stream);
static void set_address(NetStream *stream);
static void deliver_messages(NetStream *stream);
static bool refuse_http(NetStream *stream);
static void update_reading(NetStream *stream);
static void on_read_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *out_buffer);
static void on_read(uv_stream_t *handle, ssize_t length, const uv_buf_t *bytes);
static void receive_bytes(NetStream *stream, const char *bytes, size_t length);
static void receive_end(NetStream *stream, int status);
static unsigned fill_buffers(NetStream *stream, size_t offset, uv_buf_t out_bytes[]);
static size_t release_written(NetStream *stream, size_t taken);
static void release_batch(NetStream *stream);
static void on_written(uv_write_t *request, int status);
static void on_shut(uv_shutdown_t *request, int status);
static void on_closed(uv_handle_t *handle);

bool net_stream_accept(NetServer *server, NetListener *listener) {
    NetStream *stream = calloc(1, sizeof *stream);
    if (!stream) return false;
    stream->base.server = server;
    int status = accept_into(stream, listener);
    if (status != 0) {
        net_server_log(server, TEXT_LOG_WARNING, "a connection was not accepted: %s", uv_strerror(status));
        uv_close(&stream->handle.any, on_closed);
        return true;
    }
    set_address(stream);
    set_socket_options(stream);
    net_framer_init(&stream->framer, server->options.max_message);
    stream->is_first_line = !listener->is_unix;
    net_connection_begin(&stream->base, server, &stream_transport);
    update_reading(stream);
    return true;
}

static int accept_into(NetStream *stream, NetListener *listener) {
    NetServer *server = stream->base.server;
    if (listener->is_unix) {
        uv_pipe_init(server->loop, &stream->handle.pipe, 0);
    } else {
        uv_tcp_init(server->loop, &stream->handle.tcp);
    }
    server->open_handles++;
    stream->handle.any.data = stream;
    return uv_accept(&listener->handle.stream, &stream->handle.stream);
}

// Failures are ignored: the connection works without these options.
static void set_socket_options(NetStream *stream) {
    int send_buffer = SEND_BUFFER_BYTES;
    uv_send_buffer_size(&stream->handle.any, &send_buffer);
    uv_os_fd_t file;
    if (stream->handle.any.type != UV_TCP || uv_fileno(&stream->handle.any, &file) != 0) return;
    uv_tcp_nodelay(&stream->handle.tcp, 1);
    uv_tcp_keepalive(&stream->handle.tcp, 1, KEEPALIVE_S);
#ifdef TCP_NOTSENT_LOWAT
    int not_sent = NOT_SENT_BYTES;
    setsockopt(file, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &not_sent, sizeof not_sent);
#endif
#ifdef TCP_USER_TIMEOUT
    unsigned user_timeout = USER_TIMEOUT_MS;
    setsockopt(file, IPPROTO_TCP, TCP_USER_TIMEOUT, &user_timeout, sizeof user_timeout);
#endif
}

static void set_address(NetStream *stream) {
    struct sockaddr_storage address;
    int size = sizeof address;
    if (stream->handle.any.type == UV_TCP &&
        uv_tcp_getpeername(&stream->handle.tcp, (struct sockaddr *)&address, &size) == 0) {
        net_address_print(&address, stream->base.address, sizeof stream->base.address);
    } else {
        strcpy(stream->base.address, stream->handle.any.type == UV_TCP ? "gone" : "unix");
    }
}

static void resume(NetConnection *connection) {
    NetStream *stream = (NetStream *)connection;
    deliver_messages(stream);
    update_reading(stream);
}

// Delivers held messages while the owner takes them, and after the last one the end, if it came.
static void deliver_messages(NetStream *stream) {
    NetConnection *connection = &stream->base;
    NetFramer *framer = &stream->framer;
    NetFramerResult result = NET_FRAMER_TOO_LONG;
    while (net_connection_wants_messages(connection) && !refuse_http(stream)) {
        char *message;
        size_t length;
        result = net_framer_next(framer, &message, &length);
        if (result == NET_FRAMER_MORE) break;
        stream->is_first_line = false;
        stream->drain_ms = 0;
        if (result == NET_FRAMER_MESSAGE) {
            net_connection_received(connection, message, length);
        } else {
            net_connection_received_too_long(connection);
        }
    }
    if (framer->is_draining) stream->is_first_line = false;
    if (result == NET_FRAMER_MORE)
        net_connection_received_part(connection, framer->drained + net_framer_held(framer));
    if (framer->drained > connection->server->options.max_drain) {
        net_connection_close(connection, NET_CLOSE_ENDLESS_MESSAGE);
    } else if (result == NET_FRAMER_MORE && stream->saw_end) {
        net_connection_ended(connection);
    }
}

static bool refuse_http(NetStream *stream) {
    NetConnection *connection = &stream->base;
    const NetFramer *framer = &stream->framer;
    if (!stream->is_first_line) return false;
    if (!net_looks_like_http(net_framer_peek(framer), net_framer_held(framer), framer->max_message))
        return false;
    net_server_log(connection->server, TEXT_LOG_WARNING, "%s sent an HTTP request to the JSON port: closed",
                   connection->address);
    net_connection_close(connection, NET_CLOSE_HTTP);
    return true;
}

// Reads while messages are wanted, a little ahead while they are held back, and until the end while
// lingering.
static void update_reading(NetStream *stream) {
    NetConnection *connection = &stream->base;
    bool is_wanted = connection->state == NET_STATE_LINGERING ||
                     (connection->state == NET_STATE_OPEN && (net_connection_wants_messages(connection) ||
                                                              net_framer_held(&stream->framer) < READ_AHEAD));
    is_wanted = is_wanted && !stream->saw_end;
    if (is_wanted == stream->is_reading) return;
    stream->is_reading = is_wanted;
    if (!is_wanted) {
        uv_read_stop(&stream->handle.stream);
        return;
    }
    int status = uv_read_start(&stream->handle.stream, on_read_buffer, on_read);
    if (status != 0) net_connection_failed(connection, status);
}

static void on_read_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *out_buffer) {
    (void)suggested;
    const NetStream *stream = handle->data;
    *out_buffer = uv_buf_init(stream->base.server->read_buffer, NET_READ_BUFFER_SIZE);
}

static void on_read(uv_stream_t *handle, ssize_t length, const uv_buf_t *bytes) {
    NetStream *stream = handle->data;
    if (length > 0) {
        stream->base.counters.bytes_received += (size_t)length;
        receive_bytes(stream, bytes->base, (size_t)length);
    }
    if (length < 0) receive_end(stream, (int)length);
    update_reading(stream);
}

static void receive_bytes(NetStream *stream, const char *bytes, size_t length) {
    NetConnection *connection = &stream->base;
    if (connection->state != NET_STATE_OPEN) return; // it is ending: input is ignored
    if (net_framer_feed(&stream->framer, bytes, length)) {
        deliver_messages(stream);
    } else {
        net_connection_close(connection, NET_CLOSE_OUT_OF_MEMORY);
    }
}

// Ends a last line without a newline: JSON itself shows whether it is whole.
static void receive_end(NetStream *stream, int status) {
    stream->saw_end = true;
    bool has_rest = net_framer_held(&stream->framer) > 0 || stream->framer.is_draining;
    if (status != UV_EOF) {
        net_connection_failed(&stream->base, status);
    } else if (stream->base.state != NET_STATE_OPEN || !has_rest) {
        net_connection_ended(&stream->base); // also while messages are held back: there are none
    } else {
        receive_bytes(stream, "\n", 1);
    }
}

static int write_buffers(NetConnection *connection, NetBuffer *const buffers[], size_t count) {
    NetStream *stream = (NetStream *)connection;
    memcpy(stream->batch, buffers, count * sizeof *buffers);
    stream->batch_count = count;
    uv_buf_t bytes[NET_BATCH_COUNT] = {0};
    int taken = uv_try_write(&stream->handle.stream, bytes, fill_buffers(stream, 0, bytes));
    if (taken == UV_EAGAIN) taken = 0;
    int status = taken < 0 ? taken : 0;
    size_t offset = status == 0 ? release_written(stream, (size_t)taken) : 0;
    if (status == 0 && stream->batch_count > 0) {
        unsigned rest = fill_buffers(stream, offset, bytes);
        status = uv_write(&stream->write_request, &stream->handle.stream, bytes, rest, on_written);
    }
    if (status < 0) release_batch(stream);
    return status < 0 ? status : stream->batch_count > 0;
}

// Points out_bytes at the batch from `offset` on, which lies in its first buffer.
static unsigned fill_buffers(NetStream *stream, size_t offset, uv_buf_t out_bytes[]) {
    stream->batch_bytes = 0;
    for (size_t i = 0; i < stream->batch_count; i++) {
        const NetBuffer *buffer = stream->batch[i];
        size_t length = net_buffer_length(buffer) - offset;
        out_bytes[i] = uv_buf_init((char *)net_buffer_data(buffer) + offset, (unsigned)length);
        stream->batch_bytes += length;
        offset = 0;
    }
    return (unsigned)stream->batch_count;
}

// Releases the buffers that were written whole; returns how much of the next one was written.
static size_t release_written(NetStream *stream, size_t taken) {
    stream->base.counters.bytes_sent += taken;
    size_t whole = 0;
    while (whole < stream->batch_count && taken >= net_buffer_length(stream->batch[whole])) {
        taken -= net_buffer_length(stream->batch[whole]);
        net_buffer_release(stream->batch[whole++]);
    }
    stream->base.counters.messages_sent += whole;
    stream->batch_count -= whole;
    memmove(stream->batch, stream->batch + whole, stream->batch_count * sizeof *stream->batch);
    return taken;
}

static void release_batch(NetStream *stream) {
    for (size_t i = 0; i < stream->batch_count; i++) net_buffer_release(stream->batch[i]);
    stream->batch_count = 0;
}

static void on_written(uv_write_t *request, int status) {
    NetStream *stream = request->handle->data;
    if (status == 0) {
        stream->base.counters.messages_sent += stream->batch_count;
        stream->base.counters.bytes_sent += stream->batch_bytes;
    }
    release_batch(stream);
    if (!uv_is_closing(&stream->handle.any)) net_connection_written(&stream->base, status);
}

static size_t unsent(const NetConnection *connection) {
    return uv_stream_get_write_queue_size(&((const NetStream *)connection)->handle.stream);
}

static bool is_ended(const NetConnection *connection) {
    const NetStream *stream = (const NetStream *)connection;
    bool is_ended = stream->saw_end;
#ifdef POLLRDHUP // elsewhere the end is seen when all is read
    uv_os_fd_t file;
    if (!is_ended && uv_fileno(&stream->handle.any, &file) == 0) {
        struct pollfd look = {.fd = file, .events = POLLRDHUP};
        is_ended = poll(&look, 1, 0) == 1;
    }
#endif
    return is_ended;
}

static int shut_down(NetConnection *connection) {
    NetStream *stream = (NetStream *)connection;
    return uv_shutdown(&stream->shutdown_request, &stream->handle.stream, on_shut);
}

static void on_shut(uv_shutdown_t *request, int status) {
    NetStream *stream = request->handle->data;
    if (uv_is_closing(&stream->handle.any)) return;
    net_connection_shut(&stream->base, status);
    update_reading(stream);
}

static void check(NetConnection *connection, unsigned elapsed_ms) {
    NetStream *stream = (NetStream *)connection;
    if (!stream->framer.is_draining || !net_connection_wants_messages(connection)) return;
    stream->drain_ms += elapsed_ms;
    if (stream->drain_ms > connection->server->options.max_drain_ms) {
        net_connection_close(connection, NET_CLOSE_ENDLESS_MESSAGE);
    }
}

static void close_stream(NetConnection *connection) {
    NetStream *stream = (NetStream *)connection;
    uv_close(&stream->handle.any, on_closed);
}

static void on_closed(uv_handle_t *handle) {
    NetStream *stream = handle->data;
    NetServer *server = stream->base.server;
    release_batch(stream);
    net_framer_finish(&stream->framer);
    free(stream);
    net_server_released(server);
}
