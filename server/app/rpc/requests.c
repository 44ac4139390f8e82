// The request queue, each request's call and its reply, and how much of the loop's time a connection gets.
#include "rpc/requests.h"

#include "rpc/pose_queue.h"
#include "session/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define REQUESTS_PER_TICK    256                 // of one connection
#define WAITING_BYTES        ((size_t)256 << 10) // of requests not served yet; past it the peer is not read
#define MOST_SCRIPT_FAILURES 50                  // reported in a second
#define MOST_OF_NODES        16384               // requests that wait
#define UNREAD_ANSWERS       ((size_t)1 << 20) // bytes; from there on net does not read from the peer either

enum { REQUESTS_PENDING = 1 }; // why a connection is not read from

static void split_message(AppRpc *rpc, AppClient *client, ProtocolMessage *message, size_t length);
static void receive_one(AppRpc *rpc, AppClient *client, ProtocolRequest *request, AppBatch *batch,
                        size_t bytes);
static void answer_invalid(AppClient *client, ProtocolRequest *request, AppBatch *batch,
                           const ProtocolError *error);
static bool may_be_served(const AppRequest *request);
static bool knows_what_is_here(const AppRpc *rpc);
static bool is_elsewhere(const AppRequest *request);
static bool is_in_phase(const AppRequest *request);
static void append(AppRequest *request);
static void unlink_request(AppRequest *request);
static void drop(AppRequest *request);
static void drop_deferred(AppRequest *request);
static void link_deferred(AppRequest *request);
static void unlink_deferred(AppRequest *request);
static void serve(AppRequest *request);
static void end_local(AppRequest *request, const ProtocolError *error);
static void serve_nodes(AppRpc *rpc);
static void handle(AppCall *call);
static bool check(AppCall *call);
static bool has_time(const AppClient *client, bool is_question);
static void charge_time(AppClient *client, uint64_t nanoseconds);
static void update_reading(AppClient *client);
static int64_t interval_budget_ns(const AppTicks *ticks);
static void complete_for_client(AppRequest *request, AppCall *call);
static void complete_for_script(AppRequest *request, AppCall *call);
static void complete_for_node(AppRequest *request, AppCall *call);
static void report_script_failure(AppRpc *rpc, const char *text);
static void write_reply(AppCall *call, TextBuffer *text);
static bool result_to_value(AppCall *call, ScriptValue *out_result);

void app_rpc_receive(AppRpc *rpc, AppClient *client, const char *message, size_t length) {
    const uint64_t begun_ns = uv_hrtime();
    ProtocolMessage parsed;
    ProtocolError error;
    const bool valid = protocol_message_read(&parsed, message, length, &error);
    charge_time(client, uv_hrtime() - begun_ns);
    if (valid) {
        split_message(rpc, client, &parsed, length);
        protocol_message_finish(&parsed);
    } else if (error.code == PROTOCOL_INTERNAL_ERROR) { // nobody could tell which request an answer is to
        net_connection_close(client->connection, NET_CLOSE_OUT_OF_MEMORY);
    } else {
        client->served++;
        app_client_send_error(client, &error);
    }
    update_reading(client);
}

bool app_rpc_receive_from_node(AppRpc *rpc, AppRequest *request) {
    if (rpc->of_nodes_count >= MOST_OF_NODES) return false;
    app_request_list_append(&rpc->of_nodes, request);
    rpc->of_nodes_count++;
    return true;
}

void app_rpc_cancel_from_node(AppRpc *rpc, const char *reply_to) {
    AppRequest *request = rpc->of_nodes.first;
    while (request && strcmp(request->reply_to, reply_to) != 0) request = request->next;
    if (request) {
        app_request_list_remove(&rpc->of_nodes, request);
        rpc->of_nodes_count--;
        app_request_destroy(request);
        return;
    }
    request = rpc->deferred_of_nodes;
    while (request && strcmp(request->reply_to, reply_to) != 0) request = request->next_deferred;
    if (request) drop_deferred(request);
}

