// The codec of the HTTP port. A connection begins with requests, answered one after the other; one that asks
// for a WebSocket makes it a session of the owner, as a connection of the TCP port is.

#include "http/request.h"
#include "http/response.h"
#include "http/websocket.h"
#include "origin.h"
#include "server_state.h"
#include "stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <text/buffer.h>

typedef struct NetHttp {
    NetStream stream;
    TextBuffer input;
    size_t taken; // bytes of the input that have been read

    // Either of them: first requests, then a WebSocket.
    NetRequest *request;
    unsigned waiting_ms; // for its head

    bool is_websocket;
    NetWebSocket websocket;
    bool has_closed; // the peer, by a close frame
    bool has_farewell;
    unsigned silent_ms;
    bool has_pinged;
    unsigned drain_ms; // spent on the current over-long message
} NetHttp;

// Why a request is refused.
typedef struct Refusal {
    unsigned status; // 0: it is not
    const char *why;
    const char *headers; // whole lines; NULL: none
    NetRefusal reason;
    const char *value; // for the log: the header that is wrong; NULL: none
} Refusal;

static void open_http(NetStream *stream, const NetListener *listener);
static bool receive(NetStream *stream, const char *bytes, size_t length);
static void deliver(NetStream *stream);
static size_t held(const NetStream *stream);
static bool receive_end(NetStream *stream);
static void frame(const NetStream *stream, const NetBuffer *buffer, NetFrame *out_frame);
static NetBuffer *farewell(NetStream *stream);
static void check(NetStream *stream, unsigned elapsed_ms);
static void finish(NetStream *stream);

const NetCodec net_http_codec = {.size = sizeof(NetHttp),
                                 .open = open_http,
                                 .receive = receive,
                                 .deliver = deliver,
                                 .held = held,
                                 .receive_end = receive_end,
                                 .frame = frame,
                                 .farewell = farewell,
                                 .check = check,
                                 .finish = finish};

static bool take_request(NetHttp *http);
static void answer(NetHttp *http);
static Refusal judge(const NetHttp *http);
static Refusal judge_websocket(const NetHttp *http);
static bool has_token(const char *list, const char *token);
static void ask_owner(NetHttp *http);
static void respond(NetHttp *http, unsigned status, const NetHttpResponse *response, const char *headers);
static void refuse(NetHttp *http, Refusal refusal);
static void begin_websocket(NetHttp *http);
static void deliver_messages(NetHttp *http);
static void take_close(NetHttp *http);
static void check_request(NetHttp *http, unsigned elapsed_ms);
static void check_websocket(NetHttp *http, unsigned elapsed_ms);
static void send_raw(NetHttp *http, NetBuffer *buffer);

static void open_http(NetStream *stream, const NetListener *listener) {
    (void)listener;
    NetHttp *http = (NetHttp *)stream;
    stream->base.carrier = NET_WEBSOCKET;
    net_connection_begin(&stream->base, stream->base.server, &net_stream_transport);
    http->request = malloc(sizeof *http->request);
    if (http->request)
        net_request_init(http->request);
    else
        net_connection_close(&stream->base, NET_CLOSE_OUT_OF_MEMORY);
}

static bool receive(NetStream *stream, const char *bytes, size_t length) {
    NetHttp *http = (NetHttp *)stream;
    if (http->has_closed) return true; // what follows a close frame is ignored
    http->silent_ms = 0;
    http->has_pinged = false;
    if (http->taken > 0) { // what is still held comes to the front
        http->input.length = held(stream);
        memmove(http->input.bytes, http->input.bytes + http->taken, http->input.length);
        http->taken = 0;
    }
    text_buffer_append(&http->input, bytes, length);
    return !http->input.failed;
}

static void deliver(NetStream *stream) {
    NetHttp *http = (NetHttp *)stream;
    NetConnection *connection = &stream->base;
    while (!http->is_websocket && net_connection_wants_messages(connection) && take_request(http))
        answer(http);
    if (http->is_websocket)
        deliver_messages(http);
    else if (stream->saw_end && held(stream) == 0)
        net_connection_ended(connection);
    if (held(stream) == 0) { // memory of much input at once is given back
        text_buffer_finish(&http->input);
        http->taken = 0;
    }
}

static size_t held(const NetStream *stream) {
    const NetHttp *http = (const NetHttp *)stream;
    return http->input.length - http->taken;
}

