// One request of a method, and the call of its handler. A handler completes the request before it returns, or
// defers it and completes it later. It is the same for requests of a connection, of a batch and of a script.
#pragma once

#include "base/json.h"
#include "session/sessions.h"
#include "stream/streams.h"

#include <protocol/reply.h>

typedef struct AppCall AppCall;
typedef struct AppRpc AppRpc;

// Answers of a batch, until all are there.
typedef struct AppBatch {
    size_t unanswered;
    TextBuffer replies;
} AppBatch;

struct AppRequest {
    AppRequest *next, *previous; // in order of arrival
    AppRpc *rpc;
    AppClient *client;            // NULL: a script asks
    uint64_t token;               // of the answer to a script; 0: it does not wait for one
    ProtocolRequest request;      // of a script: the params alone
    const ProtocolMethod *method; // NULL: unknown
    AppBatch *batch;              // NULL: answered by itself
    size_t bytes;                 // counted in the client's waiting_bytes
    void (*cancel)(void *context, AppRequest *request); // of a deferred one
    void *context;                                      // of cancel
};

// What a handler is given, and fills in: one of result, text or error, or none of them for {"tick":N}.
struct AppCall {
    AppRpc *rpc;
    void *context; // the method's, see AppMethod
    AppRequest *request;
    AppClient *client; // NULL: a script asks
    ProtocolParams params;
    AppJson json;           // of what `result` is built with
    cJSON *result;          // freed after it is written
    const TextBuffer *text; // or the result as JSON text, not the call's
    bool deferred;
    uint64_t tick;       // of {"tick":N}
    ProtocolError error; // code 0: none
    char *traceback;     // what error.traceback points at; freed after it is written
};

// The call of a request that begins now, or of a deferred one that is completed now.
AppCall app_call(AppRequest *request);

// The handler's request is completed later, by app_request_complete. cancel: called with the context where
// the connection ends before that; the request is freed afterwards.
AppRequest *app_call_defer(AppCall *call, void (*cancel)(void *context, AppRequest *request), void *context);

// Answers a request with what the call holds, and frees both.
void app_request_complete(AppRequest *request, AppCall *call);

// Frees a request without an answer. NULL: nothing.
void app_request_destroy(AppRequest *request);

// The outcome as a script's value. False with the error. Frees what the call holds.
bool app_call_finish_as_value(AppCall *call, ScriptValue *out_result, ProtocolError *out_error);
// "PATH: MESSAGE", as scripts get it.
void app_error_format(const ProtocolError *error, char *text, size_t size);

// Delivers a reply: to the connection, or to the batch where it is of one.
void app_reply_deliver(AppClient *client, AppBatch *batch, const TextBuffer *reply);
// One reply of the batch less is awaited; the last one sends and frees it.
void app_batch_end_one(AppClient *client, AppBatch *batch);
// Finishes the connection if it sends nothing more, and all it asked is answered.
void app_client_finish_ended(AppClient *client);

// Errors that many handlers give.
void app_call_fail_memory(AppCall *call);
void app_call_fail_script(AppCall *call, int code, const char *path, ScriptError *error); // empties error
// -32001. path: NULL, or the field's.
void app_error_no_character(ProtocolError *out_error, const AppCharacters *characters, const char *path,
                            const char *name);
AppCharacter *app_call_character(AppCall *call); // params.character; NULL with the error
