// `tweed replay`: serves a recording as if it were live. A recording cannot be changed, so all clients are
// observers.
#include "base/deadline_timer.h"
#include "base/json.h"
#include "base/log.h"
#include "base/options.h"
#include "base/paths.h"
#include "session/access.h"
#include "stream/outbox.h"
#include "tools/recording.h"
#include "tools/tools.h"

#include <net/server.h>
#include <protocol/message.h>
#include <protocol/reply.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The newest lines of a character.
typedef struct Replayed {
    NetBuffer *description, *names; // stream.static with and without its description; NULL: none yet
    NetBuffer *frame;
    uint64_t tick;
    const AppRecordedLine *static_line;
} Replayed;

typedef struct ReplayClient ReplayClient;

typedef struct Replay {
    const AppOptions *options;
    AppLog log;
    AppTokens tokens; // none: every client may watch
    AppRecording recording;
    uv_loop_t loop;
    uv_signal_t interrupt, terminate;
    AppDeadlineTimer tick_timer;
    bool has_tick_timer;
    NetServer *net;
    Replayed *newest; // [character_count]
    size_t next;      // line to play
    uint64_t tick, began_ns;
    ReplayClient *clients;
    TextBuffer text;
} Replay;

struct ReplayClient {
    ReplayClient *next;
    Replay *replay;
    NetConnection *connection;
    AppAccess access;
    bool takes_events, is_subscribed;
    bool gave_wrong_token; // closed once the reply is sent
    ProtocolView view;
    ProtocolSubscription subscription;
    AppOutbox outbox;
};

typedef struct Call {
    ReplayClient *client;
    ProtocolParams params;
    const cJSON *json_params;
    AppJson json;
    cJSON *result;
    ProtocolError error;
    bool has_subscribed;
} Call;

static bool run(Replay *replay);
static bool set_hello(Replay *replay);
static bool start(Replay *replay);
static void on_signal(uv_signal_t *handle, int number);
static void stop(Replay *replay);
static void on_closed(void *context);
static void close_handle(uv_handle_t *handle, void *context);
static void on_open(NetConnection *connection);
static void on_message(NetConnection *connection, char *message, size_t length);
static NetBuffer *on_pull(NetConnection *connection);
static void on_close(NetConnection *connection, NetCloseReason reason);
static void on_due(void *context);
static void play(Replay *replay, const AppRecordedLine *line);
static void set_newest(Replayed *newest, const AppRecordedLine *line);
static void offer(ReplayClient *client, const AppRecordedLine *line, NetBuffer *event);
static NetBuffer *static_line(const ReplayClient *client, size_t slot);
static void clear(Replayed *newest);
static void receive(ReplayClient *client, const char *bytes, size_t length);
static void send_text(ReplayClient *client, const TextBuffer *text);
static void begin_playing(Replay *replay);
static bool shows(const ReplayClient *client, size_t slot);
static void catch_up(ReplayClient *client);
static void handle(ReplayClient *client, const ProtocolRequest *request, TextBuffer *out_reply,
                   bool *out_subscribed);
static void answer(Call *call, const ProtocolMethod *method);
static void open_session(Call *call);
static void list_characters(Call *call);
static void subscribe(Call *call);
static void unsubscribe(Call *call);

static const NetCallbacks callbacks = {
    .on_open = on_open, .on_message = on_message, .on_pull = on_pull, .on_close = on_close};

int app_tool_replay(const AppOptions *options) {
    char message[1024];
    Replay replay = {.options = options};
    app_log_init(&replay.log, stderr, TEXT_LOG_INFO, APP_LOG_TIME_NONE);
    bool started = app_recording_open(&replay.recording, options->files.names[0], message, sizeof message);
    if (started && options->token_file)
        started = app_tokens_read(&replay.tokens, options->token_file, message, sizeof message);
    if (!started) app_log_print(&replay.log, "tweed: %s", message);
    signal(SIGPIPE, SIG_IGN);
    if (started) started = run(&replay);
    for (size_t i = 0; replay.newest && i < replay.recording.character_count; i++) clear(&replay.newest[i]);
    free(replay.newest);
    text_buffer_finish(&replay.text);
    app_recording_finish(&replay.recording);
    app_tokens_finish(&replay.tokens);
    return started ? 0 : 1;
}

