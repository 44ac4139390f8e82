// Asking a server: lines out, lines in.
#include "tools/remote.h"

#include "tools/token.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <text/buffer.h>

enum { HELLO_MS = 5000 };

static AppStatusCode greet(AppRemote *remote, const char *line, size_t length, bool *out_asks_for_token);
static AppStatusCode send_request(AppRemote *remote, const char *method, const char *params);
static AppStatusCode take_reply(AppRemote *remote, cJSON *reply, cJSON **out_result);
static void print_error(AppRemote *remote, const cJSON *error);

AppStatusCode app_remote_open(AppRemote *remote, const AppOptions *options) {
    *remote = (AppRemote){0};
    app_log_init(&remote->log, stderr, APP_LOG_INFO);
    NetError error;
    if (options->unix_path) {
        snprintf(remote->where, sizeof remote->where, "%s", options->unix_path);
        remote->peer = net_peer_connect_unix(options->unix_path, &error);
    } else {
        const char *host = options->connect.host;
        snprintf(remote->where, sizeof remote->where, strchr(host, ':') ? "[%s]:%d" : "%s:%d", host,
                 (int)options->connect.port);
        remote->peer = net_peer_connect_tcp(host, (uint16_t)options->connect.port, &error);
    }
    if (!remote->peer) {
        app_log_say(&remote->log, "tweed: no server at %s: %s", remote->where, error.text);
        return APP_STATUS_NO_SERVER;
    }
    char *line;
    size_t length;
    const NetPeerEvent event = app_remote_read(remote, HELLO_MS, &line, &length);
    if (event != NET_PEER_LINE && event != NET_PEER_TIMEOUT) return APP_STATUS_NO_SERVER;
    bool asks_for_token;
    const AppStatusCode status = greet(remote, event == NET_PEER_LINE ? line : NULL, length, &asks_for_token);
    return status == APP_STATUS_FINE && asks_for_token ? app_remote_authenticate(remote, options) : status;
}

void app_remote_finish(AppRemote *remote) {
    app_log_finish(&remote->log);
    net_peer_close(remote->peer);
    free(remote->hello);
}

NetPeerEvent app_remote_read(AppRemote *remote, int timeout_ms, char **out_line, size_t *out_length) {
    NetError error;
    const NetPeerEvent event = net_peer_read(remote->peer, timeout_ms, out_line, out_length, &error);
    if (event == NET_PEER_ENDED)
        app_log_say(&remote->log, "tweed: %s closed the connection", remote->where);
    else if (event == NET_PEER_FAILED)
        app_log_say(&remote->log, "tweed: %s: %s", remote->where, error.text);
    return event;
}

AppStatusCode app_remote_request(AppRemote *remote, const char *method, const char *params,
                                 cJSON **out_result) {
    *out_result = NULL;
    AppStatusCode status = send_request(remote, method, params);
    while (status == APP_STATUS_FINE) {
        char *line;
        size_t length;
        if (app_remote_read(remote, -1, &line, &length) != NET_PEER_LINE) return APP_STATUS_NO_SERVER;
        cJSON *message = cJSON_ParseWithLength(line, length);
        if (!message) {
            app_log_say(&remote->log, "tweed: %s sent what is not JSON: %.60s", remote->where, line);
            return APP_STATUS_NO_SERVER;
        }
        if (!cJSON_GetObjectItemCaseSensitive(message, "method"))
            return take_reply(remote, message, out_result);
        cJSON_Delete(message);
    }
    return status;
}

AppStatusCode app_remote_flush(AppRemote *remote) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return APP_STATUS_FINE;
    app_log_say(&remote->log, "tweed: cannot write all of it: %s", strerror(errno));
    return APP_STATUS_OUTPUT;
}

// The first line; NULL: none came. A server that takes no more connections says so in the greeting's place.
static AppStatusCode greet(AppRemote *remote, const char *line, size_t length, bool *out_asks_for_token) {
    AppStatusCode status = APP_STATUS_FINE;
    *out_asks_for_token = false;
    cJSON *message = line ? cJSON_ParseWithLength(line, length) : NULL;
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(message, "error");
    const char *method = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(message, "method"));
    if (error) {
        print_error(remote, error);
        status = APP_STATUS_REFUSED;
    } else if (!method || strcmp(method, "server.hello") != 0) {
        app_log_say(&remote->log, "tweed: no tweed server at %s: expected its greeting, found %.60s",
                    remote->where, line ? line : "nothing within 5 s");
        status = APP_STATUS_NO_SERVER;
    } else if (!(remote->hello = malloc(length + 1))) {
        app_log_say(&remote->log, "tweed: out of memory");
        status = APP_STATUS_NO_SERVER;
    } else {
        memcpy(remote->hello, line, length + 1);
        const cJSON *params = cJSON_GetObjectItemCaseSensitive(message, "params");
        const char *asked = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(params, "authentication"));
        *out_asks_for_token = asked && strcmp(asked, "token") == 0;
    }
    cJSON_Delete(message);
    return status;
}

static AppStatusCode send_request(AppRemote *remote, const char *method, const char *params) {
    TextBuffer text;
    text_buffer_init(&text);
    text_buffer_append_string(&text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":");
    text_buffer_append_quoted(&text, method);
    if (params) {
        text_buffer_append_string(&text, ",\"params\":");
        text_buffer_append_string(&text, params);
    }
    text_buffer_append_string(&text, "}\n");
    NetError error = {"out of memory"};
    const bool sent = !text.failed && net_peer_send(remote->peer, text.bytes, text.length, &error);
    text_buffer_finish(&text);
    if (sent) return APP_STATUS_FINE;
    app_log_say(&remote->log, "tweed: %s: %s", remote->where, error.text);
    return APP_STATUS_NO_SERVER;
}

// Takes the reply over.
static AppStatusCode take_reply(AppRemote *remote, cJSON *reply, cJSON **out_result) {
    *out_result = cJSON_DetachItemFromObjectCaseSensitive(reply, "result");
    if (!*out_result) print_error(remote, cJSON_GetObjectItemCaseSensitive(reply, "error"));
    cJSON_Delete(reply);
    return *out_result ? APP_STATUS_FINE : APP_STATUS_REFUSED;
}

// The server's message, the field it is about unless the message names it, and the traceback of a script,
// which repeats the message where nothing was raised.
static void print_error(AppRemote *remote, const cJSON *error) {
    const cJSON *code = cJSON_GetObjectItemCaseSensitive(error, "code");
    const cJSON *data = cJSON_GetObjectItemCaseSensitive(error, "data");
    const char *message = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(error, "message"));
    const char *path = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(data, "path"));
    const char *traceback = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(data, "traceback"));
    if (!message) message = "without a message";
    if (path && strstr(message, path)) path = NULL;
    if (traceback && strcmp(traceback, message) == 0) traceback = NULL;
    app_log_say(&remote->log, "tweed: error %d: %s%s%s%s%s%s", cJSON_IsNumber(code) ? code->valueint : 0,
                message, path ? " (" : "", path ? path : "", path ? ")" : "", traceback ? "\n" : "",
                traceback ? traceback : "");
}
