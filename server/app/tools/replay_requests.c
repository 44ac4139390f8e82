// What a recording can answer: about its characters, its views and the connections.
#include "tools/replay_requests.h"

#include "base/json.h"

#include <protocol/message.h>
#include <protocol/reply.h>
#include <sim/world.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Call {
    AppReplayClient *client;
    ProtocolParams params;
    const cJSON *json_params;
    AppJson json;
    cJSON *result;   // NULL: the tick
    TextBuffer text; // the result as JSON, in place of `result`; empty: none
    ProtocolError error;
} Call;

typedef void (*Handler)(Call *call);

static void handle(AppReplayClient *client, const ProtocolRequest *request, TextBuffer *out_reply);
static void answer(Call *call, const ProtocolMethod *method);
static void open_session(Call *call);
static void ping(Call *call);
static void describe_server(Call *call);
static void get_stats(Call *call);
static void put_percentiles(Call *call, const char *key);
static void put_cloth(Call *call);
static void put_client(Call *call, cJSON *list, const AppReplayClient *client);
static void list_characters(Call *call);
static void describe_character(Call *call);
static void get_world(Call *call);
static void list_scripts(Call *call);
static void subscribe(Call *call);
static void unsubscribe(Call *call);

static const Handler handlers[PROTOCOL_METHOD_COUNT] = {
    [PROTOCOL_SESSION_OPEN] = open_session,
    [PROTOCOL_SESSION_PING] = ping,
    [PROTOCOL_SERVER_DESCRIBE] = describe_server,
    [PROTOCOL_SERVER_STATS] = get_stats,
    [PROTOCOL_CHARACTER_LIST] = list_characters,
    [PROTOCOL_CHARACTER_DESCRIBE] = describe_character,
    [PROTOCOL_WORLD_GET] = get_world,
    [PROTOCOL_SCRIPT_LIST] = list_scripts,
    [PROTOCOL_STREAM_SUBSCRIBE] = subscribe,
    [PROTOCOL_STREAM_UNSUBSCRIBE] = unsubscribe,
};

cJSON *app_replay_hello(const AppReplay *replay) {
    static const char *const own[] = {"tick", "time", "paused", "authentication", "limits", "view"};
    AppJson json = {0};
    cJSON *hello = cJSON_Duplicate(replay->recording.hello, true);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(hello, own[i]);
    app_json_integer(&json, hello, "tick", replay->tick);
    app_json_number(&json, hello, "time", app_replay_time(replay));
    app_json_bool(&json, hello, "paused", false);
    app_json_string(&json, hello, "authentication", replay->tokens.count > 0 ? "token" : "none");
    const NetServerOptions defaults = net_default_server_options();
    cJSON *limits = app_json_object(&json, hello, "limits");
    app_json_integer(&json, limits, "message_bytes", defaults.max_message);
    app_json_integer(&json, limits, "views", APP_CLIENT_VIEWS);
    app_json_integer(&json, limits, "clients", net_server_max_clients(replay->net));
    app_json_item(&json, hello, "view", cJSON_Duplicate(replay->recording.json_view, true));
    if (hello && !json.failed) return hello;
    cJSON_Delete(hello);
    return NULL;
}

