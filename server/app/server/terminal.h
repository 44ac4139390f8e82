// What `tweed serve` prints: what is loaded, where it listens, and how it runs.
#pragma once

#include "server/app.h"

// Prints the greeting. Call once the server listens.
void app_terminal_greet(App *app);

// Updates the status line. Call once a second.
void app_terminal_update(App *app);

// Tells the supervisor now and then that ticks go on. Call once in each tick, or interval in its place.
void app_terminal_notify(App *app);
