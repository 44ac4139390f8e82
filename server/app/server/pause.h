// Pauses and resumes the simulation.
#pragma once

#include "server/app.h"

// Handlers; their context is the App.
void app_handle_simulation_pause(AppCall *call);
void app_handle_simulation_resume(AppCall *call);

// Lifts the pause lock of a connection that ends.
void app_pause_remove_client(App *app, const AppClient *client);

// Call after a lock was lifted: where it was the last one, reports it and lets the ticks run.
void app_pause_end(App *app, bool was_paused);
