// wslay finds the frames and unmasks them. What it leaves to the caller is here: who must mask, reserved
// bits, the order of fragments, close codes, UTF-8.

#include "http/websocket.h"

#include <nettle/base64.h>
#include <nettle/sha1.h>
#include <stdlib.h>
#include <string.h>
#include <text/utf8.h>

enum { SMALL_CAPACITY = 4096, KEPT_CAPACITY = 16384, KEY_LENGTH = 24 };

typedef struct wslay_frame_iocb Frame;

static ssize_t give_input(uint8_t *buffer, size_t length, int flags, void *context);
static bool begin_frame(NetWebSocket *socket, const Frame *frame);
static bool take_payload(NetWebSocket *socket, const Frame *frame);
static bool reserve(NetWebSocket *socket, size_t more);
static NetWebSocketEvent end_frame(NetWebSocket *socket, const Frame *frame);
static NetWebSocketEvent end_message(NetWebSocket *socket);
static NetWebSocketEvent end_close(NetWebSocket *socket);
static void drop_message(NetWebSocket *socket);
static bool is_text(const char *bytes, size_t length);
static bool is_close_code(unsigned code);
static bool fail(NetWebSocket *socket, NetCloseReason reason);

bool net_websocket_key_is_valid(const char *key) {
    struct base64_decode_ctx decoding;
    uint8_t bytes[BASE64_DECODE_LENGTH(KEY_LENGTH)];
    size_t length = 0;
    base64_decode_init(&decoding);
    return strlen(key) == KEY_LENGTH && base64_decode_update(&decoding, &length, bytes, KEY_LENGTH, key) &&
           base64_decode_final(&decoding) && length == 16;
}

void net_websocket_accept(const char *key, char out_accept[NET_ACCEPT_LENGTH + 1]) {
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    struct sha1_ctx hashing;
    uint8_t digest[SHA1_DIGEST_SIZE];
    sha1_init(&hashing);
    sha1_update(&hashing, strlen(key), (const uint8_t *)key);
    sha1_update(&hashing, sizeof guid - 1, (const uint8_t *)guid);
    sha1_digest(&hashing, sizeof digest, digest);
    base64_encode_raw(out_accept, sizeof digest, digest);
    out_accept[NET_ACCEPT_LENGTH] = '\0';
}

bool net_websocket_init(NetWebSocket *socket, size_t max_message) {
    const struct wslay_frame_callbacks callbacks = {.recv_callback = give_input};
    *socket = (NetWebSocket){.max_message = max_message, .is_starved = true};
    return wslay_frame_context_init(&socket->frames, &callbacks, socket) == 0;
}

void net_websocket_finish(NetWebSocket *socket) {
    wslay_frame_context_free(socket->frames);
    free(socket->message);
    *socket = (NetWebSocket){0};
}

NetWebSocketEvent net_websocket_read(NetWebSocket *socket, const char *bytes, size_t length,
                                     size_t *out_taken) {
    NetWebSocketEvent event = NET_WEBSOCKET_MORE;
    if (!socket->is_in_message) drop_message(socket);
    socket->input = bytes;
    socket->input_left = length;
    for (bool goes_on = true; goes_on;) {
        Frame frame;
        const ssize_t taken = wslay_frame_recv(socket->frames, &frame);
        if (taken == WSLAY_ERR_WANT_READ) break;
        event = NET_WEBSOCKET_FAILED;
        if (taken < 0) {
            fail(socket, NET_CLOSE_BAD_LENGTH);
            break;
        }
        if (!socket->is_in_frame && !begin_frame(socket, &frame)) break;
        if (!take_payload(socket, &frame)) break;
        event = socket->frame_left == 0 ? end_frame(socket, &frame) : NET_WEBSOCKET_MORE;
        goes_on = event == NET_WEBSOCKET_MORE;
    }
    socket->is_starved = event == NET_WEBSOCKET_MORE;
    *out_taken = length - socket->input_left;
    return event;
}

