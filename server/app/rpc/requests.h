// The request queue: splits messages, keeps arrival order, serves each request when allowed, and replies.
//
// A question is served between ticks, a command at the start of a tick or, while the simulation is paused,
// between ticks too. Requests of one connection are served strictly one after the other: a question waits for
// the command before it. A handler completes the request before it returns, or defers it and completes it
// later. It is the same for requests of a connection, of a batch, of a script and of another node of a
// cluster.
#pragma once

#include "base/json.h"
#include "rpc/batch.h"
#include "session/sessions.h"
#include "stream/streams.h"
#include "ticks/stats.h"

#include <protocol/reply.h>
#include <script/host.h>

typedef struct AppCall AppCall;
typedef struct AppRpc AppRpc;

struct AppRequest {
    AppRequest *next, *previous; // in order of arrival
    AppRpc *rpc;
    AppClient *client;       // NULL: the request is a script's or another node's
    uint64_t token;          // of a script's request: identifies the answer; 0: the script awaits none
    char *reply_to;          // of a node's request: subject of the answer, "": none; NULL: no node's request
    uint64_t owner;          // of a node's request: the owner of the poses that it sets
    bool is_local;           // served here, whatever the router says
    bool loads_only;         // a character.spawn that only loads the script
    bool is_adoption;        // a character.spawn of a character that lived on another server before
    bool is_replica;         // repeats a change that another node has made already
    ProtocolRequest request; // of a script's request only the params are set
    const ProtocolMethod *method;                       // NULL: unknown
    AppBatch *batch;                                    // NULL: answered by itself
    size_t bytes;                                       // counted in the client's waiting_bytes
    void (*cancel)(void *context, AppRequest *request); // of a deferred one
    void *context;                                      // of cancel
    AppRequest *next_deferred;                          // of a node's request
};

// A request that is being handled. The handler sets one of result, text and error, or none for {"tick":N}.
struct AppCall {
    AppRpc *rpc;
    void *context; // of the AppMethod
    AppRequest *request;
    AppClient *client; // the request's
    ProtocolParams params;
    AppJson json;           // builds `result`
    cJSON *result;          // freed after it is written
    const TextBuffer *text; // the result as JSON text, which the call does not own; NULL: none
    const char *reply;      // the whole reply of another node; NULL: none
    size_t reply_length;
    bool deferred;       // the request is completed later
    uint64_t tick;       // of {"tick":N}
    ProtocolError error; // code 0: none
    char *traceback;     // owns error.traceback; freed after it is written
};

typedef struct AppMethod {
    void (*handle)(AppCall *call);
    void *context;
} AppMethod;

typedef struct AppRequestList {
    AppRequest *first, *last;
} AppRequestList;

// Other servers that requests may be for. All zero: there are none.
typedef struct AppRouter {
    // Whether this server knows which characters are its own: before, it serves no request that needs to.
    bool (*may_serve)(void *context);
    // Whether `route` takes the request, at any time; not checked yet.
    bool (*is_elsewhere)(void *context, const AppRequest *request);
    // Takes a checked request: defers or completes it. False: this server handles it, which is not allowed
    // where is_elsewhere was true.
    bool (*route)(void *context, AppCall *call);
    // Sends the reply, whose id is null, to the node that asked.
    void (*answer)(void *context, const AppRequest *request, const TextBuffer *reply);
    // A request that the router gave back by app_request_serve_here is about to be answered, or dropped: then
    // the error is NULL, else its code is 0 where it succeeded.
    void (*ended)(void *context, const AppRequest *request, const ProtocolError *error);
    // Amends -32001 about a character: it may be on its way to a server.
    void (*amend)(void *context, AppCall *call);
    void *context;
} AppRouter;

struct AppRpc {
    AppMethod methods[PROTOCOL_METHOD_COUNT];
    AppRouter router;
    AppSessions *sessions;
    AppStreams *streams;
    AppCharacters *characters;
    const AppTicks *ticks;
    AppStats *stats;
    void (*scripts_ran)(void *context); // after each command, which may have run scripts
    void *context;

    AppRequestList waiting;           // of connections
    AppRequestList describe_requests; // deferred, until meshes are encoded
    uint64_t pass;                    // counts passes through them
    AppRequest *exclusive;            // the deferred request of an exclusive method; NULL: none

    AppRequestList of_nodes; // strictly in order
    size_t of_nodes_count;
    AppRequest *deferred_of_nodes; // newest first
    const AppRequest *replica;     // that is being served; NULL: none

    AppRequestList of_scripts; // that wait until no script runs
    size_t of_scripts_count;
    uint64_t script_failures_ns; // since when their failures are counted
    unsigned script_failures;    // of requests that no coroutine waits for
    const AppRequest
        *provisional_after; // requests behind this one, or NULL, are of an on_spawn that may raise
};

