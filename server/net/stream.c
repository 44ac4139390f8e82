// Bytes over a stream socket. libuv reads into one buffer shared by all connections. A write first gives the
// socket as much as it takes at once, then libuv the rest.

#include "stream.h"

#include "address.h"
#include "server_state.h"

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

static void resume(NetConnection *connection);
static int write_buffers(NetConnection *connection, NetBuffer *const buffers[], size_t count);
static size_t unsent(const NetConnection *connection);
static bool is_ended(const NetConnection *connection);
static int shut_down(NetConnection *connection);
static void check(NetConnection *connection, unsigned elapsed_ms);
static void close_stream(NetConnection *connection);

const NetTransport net_stream_transport = {resume,    write_buffers, unsent,      is_ended,
                                           shut_down, check,         close_stream};

static int accept_into(NetStream *stream, NetListener *listener);
static void set_socket_options(NetStream *stream);
static void set_address(NetStream *stream);
static void update_reading(NetStream *stream);
static void on_read_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *out_buffer);
static void on_read(uv_stream_t *handle, ssize_t length, const uv_buf_t *bytes);
static void receive_bytes(NetStream *stream, const char *bytes, size_t length);
static void receive_end(NetStream *stream, int status);
static unsigned fill_buffers(NetStream *stream, size_t offset, uv_buf_t out_bytes[]);
static size_t outgoing_length(const NetOutgoing *outgoing);
static size_t release_written(NetStream *stream, size_t taken);
static void release_batch(NetStream *stream);
static void on_written(uv_write_t *request, int status);
static void on_shut(uv_shutdown_t *request, int status);
static void on_closed(uv_handle_t *handle);

bool net_stream_accept(NetServer *server, NetListener *listener) {
    NetStream *stream = calloc(1, listener->codec->size);
    if (!stream) return false;
    stream->base.server = server;
    stream->codec = listener->codec;
    int status = accept_into(stream, listener);
    if (status != 0) {
        net_server_log(server, TEXT_LOG_WARNING, "a connection was not accepted: %s", uv_strerror(status));
        uv_close(&stream->handle.any, on_closed);
        return true;
    }
    set_address(stream);
    set_socket_options(stream);
    stream->codec->open(stream, listener);
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
    stream->codec->deliver(stream);
    update_reading(stream);
}

// Reads while messages are wanted, a little ahead while they are held back, and until the end while
// lingering.
static void update_reading(NetStream *stream) {
    NetConnection *connection = &stream->base;
    bool is_wanted = connection->state == NET_STATE_LINGERING ||
                     (connection->state == NET_STATE_OPEN && (net_connection_wants_messages(connection) ||
                                                              stream->codec->held(stream) < READ_AHEAD));
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
    if (connection->state != NET_STATE_OPEN) { // it is ending: input is ignored
        stream->dropped += length;
        if (stream->dropped > connection->server->options.max_drain)
            net_connection_close(connection, NET_CLOSE_FINISHED);
        return;
    }
    if (stream->codec->receive(stream, bytes, length)) {
        stream->codec->deliver(stream);
    } else {
        net_connection_close(connection, NET_CLOSE_OUT_OF_MEMORY);
    }
}

static void receive_end(NetStream *stream, int status) {
    stream->saw_end = true;
    if (status != UV_EOF) {
        net_connection_failed(&stream->base, status);
    } else if (stream->base.state == NET_STATE_OPEN && stream->codec->receive_end(stream)) {
        stream->codec->deliver(stream);
    } else {
        net_connection_ended(&stream->base); // also while messages are held back: there are none
    }
}