size_t net_websocket_header(unsigned char opcode, uint64_t length, unsigned char out_header[10]) {
    const int extra = length < 126 ? 0 : length < 65536 ? 2 : 8;
    out_header[0] = 0x80 | opcode;
    out_header[1] = extra == 0 ? (unsigned char)length : extra == 2 ? 126 : 127;
    for (int i = 0; i < extra; i++) out_header[2 + i] = (unsigned char)(length >> 8 * (extra - 1 - i));
    return 2 + (size_t)extra;
}

NetBuffer *net_websocket_control(unsigned char opcode, const char *payload, size_t length) {
    unsigned char header[10];
    const size_t header_length = net_websocket_header(opcode, length, header);
    NetBuffer *buffer = net_buffer_create(header_length + length);
    if (!buffer) return NULL;
    net_buffer_append(buffer, (const char *)header, header_length); // there is room
    net_buffer_append(buffer, payload, length);
    net_buffer_mark_raw(buffer);
    return buffer;
}

unsigned net_websocket_close_code(NetCloseReason reason) {
    switch (reason) {
    case NET_CLOSE_STOPPING:
        return WSLAY_CODE_GOING_AWAY;
    case NET_CLOSE_UNMASKED:
    case NET_CLOSE_RESERVED:
    case NET_CLOSE_FRAGMENTS:
    case NET_CLOSE_BAD_LENGTH:
    case NET_CLOSE_BAD_CODE:
        return WSLAY_CODE_PROTOCOL_ERROR;
    case NET_CLOSE_NOT_UTF8:
        return WSLAY_CODE_INVALID_FRAME_PAYLOAD_DATA;
    case NET_CLOSE_BINARY:
        return WSLAY_CODE_UNSUPPORTED_DATA;
    case NET_CLOSE_ENDLESS_MESSAGE:
        return WSLAY_CODE_MESSAGE_TOO_BIG;
    case NET_CLOSE_OUT_OF_MEMORY:
        return WSLAY_CODE_INTERNAL_SERVER_ERROR;
    case NET_CLOSE_TOO_MANY_CLIENTS:
        return 1013; // try again later; of IANA's registry
    case NET_CLOSE_LONG_BATCH:
    case NET_CLOSE_STALLED:
    case NET_CLOSE_UNREAD:
    case NET_CLOSE_SLOW_QUEUE:
    case NET_CLOSE_UNTRUSTED_BYTES:
    case NET_CLOSE_UNTRUSTED_TIME:
    case NET_CLOSE_WRONG_TOKEN:
    case NET_CLOSE_NO_ANSWER:
        return WSLAY_CODE_POLICY_VIOLATION;
    default:
        return WSLAY_CODE_NORMAL_CLOSURE;
    }
}

static ssize_t give_input(uint8_t *buffer, size_t length, int flags, void *context) {
    (void)flags;
    NetWebSocket *socket = context;
    if (length > socket->input_left) length = socket->input_left;
    if (length == 0) return -1;
    memcpy(buffer, socket->input, length);
    socket->input += length;
    socket->input_left -= length;
    return (ssize_t)length;
}

static bool begin_frame(NetWebSocket *socket, const Frame *frame) {
    const bool is_control = wslay_is_ctrl_frame(frame->opcode);
    if (!frame->mask) return fail(socket, NET_CLOSE_UNMASKED);
    if (frame->rsv != WSLAY_RSV_NONE) return fail(socket, NET_CLOSE_RESERVED);
    switch (frame->opcode) {
    case WSLAY_TEXT_FRAME:
    case WSLAY_BINARY_FRAME:
        if (socket->is_in_message) return fail(socket, NET_CLOSE_FRAGMENTS);
        if (frame->opcode == WSLAY_BINARY_FRAME) return fail(socket, NET_CLOSE_BINARY);
        break;
    case WSLAY_CONTINUATION_FRAME:
        if (!socket->is_in_message) return fail(socket, NET_CLOSE_FRAGMENTS);
        break;
    case WSLAY_CONNECTION_CLOSE:
    case WSLAY_PING:
    case WSLAY_PONG:
        break;
    default:
        return fail(socket, NET_CLOSE_RESERVED);
    }
    socket->is_in_frame = true;
    socket->frame_left = frame->payload_length;
    if (is_control) {
        socket->control_length = 0;
    } else {
        socket->is_in_message = true;
    }
    return true;
}

