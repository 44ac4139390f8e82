// Calls and their completion, and the errors that many handlers give.
#include "rpc/call.h"

#include "base/json.h"
#include "rpc/requests.h"
#include "session/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BATCH_BYTES ((size_t)16 << 20) // of the answers to one batch

static void complete_for_client(AppRequest *request, AppCall *call);
static void complete_for_script(AppRequest *request, AppCall *call);
static void write_reply(AppCall *call, TextBuffer *text);
static bool result_to_value(AppCall *call, ScriptValue *out_result);

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
    if (request->method->exclusive) request->rpc->exclusive = request;
    return request;
}

void app_request_complete(AppRequest *request, AppCall *call) {
    if (request->client)
        complete_for_client(request, call);
    else
        complete_for_script(request, call);
}

void app_request_destroy(AppRequest *request) {
    if (!request) return;
    if (request->client && request->client->pending == request) request->client->pending = NULL;
    if (request->rpc->exclusive == request) request->rpc->exclusive = NULL;
    if (request->batch) app_batch_end_one(request->client, request->batch);
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
    snprintf(text, size, "%s%s%s", error->path, error->path[0] ? ": " : "", error->message);
}

// Replies of a batch wait for the last one; together they may not be more than what may wait in all.
void app_reply_deliver(AppClient *client, AppBatch *batch, const TextBuffer *reply) {
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

void app_batch_end_one(AppClient *client, AppBatch *batch) {
    if (--batch->unanswered > 0) return;
    protocol_batch_end(&batch->replies);
    if (batch->replies.length > 0 || batch->replies.failed) app_client_send(client, &batch->replies);
    text_buffer_finish(&batch->replies);
    free(batch);
    client->open_batches--;
    app_client_finish_ended(client);
}

void app_client_finish_ended(AppClient *client) {
    if (client->is_dismissed && client->open_batches == 0)
        net_connection_finish(client->connection, NET_CLOSE_WRONG_TOKEN);
    if (client->ended && client->waiting_requests == 0 && !client->pending)
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

AppCharacter *app_call_character(AppCall *call) {
    const AppCharacters *characters = call->rpc->characters;
    const char *name = protocol_param_string(call->params, "character");
    AppCharacter *character = app_characters_find(characters, name);
    if (!character) app_error_no_character(&call->error, characters, "params.character", name);
    return character;
}

void app_error_no_character(ProtocolError *out_error, const AppCharacters *characters, const char *path,
                            const char *name) {
    const char **names = calloc(characters->count + 1, sizeof *names);
    for (size_t i = 0; names && i < characters->count; i++) names[i] = characters->items[i]->name;
    protocol_error_not_found(out_error, path, "character", name, names, names ? characters->count : 0);
    free(names);
}

static void complete_for_client(AppRequest *request, AppCall *call) {
    AppClient *client = request->client;
    TextBuffer *text = &client->sessions->text;
    if (call->error.code == 0 && call->json.failed) app_call_fail_memory(call);
    if (!request->request.notification) {
        text_buffer_clear(text);
        write_reply(call, text);
        app_reply_deliver(client, request->batch, text);
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
    if (!done && !request->token) app_event_log(call->rpc->sessions, TEXT_LOG_ERROR, text);
    app_request_destroy(request);
}

static void write_reply(AppCall *call, TextBuffer *text) {
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

static bool result_to_value(AppCall *call, ScriptValue *out_result) {
    if (call->text) call->result = cJSON_ParseWithLength(call->text->bytes, call->text->length);
    if (call->text && !call->result) return false;
    if (call->result) return app_value_from_json(out_result, call->result);
    *out_result = script_value_table();
    return script_value_set(out_result, "tick", script_value_number((double)call->tick));
}
