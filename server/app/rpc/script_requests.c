// The queue of scripts' requests.
#include "base/json.h"
#include "rpc/requests.h"

#include <stdlib.h>

#define MOST_WAITING 4096

static bool check(AppRequest *request, const char *method, ProtocolError *out_error);
static bool has_to_wait(const AppRpc *rpc, const ProtocolMethod *method);
static void put_back(AppRpc *rpc, const AppRequestList *left);
static bool append(AppRpc *rpc, const AppRequest *request, ProtocolError *out_error);

ScriptRequestStatus app_script_request(void *context, const char *method, const ScriptValue *params,
                                       uint64_t token, ScriptValue *out_result,
                                       char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    AppRpc *rpc = context;
    ProtocolError error = {0};
    AppRequest request = {.rpc = rpc, .token = token};
    request.request.object = app_value_to_json(params);
    request.request.params = request.request.object;
    ScriptRequestStatus status = SCRIPT_REQUEST_REFUSED;
    if (!request.request.object) {
        protocol_error_set(&error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
    } else if (check(&request, method, &error)) {
        if (!has_to_wait(rpc, request.method)) {
            AppCall call = app_call(&request);
            rpc->methods[protocol_method_id(request.method)].handle(&call);
            if (app_call_finish_as_value(&call, out_result, &error)) status = SCRIPT_REQUEST_DONE;
        } else if (append(rpc, &request, &error)) {
            return SCRIPT_REQUEST_LATER;
        }
    }
    protocol_request_finish(&request.request);
    app_error_format(&error, out_message, SCRIPT_REQUEST_MESSAGE_SIZE);
    return status;
}

void app_script_requests_serve(AppRpc *rpc) {
    AppRequestList served = rpc->of_scripts;
    rpc->of_scripts = (AppRequestList){0}; // requests that these make wait
    rpc->of_scripts_count = 0;
    while (served.first && script_host_has_time(rpc->characters->host)) {
        AppRequest *request = served.first;
        app_request_list_remove(&served, request);
        AppCall call = app_call(request);
        rpc->methods[protocol_method_id(request->method)].handle(&call);
        if (!call.deferred) app_request_complete(request, &call);
    }
    if (served.first) put_back(rpc, &served);
}

void app_script_requests_drop_after(AppRpc *rpc, const AppRequest *last) {
    AppRequestList *list = &rpc->of_scripts;
    while (list->last != last) {
        AppRequest *dropped = list->last;
        app_request_list_remove(list, dropped);
        app_request_destroy(dropped);
        rpc->of_scripts_count--;
    }
}

static bool check(AppRequest *request, const char *method, ProtocolError *out_error) {
    request->method = protocol_find_method(method, out_error);
    if (!request->method) return false;
    if (request->method->connection_only) {
        protocol_error_set(out_error, PROTOCOL_NOT_ALLOWED, NULL,
                           "scripts cannot call it, since it is about a connection");
        return false;
    }
    return protocol_validate_params(request->method, request->request.params, out_error);
}

// A script that is being reloaded may still fail: its commands wait until it has not.
static bool has_to_wait(const AppRpc *rpc, const ProtocolMethod *method) {
    return method->runs_scripts || (rpc->characters->reloading && method->timing == PROTOCOL_COMMAND);
}

// Those that there was no time for come before those that were added meanwhile.
static void put_back(AppRpc *rpc, const AppRequestList *left) {
    AppRequestList added = rpc->of_scripts;
    for (const AppRequest *request = left->first; request; request = request->next) rpc->of_scripts_count++;
    rpc->of_scripts = *left;
    while (added.first) {
        AppRequest *request = added.first;
        app_request_list_remove(&added, request);
        app_request_list_append(&rpc->of_scripts, request);
    }
}

static bool append(AppRpc *rpc, const AppRequest *request, ProtocolError *out_error) {
    if (rpc->of_scripts_count >= MOST_WAITING) {
        protocol_error_set(out_error, PROTOCOL_NOT_NOW, NULL, "%zu requests of scripts wait already",
                           rpc->of_scripts_count);
        return false;
    }
    AppRequest *kept = malloc(sizeof *kept);
    if (!kept) {
        protocol_error_set(out_error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
        return false;
    }
    *kept = *request;
    app_request_list_append(&rpc->of_scripts, kept);
    rpc->of_scripts_count++;
    return true;
}
