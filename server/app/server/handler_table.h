// The handlers of server.*, and the table of all.
#pragma once

#include "server/app.h"

// Joins each row of protocol_methods to its handler.
void app_methods_init(App *app);

// The fields of server.hello.
void app_put_hello(const App *app, AppJson *json, cJSON *object);

// Handlers. Their context is the App.
void app_handle_server_describe(AppCall *call);
void app_handle_server_stats(AppCall *call);
