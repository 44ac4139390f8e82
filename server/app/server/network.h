// What net tells the application: connections come, speak, have room, and go.
#pragma once

#include "server/app.h"

// Binds everything the options name and writes the port file. False: `out_message` says what is wrong.
bool app_network_listen(App *app, char *out_message, size_t capacity);

// Ends all connections in order; `on_closed` follows with `app`.
void app_network_close(App *app, void (*on_closed)(void *app));