static bool take_payload(NetWebSocket *socket, const Frame *frame) {
    const size_t count = frame->data_length;
    socket->frame_left -= count;
    if (wslay_is_ctrl_frame(frame->opcode)) {
        memcpy(socket->control + socket->control_length, frame->data, count); // wslay allows no longer one
        socket->control_length += count;
        return true;
    }
    if (socket->is_draining || count > socket->max_message - socket->length) {
        socket->drained += socket->is_draining ? count : socket->length + count;
        socket->is_draining = true;
        socket->length = 0;
        return true;
    }
    if (!reserve(socket, count + 1)) return fail(socket, NET_CLOSE_OUT_OF_MEMORY);
    memcpy(socket->message + socket->length, frame->data, count);
    socket->length += count;
    socket->message[socket->length] = '\0';
    return true;
}

static bool reserve(NetWebSocket *socket, size_t more) {
    const size_t needed = socket->length + more;
    if (needed <= socket->capacity) return true;
    size_t capacity = socket->capacity * 2 > SMALL_CAPACITY ? socket->capacity * 2 : SMALL_CAPACITY;
    if (capacity < needed) capacity = needed;
    char *message = realloc(socket->message, capacity);
    if (!message) return false;
    socket->message = message;
    socket->capacity = capacity;
    return true;
}

// NET_WEBSOCKET_MORE: it was not the last one of its message.
static NetWebSocketEvent end_frame(NetWebSocket *socket, const Frame *frame) {
    socket->is_in_frame = false;
    switch (frame->opcode) {
    case WSLAY_PING:
        return NET_WEBSOCKET_PING;
    case WSLAY_PONG:
        return NET_WEBSOCKET_PONG;
    case WSLAY_CONNECTION_CLOSE:
        return end_close(socket);
    default:
        return frame->fin ? end_message(socket) : NET_WEBSOCKET_MORE;
    }
}

static NetWebSocketEvent end_message(NetWebSocket *socket) {
    socket->is_in_message = false;
    if (socket->is_draining) return NET_WEBSOCKET_TOO_LONG;
    if (is_text(socket->message, socket->length)) return NET_WEBSOCKET_MESSAGE;
    fail(socket, NET_CLOSE_NOT_UTF8);
    return NET_WEBSOCKET_FAILED;
}

static NetWebSocketEvent end_close(NetWebSocket *socket) {
    const unsigned char *payload = (const unsigned char *)socket->control;
    const size_t length = socket->control_length;
    if (length == 0) return NET_WEBSOCKET_CLOSE;
    const bool is_valid = length >= 2 && is_close_code((unsigned)payload[0] << 8 | payload[1]);
    if (is_valid && is_text(socket->control + 2, length - 2)) return NET_WEBSOCKET_CLOSE;
    fail(socket, is_valid ? NET_CLOSE_NOT_UTF8 : NET_CLOSE_BAD_CODE);
    return NET_WEBSOCKET_FAILED;
}

// Frees the memory of an unusually long message, so that a silent connection holds little.
static void drop_message(NetWebSocket *socket) {
    socket->length = socket->drained = 0;
    socket->is_draining = false;
    if (socket->capacity <= KEPT_CAPACITY) return;
    free(socket->message);
    socket->message = NULL;
    socket->capacity = 0;
}

// NUL is UTF-8, too: that it is no JSON is for the owner to say.
static bool is_text(const char *bytes, size_t length) {
    for (size_t at = 0, size; at < length; at += size) {
        size = text_utf8_length(bytes + at, length - at);
        if (size == 0) return false;
    }
    return true;
}

// Those that may be sent (RFC 6455, 7.4, and IANA's registry).
static bool is_close_code(unsigned code) {
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

static bool fail(NetWebSocket *socket, NetCloseReason reason) {
    socket->failure = reason;
    return false;
}
