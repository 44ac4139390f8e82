// The error that answers a request: a code, a sentence for people, and the path of the wrong field.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <text/nearest.h>

enum {
    PROTOCOL_PARSE_ERROR = -32700,     // not JSON
    PROTOCOL_INVALID_REQUEST = -32600, // JSON, but no JSON-RPC 2.0 request; or too large
    PROTOCOL_UNKNOWN_METHOD = -32601,
    PROTOCOL_INVALID_PARAMS = -32602,
    PROTOCOL_INTERNAL_ERROR = -32603, // out of memory
    PROTOCOL_NOT_FOUND = -32001,      // unknown character, garment, fabric, clip, command or view
    PROTOCOL_NOT_ALLOWED = -32002,    // the connection's role
    PROTOCOL_NOT_NOW = -32003,        // busy, a limit is reached, or not in this state
    PROTOCOL_SCRIPT_ERROR = -32004,   // a script raised an error
    PROTOCOL_WRONG_VERSION = -32010,
};

enum { PROTOCOL_ERROR_MESSAGE_BYTES = 512, PROTOCOL_ERROR_PATH_BYTES = 256 };

// code 0 = no error.
typedef struct ProtocolError {
    int code;
    char message[PROTOCOL_ERROR_MESSAGE_BYTES];
    // data.path, such as "params.wind.velocity[1]"; "method" where the method may not be called now, or not
    // by this connection; "" = left out, where there is no request to point into
    char path[PROTOCOL_ERROR_PATH_BYTES];
    const char *traceback; // data.traceback, owned by the caller; NULL = left out
} ProtocolError;

#if defined(__GNUC__)
#define PROTOCOL_PRINTF(string, first) __attribute__((format(printf, string, first)))
#else
#define PROTOCOL_PRINTF(string, first)
#endif

// Sets all of `error`. `path` may be NULL (none). A text that does not fit is cut between characters and ends
// with "…".
void protocol_error_set(ProtocolError *error, int code, const char *path, const char *format, ...)
    PROTOCOL_PRINTF(4, 5);

// -32001: no KIND "NAME"; did you mean "NEAREST"? The hint is left out where no candidate is near. `path` is
// the parameter's, such as "params.character".
void protocol_error_not_found(ProtocolError *error, const char *path, const char *kind,
                              const TextNearest *nearest);

// -32010: names the requested version and the server's.
void protocol_error_version(ProtocolError *error, double requested);

// -32002: METHOD needs the role operator; this connection is an observer.
void protocol_error_role(ProtocolError *error, const char *method);

// -32002: METHOD needs a role; this connection has none until session.open gives its token. `method` is text
// of the client, which may be any.
void protocol_error_no_role(ProtocolError *error, const char *method);
