// Requests as they come in: one line (or WebSocket message) of bytes is checked, parsed and taken apart into
// JSON-RPC 2.0 requests. Pure functions of the bytes.
#pragma once

#include "protocol/error.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <text/buffer.h>

enum {
    PROTOCOL_VERSION = 1,
    PROTOCOL_MAX_VALUES = 8192, // JSON values in a message, containers counted, keys not
    PROTOCOL_MAX_NESTING = 64,  // arrays and objects inside each other
};

// A parsed line. Do not touch the members but `batch`.
typedef struct ProtocolMessage {
    bool batch; // the answers go into one array (reply.h); a batch of notifications only gets no answer
    cJSON *root;
    TextBuffer ids; // of each request as it came in, one after the other, each ended by NUL; "" = none
    size_t next_id;
} ProtocolMessage;

// One request. It owns all it points to and outlives the message: a command may wait in a queue.
typedef struct ProtocolRequest {
    cJSON *object;       // the whole request, holding method and params; NULL where the element was no object
    char *id;            // JSON text of the id as it came in; NULL where there was none
    const char *method;  // NULL unless valid
    const cJSON *params; // NULL when left out; validation accepts only an object
    bool notification;   // valid and without id: not answered, not even with an error
} ProtocolRequest;

typedef enum ProtocolNext {
    PROTOCOL_NEXT_NONE,    // there is no other request
    PROTOCOL_NEXT_REQUEST, // *out_request is valid
    PROTOCOL_NEXT_INVALID, // answer with *out_error and out_request->id (NULL: id null)
} ProtocolNext;

// Checks and parses `length` bytes (without the line's end; white space around is allowed). On false the one
// answer is *out_error with id null, and the message needs no finish. Errors:
// - parse error: not JSON by RFC 8259's grammar, invalid UTF-8, NUL (also as \u0000), control characters in
//   strings, lone surrogates, nesting over 64, anything after the value;
// - invalid request: more than 8,192 values, an empty batch, neither object nor array;
// - internal error: out of memory.
bool protocol_message_read(ProtocolMessage *message, const char *bytes, size_t length,
                           ProtocolError *out_error);
void protocol_message_finish(ProtocolMessage *message);

// Takes the next request out of the message; the caller finishes it whenever the result is not NONE. Keys are
// case-sensitive; of a repeated key the first counts. Members that JSON-RPC does not know are ignored.
ProtocolNext protocol_message_next(ProtocolMessage *message, ProtocolRequest *out_request,
                                   ProtocolError *out_error);
void protocol_request_finish(ProtocolRequest *request);
