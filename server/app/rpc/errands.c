// A script's request is checked and handled as an operator's, without a connection.
#include "rpc/errands.h"

#include "base/values.h"
#include "server/app.h"
#include "session/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ERRANDS 4096 // that wait

struct AppErrand {
    AppErrand *next;
    const ProtocolMethod *method;
    const AppMethod *own;
    cJSON *params;
    uint64_t token; // of the answer; 0: nobody waits for it
};

static const AppMethod *check(const char *method, const cJSON *params, const ProtocolMethod **out_method,
                              ProtocolError *out_error);
static bool runs_scripts(const char *method);
static bool is_put_off(const App *app, const ProtocolMethod *method);
static bool wait(App *app, const AppErrand *errand, ProtocolError *out_error);
static bool finish_call(AppCall *call, ScriptValue *out_result, ProtocolError *out_error);
static bool take_result(AppCall *call, ScriptValue *out_result);
static void describe(const ProtocolError *error, char *text, size_t size);

ScriptRequestStatus app_errand_request(void *context, const char *method, const ScriptValue *params,
                                       uint64_t token, ScriptValue *out_result,
                                       char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    App *app = context;
    ProtocolError error = {0};
    AppErrand errand = {.params = app_value_to_json(params), .token = token};
    if (!errand.params) protocol_error_set(&error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
    if (errand.params) errand.own = check(method, errand.params, &errand.method, &error);
    ScriptRequestStatus status = SCRIPT_REQUEST_REFUSED;
    if (errand.own && (runs_scripts(method) || is_put_off(app, errand.method))) {
        if (wait(app, &errand, &error)) return SCRIPT_REQUEST_LATER;
    } else if (errand.own) {
        AppCall call = app_errand_call(app, &errand);
        errand.own->handle(&call);
        if (finish_call(&call, out_result, &error)) status = SCRIPT_REQUEST_DONE;
    }
    cJSON_Delete(errand.params);
    describe(&error, out_message, SCRIPT_REQUEST_MESSAGE_SIZE);
    return status;
}

void app_errands_run(App *app) {
    AppErrand *errand = app->errands.first;
    app->errands = (AppErrands){0}; // what these ask for in turn waits
    while (errand) {
        AppErrand *present = errand;
        errand = errand->next;
        AppCall call = app_errand_call(app, present);
        present->own->handle(&call);
        if (!call.later) app_errand_answer(present, &call);
    }
}

void app_errands_finish(AppErrands *errands) {
    app_errands_drop_after(errands, NULL);
}

void app_errands_drop_after(AppErrands *errands, const AppErrand *last) {
    AppErrand **end = &errands->first;
    AppErrand *kept = NULL;
    while (kept != last) {
        kept = *end;
        end = &kept->next;
    }
    while (*end) {
        AppErrand *dropped = *end;
        *end = dropped->next;
        app_errand_destroy(dropped);
        errands->count--;
    }
    errands->last = kept;
}

AppCall app_errand_call(App *app, AppErrand *errand) {
    return (AppCall){.app = app,
                     .errand = errand,
                     .params = protocol_params(errand->method, errand->params),
                     .tick = app_effect_tick(app)};
}

void app_errand_answer(AppErrand *errand, AppCall *call) {
    ScriptValue result = SCRIPT_NULL;
    ProtocolError error = {0};
    char text[SCRIPT_REQUEST_MESSAGE_SIZE];
    const bool done = finish_call(call, &result, &error);
    if (!done) {
        script_value_finish(&result);
        const int length = snprintf(text, sizeof text, "%s: ", errand->method->name);
        describe(&error, text + length, sizeof text - (size_t)length);
        if (errand->token && !script_value_string(&result, text, strlen(text))) result = SCRIPT_NULL;
    }
    if (errand->token)
        script_host_complete_request(call->app->characters.host, errand->token, done, result);
    else
        script_value_finish(&result);
    if (!done && !errand->token) app_event_log(call->app, TEXT_LOG_ERROR, text);
    app_errand_destroy(errand);
}

void app_errand_destroy(AppErrand *errand) {
    if (!errand) return;
    cJSON_Delete(errand->params);
    free(errand);
}

static const AppMethod *check(const char *method, const cJSON *params, const ProtocolMethod **out_method,
                              ProtocolError *out_error) {
    static const char *const of_connections[] = {"session.", "stream.", "simulation.step", "script.reload"};
    *out_method = protocol_find_method(method, out_error);
    if (!*out_method) return NULL;
    for (size_t i = 0; i < sizeof of_connections / sizeof *of_connections; i++) {
        if (strncmp(method, of_connections[i], strlen(of_connections[i])) != 0) continue;
        protocol_error_set(out_error, PROTOCOL_NOT_ALLOWED, NULL, "it is for connections, not for scripts");
        return NULL;
    }
    if (!protocol_validate_params(*out_method, params, out_error)) return NULL;
    return app_find_method(method);
}

static bool runs_scripts(const char *method) {
    static const char *const methods[] = {"character.spawn", "character.remove", "character.reset",
                                          "character.call"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(method, methods[i]) == 0) return true;
    return false;
}

// A script that is reloaded may yet fail, and would then have changed something.
static bool is_put_off(const App *app, const ProtocolMethod *method) {
    return app->characters.reloading && method->timing == PROTOCOL_COMMAND;
}

static bool wait(App *app, const AppErrand *errand, ProtocolError *out_error) {
    AppErrands *errands = &app->errands;
    AppErrand *kept = errands->count < MOST_ERRANDS ? malloc(sizeof *kept) : NULL;
    if (!kept) {
        protocol_error_set(out_error, PROTOCOL_NOT_NOW, NULL, "%d requests of scripts wait already",
                           errands->count);
        return false;
    }
    *kept = *errand;
    if (errands->last)
        errands->last->next = kept;
    else
        errands->first = kept;
    errands->last = kept;
    errands->count++;
    return true;
}

// Lets go of all that the call holds. False, with the error, if it failed.
static bool finish_call(AppCall *call, ScriptValue *out_result, ProtocolError *out_error) {
    if (call->error.code == 0 && (call->json.failed || !take_result(call, out_result)))
        app_call_fail_memory(call);
    *out_error = call->error;
    out_error->traceback = NULL;
    cJSON_Delete(call->result);
    free(call->traceback);
    return call->error.code == 0;
}

static bool take_result(AppCall *call, ScriptValue *out_result) {
    if (call->text) call->result = cJSON_ParseWithLength(call->text->bytes, call->text->length);
    if (call->text && !call->result) return false;
    if (call->result) return app_value_from_json(out_result, call->result);
    *out_result = script_value_table();
    return script_value_set(out_result, "tick", script_value_number((double)call->tick));
}

static void describe(const ProtocolError *error, char *text, size_t size) {
    snprintf(text, size, "%s%s%s", error->path, error->path[0] ? ": " : "", error->message);
}
