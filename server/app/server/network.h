// Handles the network's callbacks: open, message, writable, close.
#pragma once

#include "server/app.h"

// Binds everything the options name and writes the port file. False: `out_message` says what is wrong.
bool app_network_listen(App *app, char *out_message, size_t capacity);

// Drops what the connection asked, subscribed to and holds, and its record.
void app_disconnect(App *app, AppClient *client);
