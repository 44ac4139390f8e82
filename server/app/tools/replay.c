// `tweed replay`: serves a recording as if it were live.
#include "base/json.h"
#include "base/port_file.h"
#include "tools/replay_requests.h"
#include "tools/tools.h"

#include <protocol/reply.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool run(AppReplay *replay);
static bool start(AppReplay *replay);
static bool start_timer(AppReplay *replay);
static bool listen_to_clients(AppReplay *replay);
static void print_start(AppReplay *replay);
static void on_signal(uv_signal_t *handle, int number);
static void stop(AppReplay *replay);
static void on_closed(void *context);
static void close_handle(uv_handle_t *handle, void *context);
static void on_open(NetConnection *connection);
static void on_message(NetConnection *connection, char *message, size_t length);
static void on_too_long(NetConnection *connection);
static void on_refused(NetConnection *connection);
static NetBuffer *on_pull(NetConnection *connection);
static void on_close(NetConnection *connection, NetCloseReason reason);
static void on_request(NetServer *server, const NetHttpRequest *request, NetHttpResponse *out_response);

static const NetCallbacks callbacks = {.on_open = on_open,
                                       .on_message = on_message,
                                       .on_too_long = on_too_long,
                                       .on_refused = on_refused,
                                       .on_pull = on_pull,
                                       .on_close = on_close,
                                       .on_request = on_request};

int app_tool_replay(const AppOptions *options) {
    char message[1024];
    AppReplay replay = {.options = options, .start_ns = uv_hrtime()};
    app_log_init(&replay.log, stderr, TEXT_LOG_INFO, APP_LOG_TIME_NONE);
    bool started = app_recording_open(&replay.recording, options->files.names[0], message, sizeof message);
    if (started && options->token_file)
        started = app_tokens_read(&replay.tokens, options->token_file, message, sizeof message);
    if (!started) app_log_print(&replay.log, "tweed: %s", message);
    if (replay.recording.cut_line > 0 && started)
        app_log_print(&replay.log, "tweed: %s:%zu: the last line is not whole and is left out",
                      options->files.names[0], replay.recording.cut_line);
    signal(SIGPIPE, SIG_IGN);
    if (started) started = run(&replay);
    app_replay_finish(&replay);
    app_web_finish(&replay.web);
    app_recording_finish(&replay.recording);
    app_tokens_finish(&replay.tokens);
    return started ? 0 : 1;
}

static bool run(AppReplay *replay) {
    const int error = uv_loop_init(&replay->loop);
    if (error != 0) {
        app_log_print(&replay->log, "tweed: cannot start the event loop: %s", uv_strerror(error));
        return false;
    }
    const bool started = start(replay);
    if (!started) stop(replay);
    uv_run(&replay->loop, UV_RUN_DEFAULT);
    uv_loop_close(&replay->loop);
    return started;
}

static bool start(AppReplay *replay) {
    if (!app_replay_init(replay)) {
        app_log_print(&replay->log, "tweed: out of memory");
        return false;
    }
    if (!start_timer(replay) || !listen_to_clients(replay)) return false;
    replay->interrupt.data = replay->terminate.data = replay;
    uv_signal_start(&replay->interrupt, on_signal, SIGINT);
    uv_signal_start(&replay->terminate, on_signal, SIGTERM);
    char message[256];
    replay->livelink.log = &replay->log;
    if (!app_livelink_open(&replay->livelink, replay->options, &replay->loop, message, sizeof message)) {
        app_log_print(&replay->log, "tweed: %s", message);
        return false;
    }
    const AppPorts ports = {net_server_port(replay->net), net_server_http_port(replay->net)};
    if (!app_port_file_write(replay->options, ports, message, sizeof message)) {
        app_log_print(&replay->log, "tweed: %s", message);
        return false;
    }
    print_start(replay);
    if (replay->livelink.is_open) app_replay_start(replay);
    return true;
}

static bool start_timer(AppReplay *replay) {
    int status = app_deadline_timer_init(&replay->tick_timer, &replay->loop, app_replay_on_due, replay);
    replay->has_tick_timer = status == 0;
    if (status == 0) status = uv_signal_init(&replay->loop, &replay->interrupt);
    if (status == 0) status = uv_signal_init(&replay->loop, &replay->terminate);
    if (status != 0)
        app_log_print(&replay->log, "tweed: cannot start the tick timer or watch signals: %s",
                      uv_strerror(status));
    return status == 0;
}

