// The server of a recording: its time, and who gets which line.
#include "tools/replay.h"

#include "base/port_file.h"
#include "tools/tools.h"

#include <protocol/reply.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool set_authentication(AppReplay *replay);
static bool start(AppReplay *replay);
static void on_signal(uv_signal_t *handle, int number);
static void on_closed(void *context);
static void close_handle(uv_handle_t *handle, void *context);
static void on_open(NetConnection *connection);
static void on_message(NetConnection *connection, char *message, size_t length);
static NetBuffer *on_pull(NetConnection *connection);
static void on_close(NetConnection *connection, NetCloseReason reason);
static void on_due(void *context);
static void play(AppReplay *replay, const AppRecordedLine *line);
static void set_newest(AppReplayed *newest, const AppRecordedLine *line);
static void offer(AppReplayClient *client, const AppRecordedLine *line, NetBuffer *event);
static NetBuffer *static_line(const AppReplayClient *client, size_t slot);
static void clear(AppReplayed *newest);

static const NetCallbacks callbacks = {
    .on_open = on_open, .on_message = on_message, .on_pull = on_pull, .on_close = on_close};

int app_tool_replay(const AppOptions *options) {
    char message[1024];
    AppReplay replay = {.options = options};
    app_log_init(&replay.log, stderr, TEXT_LOG_INFO, APP_LOG_TIME_NONE);
    bool started = app_recording_open(&replay.recording, options->files.names[0], message, sizeof message);
    if (started && options->token_file)
        started = app_tokens_read(&replay.tokens, options->token_file, message, sizeof message);
    if (!started) app_log_print(&replay.log, "tweed: %s", message);
    signal(SIGPIPE, SIG_IGN);
    if (started && uv_loop_init(&replay.loop) == 0) {
        started = start(&replay);
        if (!started) net_server_close(replay.net, on_closed);
        uv_run(&replay.loop, UV_RUN_DEFAULT);
        uv_loop_close(&replay.loop);
    }
    for (size_t i = 0; replay.newest && i < replay.recording.character_count; i++) clear(&replay.newest[i]);
    free(replay.newest);
    text_buffer_finish(&replay.text);
    app_recording_finish(&replay.recording);
    app_tokens_finish(&replay.tokens);
    return started ? 0 : 1;
}

// The greeting is the recorded server's but for who may watch.
static bool set_authentication(AppReplay *replay) {
    cJSON *hello = replay->recording.hello;
    cJSON_DeleteItemFromObjectCaseSensitive(hello, "authentication");
    return cJSON_AddStringToObject(hello, "authentication", replay->tokens.count > 0 ? "token" : "none");
}

static bool start(AppReplay *replay) {
    NetServerOptions net = net_default_server_options();
    NetError error = {"out of memory"};
    net.tcp_host = replay->options->listen.host;
    net.tcp_port = (uint16_t)replay->options->listen.port;
    net.unix_path = replay->options->unix_path;
    if (replay->tokens.count > 0) {
        net.loopback_only = false;
        net.stranger_bytes = APP_STRANGER_BYTES;
        net.stranger_ms = APP_STRANGER_MS;
    }
    replay->newest = calloc(replay->recording.character_count + 1, sizeof *replay->newest);
    replay->net = net_server_create(&replay->loop, &net, &callbacks, replay);
    if (!replay->newest || !replay->net || !set_authentication(replay) ||
        app_ticker_init(&replay->ticker, &replay->loop, on_due, replay) != 0 ||
        uv_signal_init(&replay->loop, &replay->interrupt) != 0 ||
        uv_signal_init(&replay->loop, &replay->terminate) != 0 || !net_server_listen(replay->net, &error)) {
        app_log_print(&replay->log, "tweed: %s", error.text);
        return false;
    }
    replay->interrupt.data = replay->terminate.data = replay;
    uv_signal_start(&replay->interrupt, on_signal, SIGINT);
    uv_signal_start(&replay->terminate, on_signal, SIGTERM);
    replay->tick = replay->recording.lines[0].tick;
    if (!app_port_file_write(replay->options, net_server_port(replay->net), error.text, sizeof error.text)) {
        app_log_print(&replay->log, "tweed: %s", error.text);
        return false;
    }
    const AppRecording *recording = &replay->recording;
    const uint64_t ticks = recording->lines[recording->line_count - 1].tick - recording->lines[0].tick;
    char where[300];
    snprintf(where, sizeof where, strchr(net.tcp_host, ':') ? "[%s]:%u" : "%s:%u", net.tcp_host,
             (unsigned)net_server_port(replay->net));
    app_log_print(&replay->log, "%s: %zu character%s, %.3f s; listens on %s, begins with who subscribes",
                  replay->options->files.names[0], recording->character_count,
                  recording->character_count == 1 ? "" : "s", (double)ticks / recording->tick_rate, where);
    return true;
}

