// From a file or the environment into session.open.
#include "tools/token.h"

#include "session/token_file.h"

#include <stdlib.h>
#include <string.h>
#include <text/buffer.h>

static bool find(AppRemote *remote, const AppOptions *options, char out_token[APP_TOKEN_BYTES + 1]);

AppStatusCode app_remote_authenticate(AppRemote *remote, const AppOptions *options) {
    char token[APP_TOKEN_BYTES + 1];
    if (!find(remote, options, token)) return APP_STATUS_REFUSED;
    TextBuffer params;
    text_buffer_init(&params);
    text_buffer_append_string(&params, "{\"token\":");
    text_buffer_append_quoted(&params, token);
    text_buffer_append_char(&params, '}');
    text_buffer_append_char(&params, '\0');
    cJSON *result = NULL;
    AppStatusCode status = APP_STATUS_NO_SERVER;
    if (params.failed)
        app_log_say(&remote->log, "tweed: out of memory");
    else
        status = app_remote_request(remote, "session.open", params.bytes, &result);
    cJSON_Delete(result);
    text_buffer_finish(&params);
    return status;
}

static bool find(AppRemote *remote, const AppOptions *options, char out_token[APP_TOKEN_BYTES + 1]) {
    const char *from_environment = getenv("TWEED_TOKEN");
    if (options->token_file) {
        AppTokens tokens;
        char message[1024];
        if (!app_tokens_read(&tokens, options->token_file, message, sizeof message)) {
            app_log_say(&remote->log, "tweed: %s", message);
            return false;
        }
        const size_t length = app_token_length(&tokens.items[0]);
        memcpy(out_token, tokens.items[0].bytes, length);
        out_token[length] = '\0';
        app_tokens_finish(&tokens);
        return true;
    }
    if (!from_environment || !from_environment[0]) {
        app_log_say(
            &remote->log,
            "tweed: %s asks for a token: expected --token-file PATH or TWEED_TOKEN in the environment, "
            "found neither",
            remote->where);
        return false;
    }
    if (strlen(from_environment) > APP_TOKEN_BYTES) {
        app_log_say(&remote->log, "tweed: TWEED_TOKEN: expected %d bytes at most, found %zu", APP_TOKEN_BYTES,
                    strlen(from_environment));
        return false;
    }
    memcpy(out_token, from_environment, strlen(from_environment) + 1);
    return true;
}
