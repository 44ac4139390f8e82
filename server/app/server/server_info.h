// What the server tells about itself: hello, inventory, statistics.
#pragma once

#include "base/json.h"
#include "server/app.h"

// The fields of server.hello.
void app_put_hello(const App *app, AppJson *json, cJSON *object);

// What server.describe adds: axes, methods, scripts, fabrics, scene.
void app_put_inventory(const App *app, AppJson *json, cJSON *object);

// The fields of server.stats.
void app_put_stats(const App *app, AppJson *json, cJSON *object);