// One message of a connection's.
void app_rpc_receive(AppRpc *rpc, AppClient *client, const char *message, size_t length);

// A request of another node, with reply_to, whose parameters are valid. Takes it over. False: too many wait.
bool app_rpc_receive_from_node(AppRpc *rpc, AppRequest *request);
// Drops a request of another node that is not answered yet: who asked is gone.
void app_rpc_cancel_from_node(AppRpc *rpc, const char *reply_to);
// Drops the requests of other nodes.
void app_rpc_finish(AppRpc *rpc);

// Serves all requests of connections and nodes that may be served now. Between ticks only.
void app_rpc_serve(AppRpc *rpc);

void app_request_list_append(AppRequestList *list, AppRequest *request);
void app_request_list_remove(AppRequestList *list, AppRequest *request);
// The same, to be given to app_call_defer with a list that stays in place.
void app_request_list_cancel(void *list, AppRequest *request);
// Destroys all requests of the list.
void app_request_list_drop(AppRequestList *list);
// app_request_serve_here for all requests of the list, which keep their order.
void app_request_list_serve_here(AppRequestList *list);

// Answers what waited for meshes that are encoded now. Between ticks only.
void app_describe_requests_serve(AppRpc *rpc);

// The connection ends: drops what it has asked.
void app_rpc_remove_client(AppRpc *rpc, AppClient *client);

// The time budget: how much of the loop's time a connection gets between two ticks, so that none delays a
// tick or another connection.
//
// Requests use up their connection's credit, and wait while there is none. It is renewed with every tick, and
// grows faster the fewer connections have used theirs. Once all requests together have used their part of the
// interval, questions wait too; commands do not, since the next tick is theirs. The number of requests and
// the unread answers of a connection are limited as well.
//
// A new interval begins: a tick or, while the simulation is paused, the time of one.
void app_time_budget_renew(AppSessions *sessions);

// The call of a request that begins now, or of a deferred one that is completed now.
AppCall app_call(AppRequest *request);

// The handler's request is completed later, by app_request_complete. cancel: called with the context where
// who asked is gone before that; the request is freed afterwards.
AppRequest *app_call_defer(AppCall *call, void (*cancel)(void *context, AppRequest *request), void *context);

// A request that the router has deferred is served by this server after all, before others of its connection.
void app_request_serve_here(AppRequest *request);

// Answers a request with what the call holds, and frees both.
void app_request_complete(AppRequest *request, AppCall *call);

// Frees a request without an answer. NULL: nothing.
void app_request_destroy(AppRequest *request);

// The outcome as a script's value. False with the error. Frees what the call holds.
bool app_call_finish_as_value(AppCall *call, ScriptValue *out_result, ProtocolError *out_error);
// "PATH: MESSAGE", as scripts get it.
void app_error_format(const ProtocolError *error, char *text, size_t size);

// Finishes the connection if it sends nothing more, and all it asked is answered.
void app_client_finish_ended(AppClient *client);

static inline bool app_call_is_of_script(const AppCall *call) {
    return !call->client && !call->request->reply_to;
}

// Errors that many handlers give.
void app_call_fail_memory(AppCall *call);
void app_call_fail_script(AppCall *call, int code, const char *path, ScriptError *error); // empties error
// -32003: `path` asks for a cluster.
static inline void app_call_fail_no_cluster(AppCall *call, const char *path) {
    protocol_error_set(&call->error, PROTOCOL_NOT_NOW, path, "this server is in no cluster");
}
// -32003 of simulation.step: one is under way, or there is no pause.
static inline void app_call_fail_stepping(AppCall *call) {
    protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "method", "another connection is stepping");
}
static inline void app_call_fail_running(AppCall *call) {
    protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "method", "the simulation is running; pause it first");
}
// -32001. path: NULL, or the field's.
void app_error_no_character(ProtocolError *out_error, const AppCharacters *characters, const char *path,
                            const char *name);
// The result of simulation.pause and simulation.resume. It has the newest tick that has begun, since a pause
// takes effect before the next one.
void app_call_answer_pause(AppCall *call);
AppCharacter *app_call_character(AppCall *call); // params.character; NULL with the error

// What scripts request by the protocol's methods is checked and handled as an operator's. Methods that run
// scripts wait until no script runs; those of a connection are refused.

// The callback of ScriptCallbacks; context is the AppRpc.
ScriptRequestStatus app_script_request(void *context, const char *method, const ScriptValue *params,
                                       uint64_t token, ScriptValue *out_result,
                                       char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);

// Serves those that wait, in order, as long as scripts have time in this tick. While neither a script nor a
// tick runs.
void app_script_requests_serve(AppRpc *rpc);

// Drops the requests behind `last`, or all where it is NULL: the script that made them has failed.
void app_script_requests_drop_after(AppRpc *rpc, const AppRequest *last);