static int write_buffers(NetConnection *connection, NetBuffer *const buffers[], size_t count) {
    NetStream *stream = (NetStream *)connection;
    for (size_t i = 0; i < count; i++) {
        stream->batch[i] = (NetOutgoing){.buffer = buffers[i]};
        if (stream->codec->frame) stream->codec->frame(stream, buffers[i], &stream->batch[i].frame);
    }
    stream->batch_count = count;
    uv_buf_t bytes[2 * NET_BATCH_COUNT] = {0};
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

// Points out_bytes at the batch from `offset` on, which lies in its first buffer: at each buffer, and at the
// header before it where there is one.
static unsigned fill_buffers(NetStream *stream, size_t offset, uv_buf_t out_bytes[]) {
    unsigned count = 0;
    stream->batch_bytes = 0;
    for (size_t i = 0; i < stream->batch_count; i++) {
        NetOutgoing *outgoing = &stream->batch[i];
        char *header = (char *)outgoing->frame.header, *body = (char *)net_buffer_data(outgoing->buffer);
        const size_t header_length = outgoing->frame.header_length;
        const size_t body_length = outgoing_length(outgoing) - header_length;
        const size_t header_offset = offset < header_length ? offset : header_length;
        const size_t body_offset = offset - header_offset;
        if (header_length > header_offset)
            out_bytes[count++] =
                uv_buf_init(header + header_offset, (unsigned)(header_length - header_offset));
        if (body_length > body_offset || header_length == header_offset) // libuv wants something
            out_bytes[count++] = uv_buf_init(body + body_offset, (unsigned)(body_length - body_offset));
        stream->batch_bytes += header_length + body_length - offset;
        offset = 0;
    }
    return count;
}

static size_t outgoing_length(const NetOutgoing *outgoing) {
    return outgoing->frame.header_length + net_buffer_length(outgoing->buffer) - outgoing->frame.trim;
}

// Releases the buffers that were written whole; returns how much of the next one was written.
static size_t release_written(NetStream *stream, size_t taken) {
    stream->base.counters.bytes_sent += taken;
    size_t whole = 0;
    while (whole < stream->batch_count && taken >= outgoing_length(&stream->batch[whole])) {
        taken -= outgoing_length(&stream->batch[whole]);
        net_buffer_release(stream->batch[whole++].buffer);
    }
    stream->base.counters.messages_sent += whole;
    stream->batch_count -= whole;
    memmove(stream->batch, stream->batch + whole, stream->batch_count * sizeof *stream->batch);
    return taken;
}

static void release_batch(NetStream *stream) {
    for (size_t i = 0; i < stream->batch_count; i++) net_buffer_release(stream->batch[i].buffer);
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
    NetBuffer *farewell = stream->codec->farewell ? stream->codec->farewell(stream) : NULL;
    const int status = farewell ? write_buffers(connection, &farewell, 1) : 0;
    if (status < 0) return status;
    return uv_shutdown(&stream->shutdown_request, &stream->handle.stream, on_shut); // once all is written
}

static void on_shut(uv_shutdown_t *request, int status) {
    NetStream *stream = request->handle->data;
    if (uv_is_closing(&stream->handle.any)) return;
    net_connection_shut(&stream->base, status);
    update_reading(stream);
}

static void check(NetConnection *connection, unsigned elapsed_ms) {
    NetStream *stream = (NetStream *)connection;
    if (stream->codec->check) stream->codec->check(stream, elapsed_ms);
}

// The codec's farewell is sent where no other bytes are being written, without waiting for it to arrive.
static void close_stream(NetConnection *connection) {
    NetStream *stream = (NetStream *)connection;
    NetBuffer *farewell =
        stream->codec->farewell && stream->batch_count == 0 ? stream->codec->farewell(stream) : NULL;
    if (farewell) {
        uv_buf_t bytes =
            uv_buf_init((char *)net_buffer_data(farewell), (unsigned)net_buffer_length(farewell));
        uv_try_write(&stream->handle.stream, &bytes, 1);
        net_buffer_release(farewell);
    }
    uv_close(&stream->handle.any, on_closed);
}

static void on_closed(uv_handle_t *handle) {
    NetStream *stream = handle->data;
    NetServer *server = stream->base.server;
    release_batch(stream);
    if (stream->codec->finish) stream->codec->finish(stream);
    free(stream);
    net_server_released(server);
}