static void on_signal(uv_signal_t *handle, int number) {
    (void)number;
    AppReplay *replay = handle->data;
    net_server_close(replay->net, on_closed);
}

static void on_closed(void *context) {
    AppReplay *replay = context;
    app_ticker_close(&replay->ticker);
    uv_walk(&replay->loop, close_handle, NULL);
}

static void close_handle(uv_handle_t *handle, void *context) {
    (void)context;
    if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

static void on_open(NetConnection *connection) {
    AppReplay *replay = net_server_user(net_connection_server(connection));
    AppReplayClient *client = calloc(1, sizeof *client);
    if (!client || !app_outbox_reserve(&client->outbox, replay->recording.character_count)) {
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
    protocol_write_notification(&replay->text, "server.hello", replay->recording.hello);
    app_replay_send(client, &replay->text);
}

static void on_message(NetConnection *connection, char *message, size_t length) {
    AppReplayClient *client = net_connection_user(connection);
    if (client) app_replay_receive(client, message, length);
}

static void on_close(NetConnection *connection, NetCloseReason reason) {
    (void)reason;
    AppReplayClient *client = net_connection_user(connection);
    if (!client) return;
    AppReplayClient **link = &client->replay->clients;
    while (*link != client) link = &(*link)->next;
    *link = client->next;
    protocol_view_finish(&client->view);
    app_outbox_finish(&client->outbox);
    free(client);
}

void app_replay_send(AppReplayClient *client, const TextBuffer *text) {
    NetBuffer *buffer = text->failed ? NULL : net_buffer_create_copy(text->bytes, text->length);
    net_connection_send(client->connection, buffer);
    net_buffer_release(buffer);
}

void app_replay_begin(AppReplay *replay) {
    const AppRecording *recording = &replay->recording;
    const bool is_over = replay->next == recording->line_count;
    for (const AppReplayClient *client = replay->clients; client; client = client->next)
        if (client->is_subscribed) return;
    if (replay->next > 0 && !is_over) return; // it runs, watched or not
    for (size_t i = 0; i < recording->character_count; i++) clear(&replay->newest[i]);
    replay->next = 0;
    replay->began_ns = uv_hrtime();
    on_due(replay);
}

bool app_replay_shows(const AppReplayClient *client, size_t slot) {
    return protocol_view_has_character(&client->view, client->replay->recording.characters[slot]);
}

void app_replay_catch_up(AppReplayClient *client) {
    AppReplay *replay = client->replay;
    const bool queue = client->wish.policy == PROTOCOL_POLICY_QUEUE;
    for (size_t i = 0; i < replay->recording.character_count; i++) {
        const AppReplayed *newest = &replay->newest[i];
        if (!app_replay_shows(client, i)) continue;
        if (queue && newest->description) net_connection_send(client->connection, static_line(client, i));
        if (queue && newest->frame) net_connection_send(client->connection, newest->frame);
        if (!queue && newest->description) app_outbox_mark_static(&client->outbox, i);
        if (!queue && newest->frame) app_outbox_mark_frame(&client->outbox, i);
    }
    net_connection_wake(client->connection);
}

// The lines of one tick; where several are due, the sockets get their turn in between, as they do live.
static void on_due(void *context) {
    AppReplay *replay = context;
    const AppRecording *recording = &replay->recording;
    const uint64_t first = recording->lines[0].tick, now = recording->lines[replay->next].tick;
    while (replay->next < recording->line_count && recording->lines[replay->next].tick == now)
        play(replay, &recording->lines[replay->next++]);
    for (AppReplayClient *client = replay->clients; client; client = client->next)
        if (client->is_subscribed) net_connection_wake(client->connection);
    if (replay->next == recording->line_count) return; // the last frames stand
    const double due = (double)(recording->lines[replay->next].tick - first) / recording->tick_rate;
    app_ticker_arm(&replay->ticker, replay->began_ns + (uint64_t)(due * 1e9));
}

static void play(AppReplay *replay, const AppRecordedLine *line) {
    NetBuffer *event = NULL;
    replay->tick = line->tick;
    if (line->kind == APP_RECORDED_EVENT) event = net_buffer_create_copy(line->bytes, line->length);
    if (line->kind != APP_RECORDED_EVENT)
        set_newest(&replay->newest[line->slot], line);
    else if (line->slot != SIZE_MAX)
        clear(&replay->newest[line->slot]);
    for (AppReplayClient *client = replay->clients; client; client = client->next) offer(client, line, event);
    net_buffer_release(event);
}

static void set_newest(AppReplayed *newest, const AppRecordedLine *line) {
    static const char key[] = ",\"description\":{";
    NetBuffer *copy = net_buffer_create_copy(line->bytes, line->length);
    if (line->kind == APP_RECORDED_FRAME) {
        net_buffer_release(newest->frame);
        newest->frame = copy;
        newest->tick = line->tick;
        return;
    }
    net_buffer_release(newest->description);
    net_buffer_release(newest->names);
    newest->description = copy;
    newest->static_line = line;
    newest->names = NULL;
    // Within strings quotes are escaped, so this is the key; it comes last, and more than its text follows
    // it.
    for (size_t i = 0; i + sizeof key < line->length && !newest->names; i++) {
        if (line->bytes[i] != ',' || memcmp(line->bytes + i, key, sizeof key - 1) != 0) continue;
        newest->names = net_buffer_create_copy(line->bytes, i);
        if (newest->names && !net_buffer_append(newest->names, "}}\n", 3)) return;
    }
    if (!newest->names) newest->names = net_buffer_retain(copy);
}

static void offer(AppReplayClient *client, const AppRecordedLine *line, NetBuffer *event) {
    if (line->kind == APP_RECORDED_EVENT) {
        if (client->takes_events) net_connection_send(client->connection, event);
        return;
    }
    if (!client->is_subscribed || !app_replay_shows(client, line->slot)) return;
    const bool is_frame = line->kind == APP_RECORDED_FRAME;
    const bool queue = client->wish.policy == PROTOCOL_POLICY_QUEUE;
    if (is_frame && !protocol_rate_is_due(client->wish.rate, line->tick, client->replay->recording.tick_rate))
        return;
    if (queue)
        net_connection_send(client->connection, is_frame ? client->replay->newest[line->slot].frame
                                                         : static_line(client, line->slot));
    else if (is_frame)
        app_outbox_mark_frame(&client->outbox, line->slot);
    else
        app_outbox_mark_static(&client->outbox, line->slot);
}

// Under the policy latest: whose turn it is, and of that the newest.
static NetBuffer *on_pull(NetConnection *connection) {
    AppReplayClient *client = net_connection_user(connection);
    size_t slot;
    while (client && client->is_subscribed && app_outbox_any(&client->outbox)) {
        const AppDue due = app_outbox_peek(&client->outbox, &slot);
        if (due == APP_DUE_NOTHING) {
            app_outbox_rewind(&client->outbox);
            continue;
        }
        app_outbox_take(&client->outbox, due, slot);
        NetBuffer *line =
            due == APP_DUE_STATIC ? static_line(client, slot) : client->replay->newest[slot].frame;
        if (line) return net_buffer_retain(line); // none: it was removed in the meantime
    }
    return NULL;
}

static NetBuffer *static_line(const AppReplayClient *client, size_t slot) {
    const AppReplayed *newest = &client->replay->newest[slot];
    return client->wish.static_data ? newest->description : newest->names;
}

static void clear(AppReplayed *newest) {
    net_buffer_release(newest->description);
    net_buffer_release(newest->names);
    net_buffer_release(newest->frame);
    *newest = (AppReplayed){0};
}