void app_rpc_finish(AppRpc *rpc) {
    app_request_list_drop(&rpc->of_nodes);
    while (rpc->deferred_of_nodes) drop_deferred(rpc->deferred_of_nodes);
}

void app_rpc_serve(AppRpc *rpc) {
    if (!knows_what_is_here(rpc)) return;
    const uint64_t pass = ++rpc->pass;
    serve_nodes(rpc);
    AppRequest *next;
    for (AppRequest *request = rpc->waiting.first; request; request = next) {
        next = request->next;
        AppClient *client = request->client;
        if (client->skipped_in_pass == pass) continue;
        if (!may_be_served(request)) {
            client->skipped_in_pass = pass;
            continue;
        }
        unlink_request(request);
        serve(request);
        update_reading(client);
    }
}

void app_request_list_drop(AppRequestList *list) {
    while (list->first) {
        AppRequest *request = list->first;
        app_request_list_remove(list, request);
        app_request_destroy(request);
    }
}

// Each comes before those that wait already.
void app_request_list_serve_here(AppRequestList *list) {
    while (list->last) {
        AppRequest *request = list->last;
        app_request_list_remove(list, request);
        app_request_serve_here(request);
    }
}

void app_rpc_remove_client(AppRpc *rpc, AppClient *client) {
    AppRequest *pending = client->pending;
    if (pending) {
        pending->cancel(pending->context, pending);
        drop(pending);
    }
    AppRequest *next;
    for (AppRequest *request = rpc->waiting.first; request; request = next) {
        next = request->next;
        if (request->client != client) continue;
        unlink_request(request);
        drop(request);
    }
}

void app_time_budget_renew(AppSessions *sessions) {
    const int64_t budget = interval_budget_ns(sessions->ticks);
    int64_t users = 0;
    for (const AppClient *client = sessions->clients; client; client = client->next)
        users += client->credit_ns < budget;
    for (AppClient *client = sessions->clients; client; client = client->next) {
        if (client->credit_ns < budget) client->credit_ns += budget / users;
        if (client->credit_ns > budget) client->credit_ns = budget;
        client->served = 0;
        update_reading(client);
    }
    sessions->budget_ns = budget;
}

AppCall app_call(AppRequest *request) {
    AppRpc *rpc = request->rpc;
    AppCall call = {.rpc = rpc, .request = request, .client = request->client};
    if (request->method) {
        call.context = rpc->methods[protocol_method_id(request->method)].context;
        call.params = protocol_params(request->method, request->request.params);
    }
    call.tick = app_ticks_effective(rpc->ticks);
    return call;
}

AppRequest *app_call_defer(AppCall *call, void (*cancel)(void *context, AppRequest *request), void *context) {
    AppRequest *request = call->request;
    request->cancel = cancel;
    request->context = context;
    call->deferred = true;
    if (request->client) request->client->pending = request;
    if (request->reply_to) link_deferred(request);
    if (request->method->exclusive) request->rpc->exclusive = request;
    return request;
}

void app_request_serve_here(AppRequest *request) {
    AppRequestList *list = request->client ? &request->rpc->waiting : &request->rpc->of_nodes;
    request->is_local = true;
    request->next = list->first;
    request->previous = NULL;
    if (list->first)
        list->first->previous = request;
    else
        list->last = request;
    list->first = request;
    if (request->client) {
        request->client->pending = NULL;
        request->client->waiting_requests++;
        request->client->waiting_bytes += request->bytes;
    } else {
        unlink_deferred(request);
        request->rpc->of_nodes_count++;
    }
}

void app_request_complete(AppRequest *request, AppCall *call) {
    const AppRouter *router = &request->rpc->router;
    if (router->amend && call->error.code == PROTOCOL_NOT_FOUND &&
        strcmp(call->error.path, "params.character") == 0)
        router->amend(router->context, call);
    end_local(request, &call->error);
    if (request->client)
        complete_for_client(request, call);
    else if (request->reply_to)
        complete_for_node(request, call);
    else
        complete_for_script(request, call);
}

