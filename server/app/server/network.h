// Handles the network's callbacks: open, message, writable, close.
#pragma once

#include "server/app.h"

// Binds everything the options name. False: `out_message` says what is wrong.
bool app_network_listen(App *app, char *out_message, size_t capacity);
// Writes the port file: clients are served from now on.
bool app_network_tell_ports(const App *app, char *out_message, size_t capacity);

// Drops what the connection asked, subscribed to and holds, and its record.
void app_disconnect(App *app, AppClient *client);