static bool receive_end(NetStream *stream) {
    const NetHttp *http = (const NetHttp *)stream;
    return held(stream) > 0 || (http->is_websocket && !http->websocket.is_starved);
}

// A message without its newline, behind the header of a text frame.
static void frame(const NetStream *stream, const NetBuffer *buffer, NetFrame *out_frame) {
    if (!((const NetHttp *)stream)->is_websocket || net_buffer_is_raw(buffer)) return;
    out_frame->trim = 1;
    out_frame->header_length =
        net_websocket_header(WSLAY_TEXT_FRAME, net_buffer_length(buffer) - 1, out_frame->header);
}

static NetBuffer *farewell(NetStream *stream) {
    NetHttp *http = (NetHttp *)stream;
    if (!http->is_websocket || http->has_farewell) return NULL;
    http->has_farewell = true;
    const NetWebSocket *socket = &http->websocket;
    if (http->has_closed && stream->base.reason == NET_CLOSE_BY_PEER) // the same code, or none
        return net_websocket_control(WSLAY_CONNECTION_CLOSE, socket->control, socket->control_length ? 2 : 0);
    const unsigned code = net_websocket_close_code(stream->base.reason);
    const char *text = net_connection_close_text(&stream->base);
    char payload[NET_CONTROL_BYTES + 1];
    snprintf(payload, sizeof payload, "%c%c%s", (char)(code >> 8), (char)code, text);
    return net_websocket_control(WSLAY_CONNECTION_CLOSE, payload, 2 + strlen(text));
}

static void check(NetStream *stream, unsigned elapsed_ms) {
    NetHttp *http = (NetHttp *)stream;
    if (stream->base.state != NET_STATE_OPEN || !net_connection_wants_messages(&stream->base)) return;
    if (http->is_websocket)
        check_websocket(http, elapsed_ms);
    else
        check_request(http, elapsed_ms);
}

static void finish(NetStream *stream) {
    NetHttp *http = (NetHttp *)stream;
    text_buffer_finish(&http->input);
    free(http->request);
    if (http->is_websocket) net_websocket_finish(&http->websocket);
}

// Whether a request is there to be answered, a wrong one included.
static bool take_request(NetHttp *http) {
    if (held(&http->stream) == 0) return false;
    if (http->request->head_bytes == 0) http->waiting_ms = 0;
    http->taken += net_request_feed(http->request, http->input.bytes + http->taken, held(&http->stream));
    return http->request->is_whole || http->request->error != 0;
}

static void answer(NetHttp *http) {
    const bool is_websocket = strcmp(http->request->target, NET_WEBSOCKET_PATH) == 0;
    Refusal refusal = judge(http);
    if (refusal.status == 0 && is_websocket) refusal = judge_websocket(http);
    http->waiting_ms = 0;
    if (refusal.status != 0)
        refuse(http, refusal);
    else if (is_websocket)
        begin_websocket(http);
    else
        ask_owner(http);
    if (!http->is_websocket) net_request_init(http->request);
}

static Refusal judge(const NetHttp *http) {
    const NetRequest *request = http->request;
    const NetServerOptions *options = &http->stream.base.server->options;
    const NetOrigins allowed = {options->allowed_origins, options->allowed_origin_count};
    const char *host = request->values[NET_HEADER_HOST];
    if (request->error != 0) return (Refusal){.status = request->error, .why = request->why};
    if (request->parser.http_major != 1) return (Refusal){.status = 505, .why = "expected HTTP/1.1"};
    if (!request->has[NET_HEADER_HOST]) return (Refusal){.status = 400, .why = "expected a Host header"};
    if (!net_host_is_allowed(host, allowed))
        return (Refusal){.status = 403,
                         .why = "the host is no IP address, not localhost and none of --allow-origin",
                         .reason = NET_REFUSAL_HOST,
                         .value = host};
    if (request->parser.method != HTTP_GET && request->parser.method != HTTP_HEAD)
        return (Refusal){.status = 405, .why = "expected GET or HEAD", .headers = "Allow: GET, HEAD\r\n"};
    return (Refusal){0};
}

