// Runs ticks, each in two halves, and steps them.
#pragma once

#include "server/app.h"

// The first half of a tick: requests, scripts, then the batches to the workers. The tick is given up where a
// request pauses, unless it is one of a step.
void app_tick_begin(App *app, bool is_step);

// The clock's wake-up; context is the App.
void app_tick_on_due(void *context);

// Commits reloads, completes spawns and serves requests, as far as the world may be written or read now.
void app_process_pending(App *app);

// All lines due to a connection were sent: its step continues.
void app_step_on_drained(App *app, AppClient *client);

// All nodes of the cluster are to halt after another tick than before, or go on; context is the App.
void app_tick_pause_changed(void *context, bool was_paused);

// All nodes of the cluster step, this one for the request; and all of them have. context is the App.
void app_step_in_cluster(void *context, AppRequest *request, uint64_t ticks);
void app_step_completed_in_cluster(void *context);

// Scripts ran outside a tick: does at once what they asked for, since the next tick may be far away.
void app_on_scripts_ran(void *context);
// A script is loaded, or meshes are encoded: takes it over if that may be now, and lets a step continue.
void app_on_loaded(void *context);

// A handler; its context is the App.
void app_handle_simulation_step(AppCall *call);
