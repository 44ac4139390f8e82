// What signals do: SIGINT and SIGTERM end the server, SIGHUP reads again what may have changed.
#pragma once

#include "server/app.h"

// First of all: until app_signals_begin, SIGINT and SIGTERM end the process at once. A server remembers
// SIGHUP until then; a bake ends by it, and a process under nohup ignores it.
void app_signals_init(App *app);

// Once there is something to close in order. Returns false when memory runs out.
bool app_signals_begin(App *app);