static Refusal judge_websocket(const NetHttp *http) {
    static const char upgrade[] = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
    const NetRequest *request = http->request;
    const NetServer *server = http->stream.base.server;
    const NetOrigins allowed = {server->options.allowed_origins, server->options.allowed_origin_count};
    const char *origin = request->values[NET_HEADER_ORIGIN];
    if (request->has[NET_HEADER_ORIGIN] &&
        !net_origin_is_allowed(origin, request->values[NET_HEADER_HOST], allowed))
        return (Refusal){.status = 403,
                         .why = "the Origin is neither the server's own nor one of --allow-origin",
                         .reason = NET_REFUSAL_ORIGIN,
                         .value = origin};
    if (request->parser.method != HTTP_GET || request->parser.http_minor < 1 || !request->wants_upgrade ||
        strcasecmp(request->values[NET_HEADER_UPGRADE], "websocket") != 0)
        return (Refusal){.status = 426, .why = "expected a WebSocket", .headers = upgrade};
    if (strcmp(request->values[NET_HEADER_VERSION], "13") != 0)
        return (Refusal){.status = 426, .why = "expected Sec-WebSocket-Version: 13", .headers = upgrade};
    if (request->has_body || !net_websocket_key_is_valid(request->values[NET_HEADER_KEY]))
        return (Refusal){.status = 400, .why = "expected a Sec-WebSocket-Key of 16 bytes in base64"};
    if (request->has[NET_HEADER_PROTOCOL] &&
        !has_token(request->values[NET_HEADER_PROTOCOL], NET_WEBSOCKET_SUBPROTOCOL))
        return (Refusal){.status = 400, .why = "expected the subprotocol " NET_WEBSOCKET_SUBPROTOCOL};
    return (Refusal){0};
}

static bool has_token(const char *list, const char *token) {
    const size_t length = strlen(token);
    for (list += strspn(list, ", \t"); *list; list += strspn(list, ", \t")) {
        const size_t item = strcspn(list, ", \t");
        if (item == length && memcmp(list, token, length) == 0) return true;
        list += item;
    }
    return false;
}

static void ask_owner(NetHttp *http) {
    NetServer *server = http->stream.base.server;
    const NetRequest *request = http->request;
    const NetHttpRequest asked = {request->target, request->values[NET_HEADER_ACCEPT_ENCODING]};
    NetHttpResponse response = {.status = 404};
    if (server->callbacks.on_request) server->callbacks.on_request(server, &asked, &response);
    if (!response.body) {
        respond(http, response.status, &response, "");
        return;
    }
    const bool is_known = response.status == 200 && response.etag && request->has[NET_HEADER_IF_NONE_MATCH] &&
                          net_etag_matches(request->values[NET_HEADER_IF_NONE_MATCH], response.etag);
    respond(http, is_known ? 304 : response.status, &response, "");
}

static void refuse(NetHttp *http, Refusal refusal) {
    const bool is_malformed = http->request->error != 0 || refusal.status == 400 || refusal.status == 505;
    if (is_malformed) http->request->is_keep_alive = false; // where the next one begins is unknown
    NetBuffer *line = net_response_line(refusal.status, refusal.why);
    net_server_refuse(http->stream.base.server, refusal.reason,
                      refusal.value ? "%s: %u: %s: \"%.100s\"" : "%s: %u: %s", http->stream.base.address,
                      refusal.status, refusal.why, refusal.value);
    respond(http, refusal.status, &(NetHttpResponse){.body = line}, refusal.headers ? refusal.headers : "");
}

static void respond(NetHttp *http, unsigned status, const NetHttpResponse *response, const char *headers) {
    NetConnection *connection = &http->stream.base;
    NetBuffer *body = response->body ? response->body : net_response_line(status, NULL);
    const bool is_last = !http->request->is_keep_alive;
    const NetResponseHead head = {status, response, body ? net_buffer_length(body) : 0, is_last, headers};
    if (body) net_buffer_mark_raw(body);
    send_raw(http, net_response_head(&head));
    if (http->request->parser.method == HTTP_HEAD || status == 304)
        net_buffer_release(body);
    else
        send_raw(http, body);
    if (is_last) net_connection_finish(connection, NET_CLOSE_FINISHED);
}

