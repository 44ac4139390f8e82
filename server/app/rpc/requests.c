// The queue of connections' requests and the way of each through it.
#include "rpc/requests.h"

#include "session/sessions.h"

#include <stdlib.h>
#include <uv.h>

static void split_message(AppRpc *rpc, AppClient *client, ProtocolMessage *message, size_t length);
static void receive_one(AppRpc *rpc, AppClient *client, ProtocolRequest *request, AppBatch *batch,
                        size_t bytes);
static void answer_invalid(AppClient *client, ProtocolRequest *request, AppBatch *batch,
                           const ProtocolError *error);
static bool may_be_served(const AppRequest *request);
static void append(AppRequest *request);
static void unlink_request(AppRequest *request);
static void serve(AppRequest *request);
static bool check(AppCall *call);

void app_rpc_receive(AppRpc *rpc, AppClient *client, const char *message, size_t length) {
    const uint64_t begun_ns = uv_hrtime();
    ProtocolMessage parsed;
    ProtocolError error;
    const bool valid = protocol_message_read(&parsed, message, length, &error);
    app_time_budget_charge(client, uv_hrtime() - begun_ns);
    if (valid) {
        split_message(rpc, client, &parsed, length);
        protocol_message_finish(&parsed);
    } else {
        client->served++;
        app_client_send_error(client, &error);
    }
    app_time_budget_update_reading(client);
}

void app_rpc_serve(AppRpc *rpc) {
    const uint64_t pass = ++rpc->pass;
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
        app_time_budget_update_reading(client);
    }
}

void app_rpc_remove_client(AppRpc *rpc, AppClient *client) {
    AppRequest *pending = client->pending;
    if (pending) {
        pending->cancel(pending->context, pending);
        app_request_destroy(pending);
    }
    AppRequest *next;
    for (AppRequest *request = rpc->waiting.first; request; request = next) {
        next = request->next;
        if (request->client != client) continue;
        unlink_request(request);
        app_request_destroy(request);
    }
}

static void split_message(AppRpc *rpc, AppClient *client, ProtocolMessage *message, size_t length) {
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
            receive_one(rpc, client, &request, batch, length);
            length = 0; // the bytes of a batch count once
        }
    }
    if (batch) app_batch_end_one(client, batch);
}

static void receive_one(AppRpc *rpc, AppClient *client, ProtocolRequest *request, AppBatch *batch,
                        size_t bytes) {
    AppRequest *taken = malloc(sizeof *taken);
    if (!taken) {
        protocol_request_finish(request);
        if (batch) batch->unanswered--;
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
    if (client->waiting_requests == 0 && may_be_served(taken))
        serve(taken);
    else
        append(taken);
}

static void answer_invalid(AppClient *client, ProtocolRequest *request, AppBatch *batch,
                           const ProtocolError *error) {
    TextBuffer *text = &client->sessions->text;
    client->served++;
    text_buffer_clear(text);
    protocol_write_error(text, request->id, error);
    app_reply_deliver(client, batch, text);
    if (batch) batch->unanswered--;
    protocol_request_finish(request);
}

static bool may_be_served(const AppRequest *request) {
    const ProtocolMethod *method = request->method;
    const bool any_time = method && method->any_time;
    const bool is_command = method && method->timing == PROTOCOL_COMMAND;
    if (request->client->pending || (method && method->exclusive && request->rpc->exclusive)) return false;
    if (!app_time_budget_allows(request->client, !any_time && !is_command)) return false;
    if (any_time) return true;
    const AppTicks *ticks = request->rpc->ticks;
    return is_command ? app_ticks_may_write(ticks) : app_ticks_may_read(ticks);
}

static void append(AppRequest *request) {
    AppRequestList *list = &request->rpc->waiting;
    request->previous = list->last;
    if (list->last)
        list->last->next = request;
    else
        list->first = request;
    list->last = request;
    request->client->waiting_requests++;
    request->client->waiting_bytes += request->bytes;
}

static void unlink_request(AppRequest *request) {
    AppRequestList *list = &request->rpc->waiting;
    if (request->previous)
        request->previous->next = request->next;
    else
        list->first = request->next;
    if (request->next)
        request->next->previous = request->previous;
    else
        list->last = request->previous;
    request->next = request->previous = NULL;
    request->client->waiting_requests--;
    request->client->waiting_bytes -= request->bytes;
}

static void serve(AppRequest *request) {
    AppRpc *rpc = request->rpc;
    AppClient *client = request->client;
    const uint64_t begun_ns = uv_hrtime();
    const bool is_command = request->method && request->method->timing == PROTOCOL_COMMAND;
    client->served++;
    AppCall call = app_call(request);
    if (check(&call)) rpc->methods[protocol_method_id(request->method)].handle(&call);
    if (is_command) rpc->scripts_ran(rpc->context);
    if (!call.deferred) app_request_complete(request, &call);
    app_time_budget_charge(client, uv_hrtime() - begun_ns);
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
