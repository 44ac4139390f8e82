// Requests on their way: taken apart, kept in order of arrival, served when they may be, answered.
//
// A question is served between ticks, a command at the start of a tick or, while the simulation is paused,
// between ticks too. Requests of one connection are served strictly one after the other: a question waits for
// the command before it.
#pragma once

#include "base/json.h"
#include "session/client.h"

#include <protocol/reply.h>

typedef struct AppCall AppCall;
typedef struct AppRequest AppRequest;
typedef struct AppErrand AppErrand;

// Fills in the answer: one of call->result, text or error, or none of them for {"tick":N}.
typedef void (*AppHandler)(AppCall *call);

typedef struct AppMethod {
    const char *name;
    AppHandler handle;
    bool any_time; // does not look at the world: may be served while a tick runs
} AppMethod;

// One family of methods each, ended by a NULL name.
extern const AppMethod app_session_methods[], app_character_methods[], app_pose_methods[],
    app_fabric_methods[], app_world_methods[], app_simulation_methods[], app_stream_methods[],
    app_script_methods[];

// Answers of a batch, until all are there.
typedef struct AppBatch {
    size_t unanswered;
    TextBuffer replies;
} AppBatch;

struct AppRequest {
    AppRequest *next, *previous; // in order of arrival
    AppClient *client;
    ProtocolRequest request;
    const ProtocolMethod *method; // NULL: unknown
    const AppMethod *own;
    AppBatch *batch; // NULL: answered by itself
    size_t bytes;    // counted in the client's waiting_bytes
};

struct AppCall {
    App *app;
    AppClient *client;   // NULL: a script asks
    AppRequest *request; // likewise
    AppErrand *errand;   // of a script that waits; NULL: none
    ProtocolParams params;
    AppJson json;           // of what `result` is built with
    cJSON *result;          // freed after it is written
    const TextBuffer *text; // or the result as JSON text, not the call's
    bool later;             // the handler keeps request or errand, and answers it, or has done so
    uint64_t tick;          // of {"tick":N}
    ProtocolError error;    // code 0: none
    char *traceback;        // what error.traceback points at; freed after it is written
};

typedef struct AppRequests {
    AppRequest *first, *last;
    uint64_t walk;     // counts walks through the queue
    int64_t budget_ns; // what all requests may take until the next interval
} AppRequests;

// NULL for an unknown name.
const AppMethod *app_find_method(const char *name);

// One message of a connection's.
void app_requests_receive(AppClient *client, const char *message, size_t length);

// Serves all that may be served now. Between ticks only.
void app_requests_serve(App *app);

// The connection is gone: what it asked is dropped.
void app_requests_forget(AppClient *client);

// Drops a request without an answer.
void app_request_destroy(AppRequest *request);

// The connection sends nothing more: finishes it if all it asked is answered.
void app_requests_finish_ended(AppClient *client);

// Answers a request that was kept, and frees it.
void app_request_answer(AppRequest *request, AppCall *call);
AppCall app_call(AppRequest *request);

// Errors that many handlers give.
void app_call_fail_memory(AppCall *call);
void app_call_fail_script(AppCall *call, int code, const char *path, ScriptError *error); // empties error
// -32001. path: NULL, or the field's.
void app_error_no_character(ProtocolError *out_error, const AppCharacters *characters, const char *path,
                            const char *name);
AppCharacter *app_call_character(AppCall *call); // params.character; NULL with the error
