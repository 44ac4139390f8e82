// What a recording can answer: who is there, and its stream. It changes nothing, so all are observers.
#include "base/json.h"
#include "tools/replay.h"

#include <protocol/reply.h>
#include <string.h>

typedef struct Call {
    AppReplayClient *client;
    ProtocolParams params;
    const cJSON *json_params;
    AppJson json;
    cJSON *result;
    ProtocolError error;
    bool has_subscribed;
} Call;

static void handle(AppReplayClient *client, const ProtocolRequest *request, TextBuffer *out_reply,
                   bool *out_subscribed);
static void answer(Call *call, const char *method);
static void open_session(Call *call);
static void list_characters(Call *call);
static void subscribe(Call *call);

void app_replay_receive(AppReplayClient *client, const char *bytes, size_t length) {
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
                app_replay_send(client, &reply);
            protocol_request_finish(&request);
        }
        protocol_batch_end(&batch);
        if (batch.length > 0 || batch.failed) app_replay_send(client, &batch);
        protocol_message_finish(&message);
    } else {
        protocol_write_error(&reply, NULL, &error);
        app_replay_send(client, &reply);
    }
    if (subscribed) app_replay_catch_up(client);
    if (client->is_dismissed) net_connection_finish(client->connection, NET_CLOSE_WRONG_TOKEN);
    text_buffer_finish(&batch);
    text_buffer_finish(&reply);
}

static void handle(AppReplayClient *client, const ProtocolRequest *request, TextBuffer *out_reply,
                   bool *out_subscribed) {
    Call call = {.client = client, .json_params = request->params};
    const ProtocolMethod *method = protocol_find_method(request->method, &call.error);
    const bool is_stranger = client->access.role == PROTOCOL_ROLE_NONE;
    if (is_stranger && (!method || method->role != PROTOCOL_ROLE_NONE)) {
        protocol_error_stranger(&call.error, request->method);
    } else if (method && method->role == PROTOCOL_ROLE_OPERATOR) {
        protocol_error_set(&call.error, PROTOCOL_NOT_ALLOWED, "method", "%s: a recording cannot be changed",
                           method->name);
    } else if (method && protocol_validate_params(method, request->params, &call.error)) {
        call.params = protocol_params(method, request->params);
        answer(&call, method->name);
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

static void answer(Call *call, const char *method) {
    const AppReplay *replay = call->client->replay;
    if (strcmp(method, "session.open") == 0) {
        open_session(call);
    } else if (strcmp(method, "session.ping") == 0) {
        call->result = app_json_root_object(&call->json);
        app_json_integer(&call->json, call->result, "tick", replay->tick);
        app_json_number(&call->json, call->result, "time",
                        (double)replay->tick / replay->recording.tick_rate);
        app_json_number(&call->json, call->result, "monotonic", (double)uv_hrtime() * 1e-9);
    } else if (strcmp(method, "character.list") == 0) {
        list_characters(call);
    } else if (strcmp(method, "stream.subscribe") == 0) {
        subscribe(call);
    } else if (strcmp(method, "stream.unsubscribe") == 0) {
        const int64_t view = protocol_param_integer(call->params, "view");
        if (!call->client->is_subscribed || view != replay->recording.view_id)
            protocol_error_set(&call->error, PROTOCOL_NOT_FOUND, "params.view",
                               "this connection has no view %d", (int)view);
        else
            call->client->is_subscribed = false;
    } else {
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "method", "%s: a recording cannot tell", method);
    }
}

static void open_session(Call *call) {
    AppReplayClient *client = call->client;
    const AppAccessResult result =
        app_access_open(&client->access, &client->replay->tokens, call->params, &call->error);
    if (result == APP_ACCESS_WRONG_TOKEN) {
        client->is_dismissed = true;
        client->takes_events = client->is_subscribed = false;
    }
    if (result != APP_ACCESS_OPENED) return;
    net_connection_trust(client->connection);
    client->takes_events = protocol_param_bool(call->params, "events");
    call->result = app_json_root_object(&call->json);
    app_json_string(&call->json, call->result, "role", "observer");
}

static void list_characters(Call *call) {
    const AppReplay *replay = call->client->replay;
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

// The view is the recording's; of it a client may have some of the characters, and some of the ticks.
static void subscribe(Call *call) {
    AppReplayClient *client = call->client;
    const AppRecording *recording = &client->replay->recording;
    ProtocolView view;
    ProtocolSubscription wish;
    if (!protocol_view_read(call->json_params, &view, &wish, &call->error)) return;
    ProtocolView same = view;
    same.characters = recording->view.characters;
    if (!protocol_view_equal(&same, &recording->view)) {
        protocol_view_finish(&view);
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "params",
                           "a recording has the one view it was made with, which its second line tells; only "
                           "characters, rate, policy and static may be others");
        return;
    }
    app_replay_begin(client->replay);
    protocol_view_finish(&client->view);
    client->view = view;
    client->wish = wish;
    client->is_subscribed = call->has_subscribed = true;
    call->result = app_json_root_object(&call->json);
    app_json_integer(&call->json, call->result, "view", (uint64_t)recording->view_id);
    cJSON *names = app_json_list(&call->json, call->result, "characters");
    for (size_t i = 0; i < recording->character_count; i++)
        if (client->replay->newest[i].frame && app_replay_shows(client, i))
            app_json_string(&call->json, names, NULL, recording->characters[i]);
}