void app_request_destroy(AppRequest *request) {
    if (!request) return;
    if (request->client && request->client->pending == request) request->client->pending = NULL;
    if (request->rpc->exclusive == request) request->rpc->exclusive = NULL;
    unlink_deferred(request);
    end_local(request, NULL);
    free(request->reply_to);
    if (app_batch_end_one(request->batch, request->client)) app_client_finish_ended(request->client);
    protocol_request_finish(&request->request);
    free(request);
}

bool app_call_finish_as_value(AppCall *call, ScriptValue *out_result, ProtocolError *out_error) {
    if (call->error.code == 0 && (call->json.failed || !result_to_value(call, out_result)))
        app_call_fail_memory(call);
    *out_error = call->error;
    out_error->traceback = NULL;
    cJSON_Delete(call->result);
    free(call->traceback);
    return call->error.code == 0;
}

void app_error_format(const ProtocolError *error, char *text, size_t size) {
    const char *path = strstr(error->message, error->path) ? "" : error->path;
    snprintf(text, size, "%s%s%s", path, path[0] ? ": " : "", error->message);
}

void app_client_finish_ended(AppClient *client) {
    if (client->is_dismissed && client->open_batches == 0)
        net_connection_finish(client->connection, NET_CLOSE_WRONG_TOKEN);
    if (client->has_ended && client->waiting_requests == 0 && !client->pending)
        net_connection_finish(client->connection, NET_CLOSE_BY_PEER);
}

