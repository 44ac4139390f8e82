// What scripts ask of the server by the protocol's methods.
//
// Those that run scripts themselves wait until no script runs. Those of a connection (session, stream,
// simulation.step) are not for scripts.
#pragma once

#include "rpc/requests.h"

#include <script/host.h>

typedef struct AppErrands {
    AppErrand *first, *last; // that wait
    int count;
    const AppErrand *untried; // behind this one, or NULL: what an on_spawn has asked for that may yet raise
} AppErrands;

// The callback of ScriptCallbacks; context is the App.
ScriptRequestStatus app_errand_request(void *context, const char *method, const ScriptValue *params,
                                       uint64_t token, ScriptValue *out_result,
                                       char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
// Does those that wait now, in order. While no script runs, nor a tick.
void app_errands_run(App *app);
void app_errands_finish(AppErrands *errands);
// What was asked for behind that one, or NULL, behind none, is not done: whoever asked has failed.
void app_errands_drop_after(AppErrands *errands, const AppErrand *last);

// For what is handled later. Answers the errand, and frees it.
void app_errand_answer(AppErrand *errand, AppCall *call);
AppCall app_errand_call(App *app, AppErrand *errand);
void app_errand_destroy(AppErrand *errand);
