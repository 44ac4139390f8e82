// Runs ticks, each in two halves, and pauses and resumes them.
#pragma once

#include "server/app.h"

// Sets what the rooms know of each other. Once, before anything else; options and the loop are set already.
void app_connect_rooms(App *app);

// The first half of a tick: requests, scripts, then the batches to the workers. The tick is given up where a
// request pauses, unless it is one of a step.
void app_tick_begin(App *app, bool is_step);

// Sets the clock's wake-up for the next tick or, while paused, for the next interval.
void app_tick_wait(App *app);

// The clock's wake-up; context is the App.
void app_tick_on_due(void *context);

// Whatever waits to be read or changed, as far as it may be now: reloads, spawns, requests.
void app_process_pending(App *app);

// All lines due to a connection were sent: its step continues.
void app_step_on_drained(App *app, AppClient *client);

// The connection ends: lifts its pause lock, and releases the bones it posed after a while.
void app_simulation_remove_client(App *app, const AppClient *client);

void app_simulation_finish(App *app);

// Handlers; their context is the App.
void app_handle_simulation_pause(AppCall *call);
void app_handle_simulation_resume(AppCall *call);
void app_handle_simulation_step(AppCall *call);