static void begin_websocket(NetHttp *http) {
    NetConnection *connection = &http->stream.base;
    char accept[NET_ACCEPT_LENGTH + 1], head[256];
    net_websocket_accept(http->request->values[NET_HEADER_KEY], accept);
    const int length = snprintf(
        head, sizeof head,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: %s\r\n%s\r\n",
        accept,
        http->request->has[NET_HEADER_PROTOCOL] ? "Sec-WebSocket-Protocol: " NET_WEBSOCKET_SUBPROTOCOL "\r\n"
                                                : "");
    if (!net_websocket_init(&http->websocket, connection->server->options.max_message)) {
        net_connection_close(connection, NET_CLOSE_OUT_OF_MEMORY);
        return;
    }
    http->is_websocket = true;
    free(http->request);
    http->request = NULL;
    NetBuffer *switching = net_buffer_create_copy(head, (size_t)length);
    if (switching) net_buffer_mark_raw(switching);
    send_raw(http, switching);
    net_connection_admit(connection);
}

static void deliver_messages(NetHttp *http) {
    NetConnection *connection = &http->stream.base;
    NetWebSocket *socket = &http->websocket;
    NetWebSocketEvent event = NET_WEBSOCKET_PING;
    while (event != NET_WEBSOCKET_MORE && !http->has_closed && net_connection_wants_messages(connection)) {
        size_t taken;
        const char *bytes = http->input.bytes ? http->input.bytes + http->taken : "";
        event = net_websocket_read(socket, bytes, held(&http->stream), &taken);
        http->taken += taken;
        if (!net_connection_count(connection, taken)) return;
        if (event == NET_WEBSOCKET_MESSAGE) {
            if (socket->length > 0) net_connection_received(connection, socket->message, socket->length);
        } else if (event == NET_WEBSOCKET_TOO_LONG) {
            net_connection_received_too_long(connection);
        } else if (event == NET_WEBSOCKET_PING) {
            send_raw(http, net_websocket_control(WSLAY_PONG, socket->control, socket->control_length));
        } else if (event == NET_WEBSOCKET_CLOSE) {
            take_close(http);
        } else if (event == NET_WEBSOCKET_FAILED) {
            net_connection_finish(connection, socket->failure);
        }
        if (!socket->is_draining) http->drain_ms = 0;
    }
    if (event != NET_WEBSOCKET_MORE) return;
    if (socket->drained > connection->server->options.max_drain)
        net_connection_finish(connection, NET_CLOSE_ENDLESS_MESSAGE);
    else if (http->stream.saw_end)
        net_connection_ended(connection);
}

// What the owner still owes the peer is sent.
static void take_close(NetHttp *http) {
    http->has_closed = true;
    http->taken = http->input.length;
    net_connection_ended(&http->stream.base);
}

static void check_request(NetHttp *http, unsigned elapsed_ms) {
    NetConnection *connection = &http->stream.base;
    const NetServerOptions *options = &connection->server->options;
    if (net_connection_queued_bytes(connection) > 0) return; // connection.c sees to it
    const bool has_begun = http->request->head_bytes > 0;
    http->waiting_ms += elapsed_ms;
    if (http->waiting_ms <= (has_begun ? options->request_ms : options->keep_alive_ms)) return;
    http->request->is_keep_alive = false;
    if (has_begun)
        refuse(http, (Refusal){.status = 408, .why = "the request did not end in time"});
    else
        net_connection_finish(connection, NET_CLOSE_FINISHED);
}

static void check_websocket(NetHttp *http, unsigned elapsed_ms) {
    NetConnection *connection = &http->stream.base;
    const NetServerOptions *options = &connection->server->options;
    http->silent_ms += elapsed_ms;
    if (http->websocket.is_draining) http->drain_ms += elapsed_ms;
    if (http->drain_ms > options->max_drain_ms) {
        net_connection_finish(connection, NET_CLOSE_ENDLESS_MESSAGE);
    } else if (http->silent_ms >= 2 * options->ping_ms) {
        net_connection_finish(connection, NET_CLOSE_NO_ANSWER);
    } else if (http->silent_ms >= options->ping_ms && !http->has_pinged) {
        http->has_pinged = true;
        send_raw(http, net_websocket_control(WSLAY_PING, "", 0));
    }
}

// Takes over the reference. NULL (out of memory where it was made) closes the connection.
static void send_raw(NetHttp *http, NetBuffer *buffer) {
    net_connection_send(&http->stream.base, buffer);
    net_buffer_release(buffer);
}
