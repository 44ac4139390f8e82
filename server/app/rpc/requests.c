// The queue of requests and the way of each through it.
#include "rpc/requests.h"

#include "server/app.h"
#include "server/simulation.h"
#include "server/spawns.h"
#include "session/notification_errors.h"
#include "session/time_budget.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BATCH_BYTES ((size_t)16 << 20) // of the answers to one batch

static void take_apart(AppClient *client, ProtocolMessage *message, size_t length);
static void receive_one(AppClient *client, ProtocolRequest *request, AppBatch *batch, size_t bytes);
static void answer_invalid(AppClient *client, ProtocolRequest *request, AppBatch *batch,
                           const ProtocolError *error);
static bool may_be_served(const App *app, const AppRequest *request);
static void append(App *app, AppRequest *request);
static void unlink_request(App *app, AppRequest *request);
static void serve(App *app, AppRequest *request);
static bool check(AppCall *call);
static void write_answer(AppCall *call, TextBuffer *text);
static void deliver(AppClient *client, AppBatch *batch, const TextBuffer *reply);
static void end_batch(AppClient *client, AppBatch *batch);

void app_requests_receive(AppClient *client, const char *message, size_t length) {
    const uint64_t begun_ns = uv_hrtime();
    ProtocolMessage parsed;
    ProtocolError error;
    const bool valid = protocol_message_read(&parsed, message, length, &error);
    app_time_budget_charge(client->app, client, uv_hrtime() - begun_ns);
    if (valid) {
        take_apart(client, &parsed, length);
        protocol_message_finish(&parsed);
    } else {
        client->served++;
        app_client_send_error(client, &error);
    }
    app_time_budget_update_reading(client);
}

void app_requests_serve(App *app) {
    const uint64_t walk = ++app->requests.walk;
    AppRequest *next;
    for (AppRequest *request = app->requests.first; request; request = next) {
        next = request->next;
        AppClient *client = request->client;
        if (client->passed_over == walk) continue;
        if (!may_be_served(app, request)) {
            client->passed_over = walk;
            continue;
        }
        unlink_request(app, request);
        serve(app, request);
        app_time_budget_update_reading(client);
    }
}

void app_requests_forget(AppClient *client) {
    App *app = client->app;
    app_step_cancel(app, client);
    app_reload_forget(app, client);
    app_spawns_forget(client);
    AppRequest *next;
    for (AppRequest *request = app->requests.first; request; request = next) {
        next = request->next;
        if (request->client != client) continue;
        unlink_request(app, request);
        app_request_destroy(request);
    }
}

const AppMethod *app_find_method(const char *name) {
    static const AppMethod *const families[] = {
        app_session_methods, app_character_methods,  app_pose_methods,   app_fabric_methods,
        app_world_methods,   app_simulation_methods, app_stream_methods, app_script_methods};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (const AppMethod *method = families[i]; method->name; method++)
            if (strcmp(method->name, name) == 0) return method;
    return NULL;
}

AppCall app_call(AppRequest *request) {
    App *app = request->client->app;
    AppCall call = {.app = app, .client = request->client, .request = request};
    if (request->method) call.params = protocol_params(request->method, request->request.params);
    call.tick = app_effect_tick(app);
    return call;
}

void app_request_answer(AppRequest *request, AppCall *call) {
    AppClient *client = request->client;
    App *app = client->app;
    if (call->error.code == 0 && call->json.failed) app_call_fail_memory(call);
    if (!request->request.notification) {
        text_buffer_clear(&app->text);
        write_answer(call, &app->text);
        deliver(client, request->batch, &app->text);
    } else if (call->error.code != 0) {
        app_notification_error_add(client, request->method, &call->error);
    }
    cJSON_Delete(call->result);
    free(call->traceback);
    app_request_destroy(request);
    app_requests_finish_ended(client);
}

void app_request_destroy(AppRequest *request) {
    if (request->batch) end_batch(request->client, request->batch);
    protocol_request_finish(&request->request);
    free(request);
}

void app_requests_finish_ended(AppClient *client) {
    if (client->is_dismissed && client->open_batches == 0)
        net_connection_finish(client->connection, NET_CLOSE_WRONG_TOKEN);
    if (client->ended && client->waiting_requests == 0 && !client->spawning &&
        !app_step_is_of(client->app, client) && !app_reload_is_of(client->app, client))
        net_connection_finish(client->connection, NET_CLOSE_BY_PEER);
}

static void take_apart(AppClient *client, ProtocolMessage *message, size_t length) {
    AppBatch *batch = NULL;
    if (message->batch) {
        batch = calloc(1, sizeof *batch);
        if (!batch) {
            net_connection_close(client->connection, NET_CLOSE_OUT_OF_MEMORY);
            return;
        }
        text_buffer_init(&batch->replies);
        batch->unanswered = 1; // until the whole message is read
        client->open_batches++;
    }
    ProtocolRequest request;
    ProtocolError error;
    ProtocolNext next;
    while ((next = protocol_message_next(message, &request, &error)) != PROTOCOL_NEXT_NONE) {
        if (batch) batch->unanswered++;
        if (next == PROTOCOL_NEXT_INVALID) {
            answer_invalid(client, &request, batch, &error);
        } else {
            receive_one(client, &request, batch, length);
            length = 0; // the bytes of a batch count once
        }
    }
    if (batch) end_batch(client, batch);
}

