// Token files: what is read gives each token its own role and nothing else any, and what is not read says why
// and leaves nothing behind.
//
// Input: the text of a file.
#include "fuzz.h"
#include "session/access.h"

#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    return 0;
}

// As anybody would look it up.
static ProtocolRole plain_role(const AppTokens *tokens, const char *token) {
    for (size_t i = 0; i < tokens->count; i++) {
        const size_t length = app_token_length(&tokens->items[i]);
        if (strlen(token) == length && memcmp(tokens->items[i].bytes, token, length) == 0)
            return tokens->items[i].role;
    }
    return PROTOCOL_ROLE_NONE;
}

// The token itself, less its end, with one character more, and with each of the first changed.
static void try_token(const AppTokens *tokens, const AppToken *known) {
    char token[APP_TOKEN_BYTES + 2] = {0};
    const size_t length = app_token_length(known);
    FUZZ_CHECK(length > 0 && length <= APP_TOKEN_BYTES, "%zu bytes", length);
    FUZZ_CHECK(known->role == PROTOCOL_ROLE_OBSERVER || known->role == PROTOCOL_ROLE_OPERATOR, "%d",
               (int)known->role);
    memcpy(token, known->bytes, length);
    FUZZ_CHECK(strlen(token) == length, "a NUL in it");
    FUZZ_CHECK(app_tokens_role(tokens, token) == known->role, "not its role");
    token[length] = 'x';
    FUZZ_CHECK(app_tokens_role(tokens, token) == plain_role(tokens, token), "one more");
    token[length - 1] = '\0';
    FUZZ_CHECK(app_tokens_role(tokens, token) == plain_role(tokens, token), "one less");
    memcpy(token, known->bytes, length);
    token[length] = '\0';
    for (size_t i = 0; i < length && i < 8; i++) {
        token[i] ^= 1;
        FUZZ_CHECK(app_tokens_role(tokens, token) == plain_role(tokens, token), "another");
        token[i] ^= 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    AppTokens tokens;
    char message[96] = "";
    if (app_tokens_parse(&tokens, "tokens", (const char *)data, size, message, sizeof message)) {
        FUZZ_CHECK(tokens.count > 0 && tokens.count <= APP_TOKENS, "%zu", tokens.count);
        for (size_t i = 0; i < tokens.count; i++) try_token(&tokens, &tokens.items[i]);
        app_tokens_finish(&tokens);
    } else {
        FUZZ_CHECK(strncmp(message, "tokens:", 7) == 0 && memchr(message, 0, sizeof message), "no message");
    }
    FUZZ_CHECK(!tokens.items && tokens.count == 0, "something is left");
    return 0;
}