void app_call_fail_memory(AppCall *call) {
    protocol_error_set(&call->error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
}

void app_call_fail_script(AppCall *call, int code, const char *path, ScriptError *error) {
    protocol_error_set(&call->error, code, path, "%s", error->message ? error->message : "out of memory");
    call->traceback = error->traceback;
    if (!call->traceback && code == PROTOCOL_SCRIPT_ERROR && error->message)
        call->traceback = strdup(error->message); // it was not raised: all that is known of the place
    call->error.traceback = call->traceback;
    error->traceback = NULL;
    script_error_finish(error);
}

void app_call_answer_pause(AppCall *call) {
    const AppTicks *ticks = call->rpc->sessions->ticks;
    call->result = app_json_root_object(&call->json);
    app_json_integer(&call->json, call->result, "tick", ticks->begun);
    app_json_integer(&call->json, call->result, "holds",
                     (uint64_t)app_pause_locks_count(&ticks->pause_locks));
}

AppCharacter *app_call_character(AppCall *call) {
    const AppCharacters *characters = call->rpc->characters;
    const char *name = protocol_param_string(call->params, "character");
    AppCharacter *character = app_characters_find(characters, name);
    if (!character) app_error_no_character(&call->error, characters, "params.character", name);
    return character;
}

void app_error_no_character(ProtocolError *out_error, const AppCharacters *characters, const char *path,
                            const char *name) {
    TextNearest nearest = text_nearest_to(name);
    for (size_t i = 0; i < characters->count; i++) text_nearest_offer(&nearest, characters->items[i]->name);
    protocol_error_not_found(out_error, path, "character", &nearest);
}

static void split_message(AppRpc *rpc, AppClient *client, ProtocolMessage *message, size_t length) {
    AppBatch *batch = message->batch ? app_batch_create(client) : NULL;
    if (message->batch && !batch) {
        net_connection_close(client->connection, NET_CLOSE_OUT_OF_MEMORY);
        return;
    }
    ProtocolRequest request;
    ProtocolError error;
    ProtocolNext next;
    while ((next = protocol_message_next(message, &request, &error)) != PROTOCOL_NEXT_NONE) {
        app_batch_expect(batch);
        if (next == PROTOCOL_NEXT_INVALID) {
            answer_invalid(client, &request, batch, &error);
        } else {
            receive_one(rpc, client, &request, batch, length);
            length = 0; // the bytes of a batch count once
        }
    }
    if (app_batch_end_one(batch, client)) app_client_finish_ended(client);
}

static void receive_one(AppRpc *rpc, AppClient *client, ProtocolRequest *request, AppBatch *batch,
                        size_t bytes) {
    AppRequest *taken = malloc(sizeof *taken);
    if (!taken) {
        protocol_request_finish(request);
        app_batch_end_one(batch, client);
        net_connection_close(client->connection, NET_CLOSE_OUT_OF_MEMORY);
        return;
    }
    ProtocolError error;
    *taken = (AppRequest){.rpc = rpc,
                          .client = client,
                          .request = *request,
                          .method = protocol_find_method(request->method, &error),
                          .batch = batch,
                          .bytes = bytes};
    if (client->waiting_requests == 0 && may_be_served(taken)) {
        serve(taken);
        return;
    }
    AppRequest *superseded = app_pose_queue_superseded(taken);
    if (superseded && protocol_validate_params(taken->method, taken->request.params, &error)) {
        unlink_request(superseded);
        app_request_destroy(superseded);
    }
    append(taken);
}

static void answer_invalid(AppClient *client, ProtocolRequest *request, AppBatch *batch,
                           const ProtocolError *error) {
    TextBuffer *text = &client->sessions->text;
    client->served++;
    if (error->code == PROTOCOL_INTERNAL_ERROR) { // its id is lost
        net_connection_close(client->connection, NET_CLOSE_OUT_OF_MEMORY);
    } else {
        text_buffer_clear(text);
        protocol_write_error(text, request->id, error);
        app_batch_add(batch, client, text);
    }
    app_batch_end_one(batch, client);
    protocol_request_finish(request);
}

static bool may_be_served(const AppRequest *request) {
    const ProtocolMethod *method = request->method;
    if (!(method && method->any_time) && !knows_what_is_here(request->rpc)) return false;
    const bool any_time = (method && method->any_time) || is_elsewhere(request);
    const bool is_command = method && method->timing == PROTOCOL_COMMAND;
    if (request->client->pending || (method && method->exclusive && request->rpc->exclusive)) return false;
    return has_time(request->client, !any_time && !is_command) && (any_time || is_in_phase(request));
}

static bool knows_what_is_here(const AppRpc *rpc) {
    return !rpc->router.may_serve || rpc->router.may_serve(rpc->router.context);
}

static bool is_elsewhere(const AppRequest *request) {
    const AppRouter *router = &request->rpc->router;
    return router->is_elsewhere && request->method && !request->is_local &&
           router->is_elsewhere(router->context, request);
}

// Whether the world may be read or changed now, as the method needs it.
static bool is_in_phase(const AppRequest *request) {
    const ProtocolMethod *method = request->method;
    const bool is_command = method && method->timing == PROTOCOL_COMMAND;
    if (method && method->any_time) return true;
    if (method && method->runs_scripts && !script_host_has_time(request->rpc->characters->host)) return false;
    const AppTicks *ticks = request->rpc->ticks;
    return is_command ? app_ticks_may_write(ticks) : app_ticks_may_read(ticks);
}

static void append(AppRequest *request) {
    app_request_list_append(&request->rpc->waiting, request);
    request->client->waiting_requests++;
    request->client->waiting_bytes += request->bytes;
}

static void unlink_request(AppRequest *request) {
    app_request_list_remove(&request->rpc->waiting, request);
    request->client->waiting_requests--;
    request->client->waiting_bytes -= request->bytes;
}

static void drop(AppRequest *request) {
    app_batch_drop(request->batch);
    app_request_destroy(request);
}

static void drop_deferred(AppRequest *request) {
    request->cancel(request->context, request);
    app_request_destroy(request);
}

// One that is deferred again stays.
static void link_deferred(AppRequest *request) {
    unlink_deferred(request);
    request->next_deferred = request->rpc->deferred_of_nodes;
    request->rpc->deferred_of_nodes = request;
}

static void unlink_deferred(AppRequest *request) {
    AppRequest **place = &request->rpc->deferred_of_nodes;
    while (*place && *place != request) place = &(*place)->next_deferred;
    if (*place) *place = request->next_deferred;
}

static void serve(AppRequest *request) {
    AppRpc *rpc = request->rpc;
    AppClient *client = request->client;
    const uint64_t begun_ns = uv_hrtime();
    const ProtocolMethod *method = request->method;
    const bool is_command = method && method->timing == PROTOCOL_COMMAND && !is_elsewhere(request);
    client->served++;
    AppCall call = app_call(request);
    if (check(&call)) handle(&call);
    if (is_command) rpc->scripts_ran(rpc->context);
    if (!call.deferred) app_request_complete(request, &call);
    const uint64_t taken_ns = uv_hrtime() - begun_ns;
    if (method) app_stats_add_request(rpc->stats, method->name, taken_ns);
    charge_time(client, taken_ns);
}

static void end_local(AppRequest *request, const ProtocolError *error) {
    if (!request->is_local) return;
    request->is_local = false;
    request->rpc->router.ended(request->rpc->router.context, request, error);
}

static void serve_nodes(AppRpc *rpc) {
    AppRequest *request;
    while ((request = rpc->of_nodes.first) && is_in_phase(request)) {
        const bool is_command = request->method->timing == PROTOCOL_COMMAND;
        if (!is_command && rpc->sessions->budget_ns <= 0) return;
        const uint64_t begun_ns = uv_hrtime();
        app_request_list_remove(&rpc->of_nodes, request);
        rpc->of_nodes_count--;
        AppCall call = app_call(request);
        rpc->replica = request->is_replica ? request : NULL;
        if (!request->loads_only && is_elsewhere(request))
            handle(&call);
        else
            rpc->methods[protocol_method_id(request->method)].handle(&call);
        rpc->replica = NULL;
        if (is_command) rpc->scripts_ran(rpc->context);
        if (!call.deferred) app_request_complete(request, &call);
        rpc->sessions->budget_ns -= (int64_t)(uv_hrtime() - begun_ns);
    }
}

static void handle(AppCall *call) {
    const AppRouter *router = &call->rpc->router;
    const bool is_routed = router->route && !call->request->is_local && router->route(router->context, call);
    if (!is_routed) call->rpc->methods[protocol_method_id(call->request->method)].handle(call);
}

// Checks role, method and parameters.
static bool check(AppCall *call) {
    const AppRequest *request = call->request;
    const ProtocolRole role = call->client->access.role;
    if (role == PROTOCOL_ROLE_NONE && (!request->method || request->method->role != PROTOCOL_ROLE_NONE))
        protocol_error_no_role(&call->error, request->request.method);
    else if (!request->method)
        protocol_find_method(request->request.method, &call->error); // says what is near
    else if (request->method->role > role)
        protocol_error_role(&call->error, request->method->name);
    else
        return protocol_validate_params(request->method, request->request.params, &call->error);
    return false;
}

// Whether the client's next request may be served now. is_question: it looks at the world, which takes time.
static bool has_time(const AppClient *client, bool is_question) {
    if (is_question && client->sessions->budget_ns <= 0) return false;
    return client->served < REQUESTS_PER_TICK && client->credit_ns > 0 &&
           net_connection_queued_bytes(client->connection) <= UNREAD_ANSWERS;
}

// Reading or serving what the client sent took so long.
static void charge_time(AppClient *client, uint64_t nanoseconds) {
    client->credit_ns -= (int64_t)nanoseconds;
    client->sessions->budget_ns -= (int64_t)nanoseconds;
}

// Stops or resumes reading from the client, by what waits in its queue.
static void update_reading(AppClient *client) {
    const bool full = client->waiting_requests + client->served >= REQUESTS_PER_TICK ||
                      client->waiting_bytes > WAITING_BYTES || client->credit_ns <= 0;
    if (full)
        net_connection_pause_reading(client->connection, REQUESTS_PENDING);
    else
        net_connection_resume_reading(client->connection, REQUESTS_PENDING);
}

// A quarter of a tick while ticks run, a whole one while paused.
static int64_t interval_budget_ns(const AppTicks *ticks) {
    const int64_t period = 1000000000 / ticks->rate;
    return app_ticks_are_paused(ticks) && ticks->pause_locks.stepper == 0 ? period : period / 4;
}

static void complete_for_client(AppRequest *request, AppCall *call) {
    AppClient *client = request->client;
    TextBuffer *text = &client->sessions->text;
    const bool has_no_result = call->error.code == 0 && call->json.failed;
    if (has_no_result && request->method->timing == PROTOCOL_COMMAND) // it has taken effect: no error is true
        net_connection_close(client->connection, NET_CLOSE_OUT_OF_MEMORY);
    else if (has_no_result)
        app_call_fail_memory(call);
    if (!request->request.notification) {
        text_buffer_clear(text);
        write_reply(call, text);
        app_batch_add(request->batch, client, text);
    } else if (call->error.code != 0) {
        app_event_notification_failed(client, request->method, &call->error);
    }
    cJSON_Delete(call->result);
    free(call->traceback);
    app_request_destroy(request);
    app_client_finish_ended(client);
}

static void complete_for_script(AppRequest *request, AppCall *call) {
    ScriptValue result = SCRIPT_NULL;
    ProtocolError error = {0};
    char text[SCRIPT_REQUEST_MESSAGE_SIZE];
    const bool done = app_call_finish_as_value(call, &result, &error);
    if (!done) {
        script_value_finish(&result);
        const int length = snprintf(text, sizeof text, "%s: ", request->method->name);
        app_error_format(&error, text + length, sizeof text - (size_t)length);
        if (request->token && !script_value_string(&result, text, strlen(text))) result = SCRIPT_NULL;
    }
    if (request->token)
        script_host_complete_request(call->rpc->characters->host, request->token, done, result);
    else
        script_value_finish(&result);
    if (!done && !request->token) report_script_failure(request->rpc, text);
    app_request_destroy(request);
}

static void complete_for_node(AppRequest *request, AppCall *call) {
    AppRpc *rpc = request->rpc;
    TextBuffer *text = &rpc->sessions->text;
    if (call->error.code == 0 && call->json.failed) app_call_fail_memory(call);
    const bool is_awaited = !request->request.notification || call->error.code != 0;
    if (request->reply_to[0] && is_awaited) {
        text_buffer_clear(text);
        write_reply(call, text);
        rpc->router.answer(rpc->router.context, request, text);
    }
    cJSON_Delete(call->result);
    free(call->traceback);
    app_request_destroy(request);
}

// So many a second, as of the lines that a script prints.
static void report_script_failure(AppRpc *rpc, const char *text) {
    const uint64_t now_ns = uv_hrtime();
    if (now_ns - rpc->script_failures_ns > 1000000000) {
        rpc->script_failures_ns = now_ns;
        rpc->script_failures = 0;
    }
    rpc->script_failures++;
    if (rpc->script_failures > MOST_SCRIPT_FAILURES + 1) return;
    char notice[128];
    snprintf(notice, sizeof notice,
             "more than %d requests of scripts have failed in a second: the rest is left out",
             MOST_SCRIPT_FAILURES);
    app_event_log(rpc->sessions, TEXT_LOG_ERROR, rpc->script_failures > MOST_SCRIPT_FAILURES ? notice : text);
}

static void write_reply(AppCall *call, TextBuffer *text) {
    const char *id = call->request->request.id;
    if (call->error.code != 0)
        protocol_write_error(text, id, &call->error);
    else if (call->reply)
        protocol_write_forwarded(text, id, call->reply, call->reply_length);
    else if (call->text)
        protocol_write_result_text(text, id, call->text->bytes, call->text->length);
    else if (call->result)
        protocol_write_result(text, id, call->result);
    else
        protocol_write_result_tick(text, id, call->tick);
}

static bool result_to_value(AppCall *call, ScriptValue *out_result) {
    if (call->text) call->result = cJSON_ParseWithLength(call->text->bytes, call->text->length);
    if (call->text && !call->result) return false;
    if (call->result) return app_value_from_json(out_result, call->result);
    *out_result = script_value_table();
    return script_value_set(out_result, "tick", script_value_number((double)call->tick));
}
