// Handles the network's callbacks: open, message, writable, close.
#pragma once

#include "server/app.h"

// Binds everything the options name and writes the port file. False: `out_message` says what is wrong.
bool app_network_listen(App *app, char *out_message, size_t capacity);

// Ends all connections in order; `on_closed` follows with `app`.
void app_network_close(App *app, void (*on_closed)(void *app));

// The connection's record; NULL: out of memory.
AppClient *app_connect(App *app, NetConnection *connection);
void app_disconnect(App *app, AppClient *client);