static bool run(Replay *replay) {
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

// Puts this server's authentication and the view of the recording into the recorded server.hello.
static bool set_hello(Replay *replay) {
    cJSON *hello = replay->recording.hello;
    cJSON_DeleteItemFromObjectCaseSensitive(hello, "authentication");
    cJSON_DeleteItemFromObjectCaseSensitive(hello, "view");
    return cJSON_AddStringToObject(hello, "authentication", replay->tokens.count > 0 ? "token" : "none") &&
           cJSON_AddItemReferenceToObject(hello, "view", replay->recording.json_view);
}

static bool start(Replay *replay) {
    NetServerOptions net = net_default_server_options();
    NetError error;
    net.tcp_host = replay->options->listen.host;
    net.tcp_port = (uint16_t)replay->options->listen.port;
    net.unix_path = replay->options->unix_path;
    if (replay->tokens.count > 0) {
        net.loopback_only = false;
        net.untrusted_bytes = APP_UNTRUSTED_BYTES;
        net.untrusted_ms = APP_UNTRUSTED_MS;
    }
    replay->newest = calloc(replay->recording.character_count + 1, sizeof *replay->newest);
    replay->net = net_server_create(&replay->loop, &net, &callbacks, replay);
    if (!replay->newest || !replay->net || !set_hello(replay)) {
        app_log_print(&replay->log, "tweed: out of memory");
        return false;
    }
    int status = app_deadline_timer_init(&replay->tick_timer, &replay->loop, on_due, replay);
    replay->has_tick_timer = status == 0;
    if (status == 0) status = uv_signal_init(&replay->loop, &replay->interrupt);
    if (status == 0) status = uv_signal_init(&replay->loop, &replay->terminate);
    if (status != 0) {
        app_log_print(&replay->log, "tweed: cannot start the tick timer or watch signals: %s",
                      uv_strerror(status));
        return false;
    }
    if (!net_server_listen(replay->net, &error)) {
        app_log_print(&replay->log, "tweed: %s", error.text);
        return false;
    }
    replay->interrupt.data = replay->terminate.data = replay;
    uv_signal_start(&replay->interrupt, on_signal, SIGINT);
    uv_signal_start(&replay->terminate, on_signal, SIGTERM);
    replay->tick = replay->recording.lines[0].tick;
    if (!app_port_file_write(replay->options, (AppPorts){.tcp = net_server_port(replay->net)}, error.text,
                             sizeof error.text)) {
        app_log_print(&replay->log, "tweed: %s", error.text);
        return false;
    }
    const AppRecording *recording = &replay->recording;
    for (size_t i = 0; i < recording->line_count && recording->lines[i].tick == replay->tick; i++)
        play(replay, &recording->lines[i]); // so that character.list knows the characters of the first tick
    const uint64_t ticks = recording->lines[recording->line_count - 1].tick - recording->lines[0].tick;
    char where[300];
    snprintf(where, sizeof where, strchr(net.tcp_host, ':') ? "[%s]:%u" : "%s:%u", net.tcp_host,
             (unsigned)net_server_port(replay->net));
    app_log_print(&replay->log,
                  "%s: %zu character%s, %.3f s; listens on %s, starts with the first subscription",
                  replay->options->files.names[0], recording->character_count,
                  recording->character_count == 1 ? "" : "s", (double)ticks / recording->tick_rate, where);
    return true;
}

static void on_signal(uv_signal_t *handle, int number) {
    (void)number;
    stop(handle->data);
}

static void stop(Replay *replay) {
    if (replay->net)
        net_server_close(replay->net, on_closed);
    else
        on_closed(replay);
}

static void on_closed(void *context) {
    Replay *replay = context;
    if (replay->has_tick_timer) app_deadline_timer_close(&replay->tick_timer);
    uv_walk(&replay->loop, close_handle, NULL);
}

static void close_handle(uv_handle_t *handle, void *context) {
    (void)context;
    if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

static void on_open(NetConnection *connection) {
    Replay *replay = net_server_user(net_connection_server(connection));
    ReplayClient *client = calloc(1, sizeof *client);
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
    send_text(client, &replay->text);
}

static void on_message(NetConnection *connection, char *message, size_t length) {
    ReplayClient *client = net_connection_user(connection);
    if (client) receive(client, message, length);
}

static void on_close(NetConnection *connection, NetCloseReason reason) {
    (void)reason;
    ReplayClient *client = net_connection_user(connection);
    if (!client) return;
    ReplayClient **link = &client->replay->clients;
    while (*link != client) link = &(*link)->next;
    *link = client->next;
    protocol_view_finish(&client->view);
    app_outbox_finish(&client->outbox);
    free(client);
}

static void send_text(ReplayClient *client, const TextBuffer *text) {
    NetBuffer *buffer = text->failed ? NULL : net_buffer_create_copy(text->bytes, text->length);
    net_connection_send(client->connection, buffer);
    net_buffer_release(buffer);
}

static void begin_playing(Replay *replay) {
    const AppRecording *recording = &replay->recording;
    const bool is_over = replay->next == recording->line_count;
    for (const ReplayClient *client = replay->clients; client; client = client->next)
        if (client->is_subscribed) return;
    if (replay->next > 0 && !is_over) return; // it runs, watched or not
    for (size_t i = 0; i < recording->character_count; i++) clear(&replay->newest[i]);
    replay->next = 0;
    replay->began_ns = uv_hrtime();
    on_due(replay);
}

static bool shows(const ReplayClient *client, size_t slot) {
    return protocol_view_has_character(&client->view, client->replay->recording.characters[slot]);
}

static void catch_up(ReplayClient *client) {
    Replay *replay = client->replay;
    const bool queue = client->subscription.policy == PROTOCOL_POLICY_QUEUE;
    for (size_t i = 0; i < replay->recording.character_count; i++) {
        const Replayed *newest = &replay->newest[i];
        if (!shows(client, i)) continue;
        if (queue && newest->description) net_connection_send(client->connection, static_line(client, i));
        if (queue && newest->frame) net_connection_send(client->connection, newest->frame);
        if (!queue && newest->description) app_outbox_mark_static(&client->outbox, i);
        if (!queue && newest->frame) app_outbox_mark_frame(&client->outbox, i);
    }
    net_connection_wake(client->connection);
}

// Plays the lines of one tick. Where several ticks are due, the loop serves the sockets between them, as it
// does live.
static void on_due(void *context) {
    Replay *replay = context;
    const AppRecording *recording = &replay->recording;
    const uint64_t first = recording->lines[0].tick, now = recording->lines[replay->next].tick;
    while (replay->next < recording->line_count && recording->lines[replay->next].tick == now)
        play(replay, &recording->lines[replay->next++]);
    for (ReplayClient *client = replay->clients; client; client = client->next)
        if (client->is_subscribed) net_connection_wake(client->connection);
    if (replay->next == recording->line_count) return; // the last frames stay
    const double due = (double)(recording->lines[replay->next].tick - first) / recording->tick_rate;
    app_deadline_timer_arm(&replay->tick_timer, replay->began_ns + (uint64_t)(due * 1e9));
}

static void play(Replay *replay, const AppRecordedLine *line) {
    NetBuffer *event = NULL;
    replay->tick = line->tick;
    if (line->kind == APP_RECORDED_EVENT) event = net_buffer_create_copy(line->bytes, line->length);
    if (line->kind != APP_RECORDED_EVENT)
        set_newest(&replay->newest[line->slot], line);
    else if (line->slot != SIZE_MAX)
        clear(&replay->newest[line->slot]);
    for (ReplayClient *client = replay->clients; client; client = client->next) offer(client, line, event);
    net_buffer_release(event);
}

static void set_newest(Replayed *newest, const AppRecordedLine *line) {
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
    // Quotes within strings are escaped, so this is the key, which comes last.
    for (size_t i = 0; i + sizeof key < line->length && !newest->names; i++) {
        if (line->bytes[i] != ',' || memcmp(line->bytes + i, key, sizeof key - 1) != 0) continue;
        newest->names = net_buffer_create_copy(line->bytes, i);
        if (newest->names && !net_buffer_append(newest->names, "}}\n", 3)) return;
    }
    if (!newest->names) newest->names = net_buffer_retain(copy);
}

static void offer(ReplayClient *client, const AppRecordedLine *line, NetBuffer *event) {
    if (line->kind == APP_RECORDED_EVENT) {
        if (client->takes_events) net_connection_send(client->connection, event);
        return;
    }
    if (!client->is_subscribed || !shows(client, line->slot)) return;
    const bool is_frame = line->kind == APP_RECORDED_FRAME;
    const bool queue = client->subscription.policy == PROTOCOL_POLICY_QUEUE;
    if (is_frame &&
        !protocol_rate_is_due(client->subscription.rate, line->tick, client->replay->recording.tick_rate))
        return;
    if (queue)
        net_connection_send(client->connection, is_frame ? client->replay->newest[line->slot].frame
                                                         : static_line(client, line->slot));
    else if (is_frame)
        app_outbox_mark_frame(&client->outbox, line->slot);
    else
        app_outbox_mark_static(&client->outbox, line->slot);
}

// Under the policy latest: takes the newest line of the character whose turn it is.
static NetBuffer *on_pull(NetConnection *connection) {
    ReplayClient *client = net_connection_user(connection);
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

static NetBuffer *static_line(const ReplayClient *client, size_t slot) {
    const Replayed *newest = &client->replay->newest[slot];
    return client->subscription.static_data ? newest->description : newest->names;
}

static void clear(Replayed *newest) {
    net_buffer_release(newest->description);
    net_buffer_release(newest->names);
    net_buffer_release(newest->frame);
    *newest = (Replayed){0};
}

// Requests
// -----------------------------------------------------------------------------------------------------------

static void receive(ReplayClient *client, const char *bytes, size_t length) {
    ProtocolMessage message;
    ProtocolError error;
    TextBuffer batch, reply;
    text_buffer_init(&batch);
    text_buffer_init(&reply);
    bool subscribed = false;
    if (protocol_message_read(&message, bytes, length, &error)) {
        ProtocolRequest request;
        ProtocolNext next;
        while ((next = protocol_message_next(&message, &request, &error)) != PROTOCOL_NEXT_NONE) {
            text_buffer_clear(&reply);
            if (next == PROTOCOL_NEXT_INVALID)
                protocol_write_error(&reply, request.id, &error);
            else
                handle(client, &request, &reply, &subscribed);
            if (message.batch)
                protocol_batch_add(&batch, &reply);
            else if (reply.length > 0 || reply.failed)
                send_text(client, &reply);
            protocol_request_finish(&request);
        }
        protocol_batch_end(&batch);
        if (batch.length > 0 || batch.failed) send_text(client, &batch);
        protocol_message_finish(&message);
    } else {
        protocol_write_error(&reply, NULL, &error);
        send_text(client, &reply);
    }
    if (subscribed) catch_up(client);
    if (client->gave_wrong_token) net_connection_finish(client->connection, NET_CLOSE_WRONG_TOKEN);
    text_buffer_finish(&batch);
    text_buffer_finish(&reply);
}

static void handle(ReplayClient *client, const ProtocolRequest *request, TextBuffer *out_reply,
                   bool *out_subscribed) {
    Call call = {.client = client, .json_params = request->params};
    const ProtocolMethod *method = protocol_find_method(request->method, &call.error);
    const bool has_no_role = client->access.role == PROTOCOL_ROLE_NONE;
    if (has_no_role && (!method || method->role != PROTOCOL_ROLE_NONE)) {
        protocol_error_no_role(&call.error, request->method);
    } else if (method && method->role == PROTOCOL_ROLE_OPERATOR) {
        protocol_error_set(&call.error, PROTOCOL_NOT_ALLOWED, "method", "%s: a recording cannot be changed",
                           method->name);
    } else if (method && protocol_validate_params(method, request->params, &call.error)) {
        call.params = protocol_params(method, request->params);
        answer(&call, method);
    }
    if (call.error.code == 0 && call.json.failed)
        protocol_error_set(&call.error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
    *out_subscribed |= call.has_subscribed && call.error.code == 0;
    if (!request->notification && call.error.code != 0)
        protocol_write_error(out_reply, request->id, &call.error);
    else if (!request->notification && call.result)
        protocol_write_result(out_reply, request->id, call.result);
    else if (!request->notification)
        protocol_write_result_tick(out_reply, request->id, client->replay->tick);
    cJSON_Delete(call.result);
}

static void answer(Call *call, const ProtocolMethod *method) {
    const Replay *replay = call->client->replay;
    switch (protocol_method_id(method)) {
    case PROTOCOL_SESSION_OPEN:
        open_session(call);
        break;
    case PROTOCOL_SESSION_PING:
        call->result = app_json_root_object(&call->json);
        app_json_integer(&call->json, call->result, "tick", replay->tick);
        app_json_number(&call->json, call->result, "time",
                        (double)replay->tick / replay->recording.tick_rate);
        app_json_number(&call->json, call->result, "monotonic", (double)uv_hrtime() * 1e-9);
        break;
    case PROTOCOL_CHARACTER_LIST:
        list_characters(call);
        break;
    case PROTOCOL_STREAM_SUBSCRIBE:
        subscribe(call);
        break;
    case PROTOCOL_STREAM_UNSUBSCRIBE:
        unsubscribe(call);
        break;
    default:
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "method", "%s: a recording does not have this",
                           method->name);
    }
}

static void open_session(Call *call) {
    ReplayClient *client = call->client;
    const AppAccessResult result =
        app_access_open(&client->access, &client->replay->tokens, call->params, &call->error);
    if (result == APP_ACCESS_WRONG_TOKEN) {
        client->gave_wrong_token = true;
        client->takes_events = client->is_subscribed = false;
    }
    if (result != APP_ACCESS_OPENED) return;
    net_connection_trust(client->connection);
    client->takes_events = protocol_param_bool(call->params, "events");
    call->result = app_json_root_object(&call->json);
    app_json_string(&call->json, call->result, "role", "observer");
}

static void list_characters(Call *call) {
    const Replay *replay = call->client->replay;
    call->result = app_json_root_list(&call->json);
    for (size_t i = 0; i < replay->recording.character_count; i++) {
        const AppRecordedLine *line = replay->newest[i].static_line;
        cJSON *message = line ? cJSON_ParseWithLength(line->bytes, line->length) : NULL;
        const cJSON *params = cJSON_GetObjectItemCaseSensitive(message, "params");
        const cJSON *description = cJSON_GetObjectItemCaseSensitive(params, "description");
        const char *script = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(description, "script"));
        const cJSON *revision = cJSON_GetObjectItemCaseSensitive(params, "revision");
        if (cJSON_IsNumber(revision)) {
            cJSON *item = app_json_object(&call->json, call->result, NULL);
            app_json_string(&call->json, item, "name", replay->recording.characters[i]);
            app_json_string(&call->json, item, "script", script ? script : "");
            app_json_number(&call->json, item, "revision", revision->valuedouble);
        }
        cJSON_Delete(message);
    }
}

// The view must be the recorded one, but for the characters, the rate, the policy and the static data.
static void subscribe(Call *call) {
    ReplayClient *client = call->client;
    const AppRecording *recording = &client->replay->recording;
    ProtocolView view;
    ProtocolSubscription subscription;
    if (!protocol_view_read(call->json_params, &view, &subscription, &call->error)) return;
    ProtocolView same = view;
    same.characters = recording->view.characters;
    if (!protocol_view_equal(&same, &recording->view)) {
        protocol_view_finish(&view);
        protocol_error_set(
            &call->error, PROTOCOL_NOT_NOW, "params",
            "a recording has one view, which server.hello has as view; only characters, rate, policy and "
            "static may differ");
        return;
    }
    begin_playing(client->replay);
    protocol_view_finish(&client->view);
    client->view = view;
    client->subscription = subscription;
    client->is_subscribed = call->has_subscribed = true;
    call->result = app_json_root_object(&call->json);
    app_json_integer(&call->json, call->result, "view", (uint64_t)recording->view_id);
    cJSON *names = app_json_list(&call->json, call->result, "characters");
    for (size_t i = 0; i < recording->character_count; i++)
        if (client->replay->newest[i].frame && shows(client, i))
            app_json_string(&call->json, names, NULL, recording->characters[i]);
}

static void unsubscribe(Call *call) {
    const int64_t view = protocol_param_integer(call->params, "view");
    if (!call->client->is_subscribed || view != call->client->replay->recording.view_id)
        protocol_error_set(&call->error, PROTOCOL_NOT_FOUND, "params.view", "this connection has no view %d",
                           (int)view);
    else
        call->client->is_subscribed = false;
}