static void receive_one(AppClient *client, ProtocolRequest *request, AppBatch *batch, size_t bytes) {
    App *app = client->app;
    AppRequest *taken = malloc(sizeof *taken);
    if (!taken) {
        protocol_request_finish(request);
        if (batch) batch->unanswered--;
        net_connection_close(client->connection, NET_CLOSE_OUT_OF_MEMORY);
        return;
    }
    ProtocolError error;
    *taken = (AppRequest){.client = client,
                          .request = *request,
                          .method = protocol_find_method(request->method, &error),
                          .own = app_find_method(request->method),
                          .batch = batch,
                          .bytes = bytes};
    if (client->waiting_requests == 0 && may_be_served(app, taken))
        serve(app, taken);
    else
        append(app, taken);
}

static void answer_invalid(AppClient *client, ProtocolRequest *request, AppBatch *batch,
                           const ProtocolError *error) {
    TextBuffer *text = &client->app->text;
    client->served++;
    text_buffer_clear(text);
    protocol_write_error(text, request->id, error);
    deliver(client, batch, text);
    if (batch) batch->unanswered--;
    protocol_request_finish(request);
}

static bool may_be_served(const App *app, const AppRequest *request) {
    const bool any_time = request->own && request->own->any_time;
    const bool is_command = request->method && request->method->timing == PROTOCOL_COMMAND;
    if (request->client->spawning || app_step_is_of(app, request->client) ||
        app_reload_is_of(app, request->client))
        return false;
    if (app_reload_is_busy(app) && strcmp(request->request.method, "script.reload") == 0) return false;
    if (!app_time_budget_allows(app, request->client, !any_time && !is_command)) return false;
    if (app->in_flight) return any_time;
    return !is_command || app->beginning || app_is_paused(app);
}

static void append(App *app, AppRequest *request) {
    AppRequests *requests = &app->requests;
    request->previous = requests->last;
    if (requests->last)
        requests->last->next = request;
    else
        requests->first = request;
    requests->last = request;
    request->client->waiting_requests++;
    request->client->waiting_bytes += request->bytes;
}

static void unlink_request(App *app, AppRequest *request) {
    AppRequests *requests = &app->requests;
    if (request->previous)
        request->previous->next = request->next;
    else
        requests->first = request->next;
    if (request->next)
        request->next->previous = request->previous;
    else
        requests->last = request->previous;
    request->next = request->previous = NULL;
    request->client->waiting_requests--;
    request->client->waiting_bytes -= request->bytes;
}

static void serve(App *app, AppRequest *request) {
    AppClient *client = request->client;
    const uint64_t begun_ns = uv_hrtime();
    client->served++;
    AppCall call = app_call(request);
    if (check(&call)) request->own->handle(&call);
    app_follow_scripts(app); // a command may be a script's
    if (!call.later) app_request_answer(request, &call);
    app_time_budget_charge(app, client, uv_hrtime() - begun_ns);
}

// What can be said without knowing the method's meaning: the connection has a role, the method exists, the
// role may call it, the parameters fit.
static bool check(AppCall *call) {
    const AppRequest *request = call->request;
    const ProtocolRole role = call->client->access.role;
    if (role == PROTOCOL_ROLE_NONE && (!request->method || request->method->role != PROTOCOL_ROLE_NONE))
        protocol_error_stranger(&call->error, request->request.method);
    else if (!request->method)
        protocol_find_method(request->request.method, &call->error); // says what is near
    else if (request->method->role > role)
        protocol_error_role(&call->error, request->method->name);
    else
        return protocol_validate_params(request->method, request->request.params, &call->error);
    return false;
}

static void write_answer(AppCall *call, TextBuffer *text) {
    const char *id = call->request->request.id;
    if (call->error.code != 0)
        protocol_write_error(text, id, &call->error);
    else if (call->text)
        protocol_write_result_text(text, id, call->text->bytes, call->text->length);
    else if (call->result)
        protocol_write_result(text, id, call->result);
    else
        protocol_write_result_tick(text, id, call->tick);
}

// Answers of a batch wait for the last one, and may not be more than what may wait in all.
static void deliver(AppClient *client, AppBatch *batch, const TextBuffer *reply) {
    if (!batch) {
        app_client_send(client, reply);
    } else if (batch->replies.length + reply->length <= MOST_BATCH_BYTES) {
        protocol_batch_add(&batch->replies, reply);
    } else {
        net_connection_close(client->connection, NET_CLOSE_LONG_BATCH);
        text_buffer_finish(&batch->replies);
        batch->replies.failed = true;
    }
}

// One answer more, or none where it was a notification; the last one sends them all.
static void end_batch(AppClient *client, AppBatch *batch) {
    if (--batch->unanswered > 0) return;
    protocol_batch_end(&batch->replies);
    if (batch->replies.length > 0 || batch->replies.failed) app_client_send(client, &batch->replies);
    text_buffer_finish(&batch->replies);
    free(batch);
    client->open_batches--;
    app_requests_finish_ended(client);
}
