// Pausing, resuming and stepping.
#pragma once

#include "rpc/requests.h"

// A connection wants the simulation still. False: out of memory.
bool app_pause(App *app, AppClient *client);
void app_resume(App *app, AppClient *client);
// A connection ends, and its hold with it.
void app_release_hold(App *app, AppClient *client);

// Begins a step: the request is answered after `ticks` ticks, once the requester has all frames. The caller
// has made sure that none is running and that the simulation is paused.
void app_step_begin(App *app, AppRequest *request, uint64_t ticks);
// The requester is gone.
void app_step_cancel(App *app, const AppClient *client);
// The requester may be gone, nobody can tell: ends the step with an error.
void app_step_abandon(App *app);
bool app_step_is_of(const App *app, const AppClient *client);

// Goes on as soon as all that the requester is owed has gone out: asks for app_step_on_drained.
void app_step_continue(App *app);
void app_step_on_drained(AppClient *client);
