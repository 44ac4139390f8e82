// What a connection may do: by a token of the token file, or, where there is none, because it comes from this
// machine.
//
// A line of the file is `operator TOKEN` or `observer TOKEN`; empty lines are left out, and so is what
// follows a `#` that begins a line or comes after a space. A token is 1 to 512 visible ASCII characters and
// stands in one line only; 1024 lines may have one. No message tells what a line holds, since it may be a
// token.
#pragma once

#include "base/options.h"

#include <net/server.h>
#include <protocol/methods.h>
#include <stdbool.h>
#include <stddef.h>

enum { APP_TOKEN_BYTES = 512, APP_TOKENS = 1024, APP_TOKEN_FILE_BYTES = 65536 };

typedef struct AppToken {
    ProtocolRole role;
    unsigned line;                        // in its file, from 1
    unsigned char bytes[APP_TOKEN_BYTES]; // what is left is 0
} AppToken;

// All zero is without tokens: every connection is an operator.
typedef struct AppTokens {
    AppToken *items; // [count]
    size_t count;
} AppTokens;

// Reads a file of mode 0600 and APP_TOKEN_FILE_BYTES at most that has one token at least. False:
// `out_message` names the file, the line where there is one, what was expected and what was found; nothing to
// finish.
bool app_tokens_read(AppTokens *tokens, const char *path, char *out_message, size_t capacity);

// The same for the text of a file; `path` is for the message. `text` need not end with a NUL.
bool app_tokens_parse(AppTokens *tokens, const char *path, const char *text, size_t length, char *out_message,
                      size_t capacity);

void app_tokens_finish(AppTokens *tokens);

size_t app_token_length(const AppToken *token);

// The role that a token gives, or PROTOCOL_ROLE_NONE. How long it takes does not depend on the tokens, nor on
// how much of one was right.
ProtocolRole app_tokens_role(const AppTokens *tokens, const char *token);

// What a server listens to, and what it allows a connection that has not authenticated: with tokens other
// machines connect too.
NetServerOptions app_access_server_options(const AppOptions *options, const AppTokens *tokens);

// What a server says to a message that is too long, and to a connection beyond the most there can be.
void app_access_refuse_message(const AppOptions *options, ProtocolError *out_error);
void app_access_refuse_connection(const NetServer *server, ProtocolError *out_error);

typedef struct AppAccess {
    ProtocolRole granted; // NONE: it has not shown a right token yet
    ProtocolRole role;    // what it may do: what is granted, or less where it asked for less
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
