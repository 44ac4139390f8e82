// One WebSocket: the handshake, the frames received, read with wslay, to messages, and the headers of those
// sent. Knows no sockets.
#pragma once

#include "net/connection.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wslay/wslay.h>

enum {
    NET_ACCEPT_LENGTH = 28,  // characters of the answer to a key
    NET_CONTROL_BYTES = 125, // of a control frame's payload at most
};

typedef struct NetWebSocket {
    wslay_frame_context_ptr frames;
    const char *input; // not read yet
    size_t input_left;
    bool is_starved; // all that was fed has been read

    // The frame being read.
    bool is_in_frame;
    uint64_t frame_left; // bytes of its payload
    char control[NET_CONTROL_BYTES];
    size_t control_length;

    // The message being read; its fragments are joined.
    bool is_in_message;
    bool is_draining; // it is over max_message: its bytes are dropped
    size_t drained;
    char *message;
    size_t length, capacity;
    size_t max_message; // bytes

    NetCloseReason failure; // with NET_WEBSOCKET_FAILED
} NetWebSocket;

typedef enum NetWebSocketEvent {
    NET_WEBSOCKET_MORE,     // feed more
    NET_WEBSOCKET_MESSAGE,  // `message`, with a NUL behind it, valid until the next call
    NET_WEBSOCKET_TOO_LONG, // the end of a message over max_message
    NET_WEBSOCKET_PING,     // `control`
    NET_WEBSOCKET_PONG,
    NET_WEBSOCKET_CLOSE,  // `control`: nothing, or a valid code and a text
    NET_WEBSOCKET_FAILED, // `failure`
} NetWebSocketEvent;

// Whether a client's key is 16 bytes in base64 (RFC 6455, 4.2.2), and the answer to it.
bool net_websocket_key_is_valid(const char *key);
void net_websocket_accept(const char *key, char out_accept[NET_ACCEPT_LENGTH + 1]);

// Returns false when memory runs out.
bool net_websocket_init(NetWebSocket *socket, size_t max_message);
void net_websocket_finish(NetWebSocket *socket);

// Reads up to the end of the next event; *out_taken bytes are read, all of them with NET_WEBSOCKET_MORE.
NetWebSocketEvent net_websocket_read(NetWebSocket *socket, const char *bytes, size_t length,
                                     size_t *out_taken);

// The header of an unmasked, final frame; returns its length, 10 at most.
size_t net_websocket_header(unsigned char opcode, uint64_t length, unsigned char out_header[10]);

// A whole control frame, raw, of NET_CONTROL_BYTES at most. Returns NULL when memory runs out.
NetBuffer *net_websocket_control(unsigned char opcode, const char *payload, size_t length);

// The code of a close frame for the reason why a connection ends.
unsigned net_websocket_close_code(NetCloseReason reason);
