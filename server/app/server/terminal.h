// What a person at the terminal sees: what was loaded, where it listens, how it goes.
#pragma once

#include "server/app.h"

// Once everything listens.
void app_terminal_greet(App *app);

// The status line; called once a second.
void app_terminal_update(App *app);