void app_replay_receive(AppReplayClient *client, const char *bytes, size_t length) {
    ProtocolMessage message;
    ProtocolError error;
    TextBuffer batch = {0}, reply = {0};
    if (protocol_message_read(&message, bytes, length, &error)) {
        ProtocolRequest request;
        ProtocolNext next;
        while ((next = protocol_message_next(&message, &request, &error)) != PROTOCOL_NEXT_NONE) {
            text_buffer_clear(&reply);
            if (next == PROTOCOL_NEXT_INVALID)
                protocol_write_error(&reply, request.id, &error);
            else
                handle(client, &request, &reply);
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
    app_replay_catch_up(client);
    if (client->gave_wrong_token) net_connection_finish(client->connection, NET_CLOSE_WRONG_TOKEN);
    text_buffer_finish(&batch);
    text_buffer_finish(&reply);
}

static void handle(AppReplayClient *client, const ProtocolRequest *request, TextBuffer *out_reply) {
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
    if (call.error.code == 0 && (call.json.failed || call.text.failed))
        protocol_error_set(&call.error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
    if (!request->notification && call.error.code != 0)
        protocol_write_error(out_reply, request->id, &call.error);
    else if (!request->notification && call.text.length > 0)
        protocol_write_result_text(out_reply, request->id, call.text.bytes, call.text.length);
    else if (!request->notification && call.result)
        protocol_write_result(out_reply, request->id, call.result);
    else if (!request->notification)
        protocol_write_result_tick(out_reply, request->id, client->replay->tick);
    cJSON_Delete(call.result);
    text_buffer_finish(&call.text);
}

static void answer(Call *call, const ProtocolMethod *method) {
    const Handler handler = handlers[protocol_method_id(method)];
    if (handler)
        handler(call);
    else
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "method", "%s: a recording does not have this",
                           method->name);
}

static void open_session(Call *call) {
    AppReplayClient *client = call->client;
    const AppAccessResult result =
        app_access_open(&client->access, &client->replay->tokens, call->params, &call->error);
    if (result == APP_ACCESS_WRONG_TOKEN) {
        client->gave_wrong_token = true;
        client->takes_events = false;
        app_replay_unsubscribe_all(client);
    }
    if (result != APP_ACCESS_OPENED) return;
    net_connection_trust(client->connection);
    client->takes_events = protocol_param_bool(call->params, "events");
    const char *name = protocol_param_string(call->params, "client");
    if (name) snprintf(client->name, sizeof client->name, "%s", name);
    call->result = app_json_root_object(&call->json);
    app_json_string(&call->json, call->result, "role", "observer");
}

static void ping(Call *call) {
    const AppReplay *replay = call->client->replay;
    call->result = app_json_root_object(&call->json);
    app_json_integer(&call->json, call->result, "tick", replay->tick);
    app_json_number(&call->json, call->result, "time", app_replay_time(replay));
    app_json_number(&call->json, call->result, "monotonic", (double)uv_hrtime() * 1e-9);
}

// Scripts and fabrics are not recorded: it has none.
static void describe_server(Call *call) {
    const AppReplay *replay = call->client->replay;
    AppJson *json = &call->json;
    call->result = app_replay_hello(replay);
    json->failed |= !call->result;
    cJSON_DeleteItemFromObjectCaseSensitive(call->result, "view");
    cJSON *axes = app_json_list(json, call->result, "axes");
    for (const char *const *name = protocol_axes_names; *name; name++)
        app_json_string(json, axes, NULL, *name);
    cJSON *methods = app_json_list(json, call->result, "methods");
    for (int i = 0; i < PROTOCOL_METHOD_COUNT; i++)
        if (handlers[i]) app_json_string(json, methods, NULL, protocol_methods[i].name);
    app_json_list(json, call->result, "scripts");
    app_json_list(json, call->result, "fabrics");
    const char *path = replay->options->files.names[0], *slash = strrchr(path, '/');
    app_json_string(json, app_json_object(json, call->result, "scene"), "name", slash ? slash + 1 : path);
    app_json_bool(json, call->result, "allow_save", false);
}

static void get_stats(Call *call) {
    const AppReplay *replay = call->client->replay;
    AppJson *json = &call->json;
    call->result = app_json_root_object(json);
    app_json_number(json, call->result, "uptime", (double)(uv_hrtime() - replay->start_ns) * 1e-9);
    app_json_integer(json, call->result, "tick", replay->tick);
    app_json_number(json, call->result, "time", app_replay_time(replay));
    app_json_number(json, call->result, "tick_rate", replay->recording.tick_rate);
    app_json_bool(json, call->result, "paused", false);
    app_json_integer(json, call->result, "holds", 0);
    app_json_integer(json, call->result, "ticks_skipped", 0);
    put_percentiles(call, "lateness_ms");
    put_percentiles(call, "work_ms");
    put_cloth(call);
    size_t resident = 0;
    cJSON *memory = app_json_object(json, call->result, "memory");
    app_json_integer(json, memory, "resident_bytes", uv_resident_set_memory(&resident) == 0 ? resident : 0);
    app_json_integer(json, memory, "scripts_bytes", 0);
    cJSON *clients = app_json_list(json, call->result, "clients");
    for (const AppReplayClient *client = replay->clients; client; client = client->next)
        put_client(call, clients, client);
}

// Nothing is simulated.
static void put_percentiles(Call *call, const char *key) {
    static const char *const names[] = {"p50", "p95", "p99", "max"};
    cJSON *values = app_json_object(&call->json, call->result, key);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        app_json_integer(&call->json, values, names[i], 0);
}

static void put_cloth(Call *call) {
    AppReplayViews *views = &call->client->replay->views;
    uint64_t characters = 0, garments = 0, particles = 0;
    for (size_t slot = 0; slot < views->recording->character_count; slot++) {
        const ProtocolDescription *description = app_replay_description(views, slot);
        characters += views->newest[slot].static_line != NULL;
        garments += description ? description->character.garment_count : 0;
        for (size_t i = 0; description && i < description->character.garment_count; i++)
            particles += description->character.garments[i].particle_count;
    }
    app_json_integer(&call->json, call->result, "characters", characters);
    app_json_integer(&call->json, call->result, "garments", garments);
    app_json_integer(&call->json, call->result, "particles", particles);
    app_json_integer(&call->json, call->result, "asleep", 0);
    app_json_integer(&call->json, call->result, "unstable", 0);
    app_json_integer(&call->json, call->result, "constraint_conflicts", 0);
    app_json_integer(&call->json, call->result, "spring_excess", 0);
    cJSON *levels = app_json_object(&call->json, call->result, "levels");
    for (SimLevel level = 0; level < SIM_LEVELS; level++)
        app_json_integer(&call->json, levels, sim_level_names[level],
                         level == SIM_LEVEL_FULL ? characters : 0);
    app_json_integer(&call->json, call->result, "frame_interval", 1);
}

static void put_client(Call *call, cJSON *list, const AppReplayClient *client) {
    AppJson *json = &call->json;
    cJSON *described = app_json_object(json, list, NULL);
    app_json_integer(json, described, "id", net_connection_id(client->connection));
    app_json_string(json, described, "address", net_connection_address(client->connection));
    app_json_string(json, described, "role", client->access.role == PROTOCOL_ROLE_NONE ? "none" : "observer");
    app_json_string(json, described, "client", client->name);
    app_json_integer(json, described, "views", client->count);
    app_json_integer(json, described, "queued_bytes", net_connection_queued_bytes(client->connection));
    app_json_integer(json, described, "frames_sent", client->frames_sent);
    app_json_integer(json, described, "frames_skipped", client->frames_skipped);
}

static void list_characters(Call *call) {
    AppReplayViews *views = &call->client->replay->views;
    call->result = app_json_root_list(&call->json);
    for (size_t slot = 0; slot < views->recording->character_count; slot++) {
        const ProtocolDescription *description = app_replay_description(views, slot);
        if (!views->newest[slot].static_line) continue;
        cJSON *item = app_json_object(&call->json, call->result, NULL);
        app_json_string(&call->json, item, "name", views->recording->characters[slot]);
        app_json_string(&call->json, item, "script", description ? description->character.script : "");
        app_json_integer(&call->json, item, "revision", description ? description->character.revision : 0);
    }
}

static void describe_character(Call *call) {
    AppReplayViews *views = &call->client->replay->views;
    const AppRecording *recording = views->recording;
    const char *name = protocol_param_string(call->params, "character");
    size_t slot = 0;
    while (slot < recording->character_count && strcmp(recording->characters[slot], name) != 0) slot++;
    if (slot == recording->character_count || !views->newest[slot].static_line) {
        const TextNearest nearest =
            text_nearest_of(name, (const char *const *)recording->characters, recording->character_count);
        protocol_error_not_found(&call->error, "params.character", "character", &nearest);
        return;
    }
    const ProtocolDescription *description = app_replay_description(views, slot);
    if (description)
        app_replay_write_description(
            views, description, (ProtocolAxes)protocol_param_choice(call->params, "axes"),
            protocol_param_bool(call->params, "mesh") ? APP_STATIC_MESHED : APP_STATIC_DESCRIBED,
            &call->text);
    else
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "params.character", "%s",
                           views->refusal[0] ? views->refusal : "out of memory");
}

// What the newest world.changed says; before the first one, what a world is without settings.
static void get_world(Call *call) {
    static const float gravity[3] = {0, -9.81f, 0}, still[3] = {0, 0, 0};
    const AppRecordedLine *line = call->client->replay->world;
    AppJson *json = &call->json;
    cJSON *message = line ? cJSON_ParseWithLength(line->bytes, line->length) : NULL;
    cJSON *params = cJSON_DetachItemFromObjectCaseSensitive(message, "params");
    cJSON_Delete(message);
    cJSON_DeleteItemFromObjectCaseSensitive(params, "tick");
    if (cJSON_IsObject(params) && protocol_json_is_finite(params)) {
        call->result = params;
        return;
    }
    cJSON_Delete(params);
    call->result = app_json_root_object(json);
    app_json_vector(json, call->result, "gravity", gravity, 3);
    cJSON *wind = app_json_object(json, call->result, "wind");
    app_json_vector(json, wind, "velocity", still, 3);
    app_json_integer(json, wind, "turbulence", 0);
    app_json_integer(json, wind, "gust", 0);
    app_json_integer(json, call->result, "ground", 0);
    app_json_list(json, call->result, "tornados");
}

static void list_scripts(Call *call) {
    call->result = app_json_root_list(&call->json);
}

static void subscribe(Call *call) {
    const AppReplayViews *views = &call->client->replay->views;
    ProtocolView view;
    ProtocolSubscription options;
    if (!protocol_view_read(call->json_params, &view, &options, &call->error)) return;
    const AppReplaySubscription *subscription =
        app_replay_subscribe(call->client, &view, &options, &call->error);
    if (!subscription) return;
    call->result = app_json_root_object(&call->json);
    app_json_integer(&call->json, call->result, "view", (uint64_t)subscription->view->id);
    cJSON *names = app_json_list(&call->json, call->result, "characters");
    for (size_t slot = 0; slot < views->recording->character_count; slot++)
        if (views->newest[slot].frame_line && app_replay_view_shows(views, subscription->view, slot))
            app_json_string(&call->json, names, NULL, views->recording->characters[slot]);
}

static void unsubscribe(Call *call) {
    const int view = (int)protocol_param_integer(call->params, "view");
    if (!app_replay_unsubscribe(call->client, view))
        protocol_error_set(&call->error, PROTOCOL_NOT_FOUND, "params.view", "this connection has no view %d",
                           view);
}
