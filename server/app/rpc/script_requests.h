// What scripts request of the server by the protocol's methods: checked and handled as an operator's.
//
// Methods that run scripts wait until no script runs. Those of a connection are refused.
#pragma once

#include "rpc/requests.h"

#include <script/host.h>

// The callback of ScriptCallbacks; context is the AppRpc.
ScriptRequestStatus app_script_request(void *context, const char *method, const ScriptValue *params,
                                       uint64_t token, ScriptValue *out_result,
                                       char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);

// Serves those that wait, in order. While neither a script nor a tick runs.
void app_script_requests_serve(AppRpc *rpc);

// Drops the requests behind `last`, or all where it is NULL: the script that made them has failed.
void app_script_requests_drop_after(AppRpc *rpc, const AppRequest *last);
