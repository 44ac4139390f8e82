// What a connection may do: by a token, or, where none is asked for, because it comes from this machine.
#pragma once

#include "session/token_file.h"

// Before the right token a connection may send so many bytes and stay so long.
enum { APP_STRANGER_BYTES = 1024, APP_STRANGER_MS = 5000 };

typedef struct AppAccess {
    ProtocolRole granted; // NONE: it has not shown a right token yet
    ProtocolRole role;    // what it may do: what is granted, or less by its own wish
} AppAccess;

typedef enum AppAccessResult {
    APP_ACCESS_OPENED,
    APP_ACCESS_REFUSED,     // nothing changed
    APP_ACCESS_WRONG_TOKEN, // it has no role any more, and is to be closed
} AppAccessResult;

// Of a new connection.
AppAccess app_access_begin(const AppTokens *tokens);

// session.open's protocol, token and role. `out_error` is set unless opened.
AppAccessResult app_access_open(AppAccess *access, const AppTokens *tokens, ProtocolParams params,
                                ProtocolError *out_error);
