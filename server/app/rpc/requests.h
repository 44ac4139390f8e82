// The request queue: splits messages, keeps arrival order, serves each request when allowed.
//
// A question is served between ticks, a command at the start of a tick or, while the simulation is paused,
// between ticks too. Requests of one connection are served strictly one after the other: a question waits for
// the command before it.
#pragma once

#include "rpc/call.h"

#include <script/host.h>

typedef struct AppMethod {
    void (*handle)(AppCall *call);
    void *context;
} AppMethod;

typedef struct AppRequestList {
    AppRequest *first, *last;
} AppRequestList;

struct AppRpc {
    AppMethod methods[PROTOCOL_METHOD_COUNT];
    AppSessions *sessions;
    AppStreams *streams;
    AppCharacters *characters;
    const AppTicks *ticks;
    void (*scripts_ran)(void *context); // after each command, which may have run scripts
    void *context;

    AppRequestList waiting; // of connections
    uint64_t pass;          // counts passes through them
    AppRequest *exclusive;  // the deferred request of an exclusive method; NULL: none

    AppRequestList of_scripts; // that wait until no script runs
    size_t of_scripts_count;
    const AppRequest
        *provisional_after; // requests behind this one, or NULL, are of an on_spawn that may raise
};

// One message of a connection's.
void app_rpc_receive(AppRpc *rpc, AppClient *client, const char *message, size_t length);

// Serves all requests of connections that may be served now. Between ticks only.
void app_rpc_serve(AppRpc *rpc);

// The connection ends: drops what it has asked.
void app_rpc_remove_client(AppRpc *rpc, AppClient *client);

// What scripts request by the protocol's methods is checked and handled as an operator's. Methods that run
// scripts wait until no script runs; those of a connection are refused.

// The callback of ScriptCallbacks; context is the AppRpc.
ScriptRequestStatus app_script_request(void *context, const char *method, const ScriptValue *params,
                                       uint64_t token, ScriptValue *out_result,
                                       char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);

// Serves those that wait, in order. While neither a script nor a tick runs.
void app_script_requests_serve(AppRpc *rpc);

// Drops the requests behind `last`, or all where it is NULL: the script that made them has failed.
void app_script_requests_drop_after(AppRpc *rpc, const AppRequest *last);