static bool listen_to_clients(AppReplay *replay) {
    const NetServerOptions options = app_access_server_options(replay->options, &replay->tokens);
    NetError error = {"out of memory"};
    if (options.http_host) app_web_init(&replay->web, replay->options, &replay->log);
    replay->net = net_server_create(&replay->loop, &options, &callbacks, replay);
    const bool listens = replay->net && net_server_listen(replay->net, &error);
    if (!listens) app_log_print(&replay->log, "tweed: %s", error.text);
    return listens;
}

static void print_start(AppReplay *replay) {
    const AppRecording *recording = &replay->recording;
    const AppOptions *options = replay->options;
    const uint64_t ticks = recording->lines[recording->line_count - 1].tick - recording->lines[0].tick;
    char page[340] = "";
    if (net_server_http_port(replay->net) > 0)
        snprintf(page, sizeof page,
                 strchr(options->http.host, ':') ? ", page http://[%s]:%u/" : ", page http://%s:%u/",
                 options->http.host, (unsigned)net_server_http_port(replay->net));
    char where[300];
    snprintf(where, sizeof where, strchr(options->listen.host, ':') ? "[%s]:%u" : "%s:%u",
             options->listen.host, (unsigned)net_server_port(replay->net));
    app_log_print(&replay->log, "%s: %zu character%s, %.3f s; listens on %s%s%s", options->files.names[0],
                  recording->character_count, recording->character_count == 1 ? "" : "s",
                  (double)ticks / recording->tick_rate, where, page,
                  replay->livelink.is_open ? "" : ", starts with the first subscription");
}

static void on_signal(uv_signal_t *handle, int number) {
    (void)number;
    stop(handle->data);
}

static void stop(AppReplay *replay) {
    if (replay->net)
        net_server_close(replay->net, on_closed);
    else
        on_closed(replay);
}

static void on_closed(void *context) {
    AppReplay *replay = context;
    if (replay->has_tick_timer) app_deadline_timer_close(&replay->tick_timer);
    uv_walk(&replay->loop, close_handle, NULL);
}

static void close_handle(uv_handle_t *handle, void *context) {
    (void)context;
    if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

static void on_open(NetConnection *connection) {
    AppReplay *replay = net_server_user(net_connection_server(connection));
    AppReplayClient *client = calloc(1, sizeof *client);
    cJSON *hello = app_replay_hello(replay);
    if (!client || !hello) {
        cJSON_Delete(hello);
        free(client);
        net_connection_close(connection, NET_CLOSE_OUT_OF_MEMORY);
        return;
    }
    client->next = replay->clients;
    client->replay = replay;
    client->connection = connection;
    client->access = app_access_begin(&replay->tokens);
    client->takes_events = client->access.role != PROTOCOL_ROLE_NONE;
    replay->clients = client;
    net_connection_set_user(connection, client);
    text_buffer_clear(&replay->text);
    protocol_write_notification(&replay->text, "server.hello", hello);
    cJSON_Delete(hello);
    app_replay_send(client, &replay->text);
}

static void on_message(NetConnection *connection, char *message, size_t length) {
    AppReplayClient *client = net_connection_user(connection);
    if (client) app_replay_receive(client, message, length);
}

static void on_too_long(NetConnection *connection) {
    AppReplayClient *client = net_connection_user(connection);
    ProtocolError error;
    if (!client) return;
    app_access_refuse_message(client->replay->options, &error);
    text_buffer_clear(&client->replay->text);
    protocol_write_error(&client->replay->text, NULL, &error);
    app_replay_send(client, &client->replay->text);
}

static void on_refused(NetConnection *connection) {
    AppReplay *replay = net_server_user(net_connection_server(connection));
    ProtocolError error;
    app_access_refuse_connection(replay->net, &error);
    text_buffer_clear(&replay->text);
    protocol_write_error(&replay->text, NULL, &error);
    NetBuffer *line = net_buffer_create_text(&replay->text);
    net_connection_send(connection, line);
    net_buffer_release(line);
}

static NetBuffer *on_pull(NetConnection *connection) {
    AppReplayClient *client = net_connection_user(connection);
    return client ? app_replay_pull(client) : NULL;
}

static void on_close(NetConnection *connection, NetCloseReason reason) {
    (void)reason;
    AppReplayClient *client = net_connection_user(connection);
    if (!client) return;
    AppReplayClient **link = &client->replay->clients;
    while (*link != client) link = &(*link)->next;
    *link = client->next;
    app_replay_unsubscribe_all(client);
    free(client);
}

static void on_request(NetServer *server, const NetHttpRequest *request, NetHttpResponse *out_response) {
    AppReplay *replay = net_server_user(server);
    if (strcmp(request->path, "/healthz") == 0)
        app_web_answer_health(false, replay->tick, false, out_response);
    else
        app_web_answer(&replay->web, request, out_response);
}
