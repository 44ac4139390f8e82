// The codec of NDJSON: a message is a line.

#include "framer.h"
#include "server_state.h"
#include "stream.h"

typedef struct NetLines {
    NetStream stream;
    NetFramer framer;
    unsigned drain_ms;  // spent on the current over-long message
    bool is_first_line; // which must not be another protocol's
} NetLines;

static void open_lines(NetStream *stream, const NetListener *listener);
static bool receive(NetStream *stream, const char *bytes, size_t length);
static void deliver(NetStream *stream);
static bool refuse_protocol(NetLines *lines);
static size_t held(const NetStream *stream);
static bool receive_end(NetStream *stream);
static void check(NetStream *stream, unsigned elapsed_ms);
static void finish(NetStream *stream);

const NetCodec net_lines_codec = {.size = sizeof(NetLines),
                                  .open = open_lines,
                                  .receive = receive,
                                  .deliver = deliver,
                                  .held = held,
                                  .receive_end = receive_end,
                                  .check = check,
                                  .finish = finish};

static void open_lines(NetStream *stream, const NetListener *listener) {
    NetLines *lines = (NetLines *)stream;
    NetServer *server = stream->base.server;
    net_framer_init(&lines->framer, server->options.max_message);
    lines->is_first_line = !listener->is_unix;
    stream->base.carrier = listener->is_unix ? NET_UNIX : NET_TCP;
    net_connection_begin(&stream->base, server, &net_stream_transport);
    net_connection_admit(&stream->base);
}

static bool receive(NetStream *stream, const char *bytes, size_t length) {
    return net_framer_feed(&((NetLines *)stream)->framer, bytes, length);
}

static void deliver(NetStream *stream) {
    NetLines *lines = (NetLines *)stream;
    NetConnection *connection = &stream->base;
    NetFramer *framer = &lines->framer;
    NetFramerResult result = NET_FRAMER_TOO_LONG;
    while (net_connection_wants_messages(connection) && !refuse_protocol(lines)) {
        char *message;
        size_t length;
        const size_t held_before = net_framer_held(framer);
        result = net_framer_next(framer, &message, &length);
        if (!net_connection_count(connection, held_before - net_framer_held(framer))) break;
        if (result == NET_FRAMER_MORE) break;
        lines->is_first_line = false;
        lines->drain_ms = 0;
        if (result == NET_FRAMER_MESSAGE) {
            net_connection_received(connection, message, length);
        } else {
            net_connection_received_too_long(connection);
        }
    }
    if (framer->is_draining) lines->is_first_line = false;
    if (result == NET_FRAMER_MORE) net_connection_may_hold(connection, net_framer_held(framer));
    if (framer->drained > connection->server->options.max_drain) {
        net_connection_close(connection, NET_CLOSE_ENDLESS_MESSAGE);
    } else if (result == NET_FRAMER_MORE && stream->saw_end) {
        net_connection_ended(connection);
    }
}

static bool refuse_protocol(NetLines *lines) {
    NetConnection *connection = &lines->stream.base;
    const NetFramer *framer = &lines->framer;
    if (!lines->is_first_line) return false;
    const char *bytes = net_framer_peek(framer);
    const size_t length = net_framer_held(framer);
    if (net_looks_like_http(bytes, length, framer->max_message))
        net_connection_close(connection, NET_CLOSE_HTTP);
    else if (net_looks_like_tls(bytes, length))
        net_connection_close(connection, NET_CLOSE_TLS);
    return connection->state == NET_STATE_CLOSED;
}

static size_t held(const NetStream *stream) {
    return net_framer_held(&((const NetLines *)stream)->framer);
}

// Ends a last line without a newline: JSON itself shows whether it is whole.
static bool receive_end(NetStream *stream) {
    NetFramer *framer = &((NetLines *)stream)->framer;
    if (net_framer_held(framer) == 0 && !framer->is_draining) return false;
    if (!net_framer_feed(framer, "\n", 1)) net_connection_close(&stream->base, NET_CLOSE_OUT_OF_MEMORY);
    return true;
}

static void check(NetStream *stream, unsigned elapsed_ms) {
    NetLines *lines = (NetLines *)stream;
    if (!lines->framer.is_draining || !net_connection_wants_messages(&stream->base)) return;
    lines->drain_ms += elapsed_ms;
    if (lines->drain_ms > stream->base.server->options.max_drain_ms)
        net_connection_close(&stream->base, NET_CLOSE_ENDLESS_MESSAGE);
}

static void finish(NetStream *stream) {
    net_framer_finish(&((NetLines *)stream)->framer);
}
