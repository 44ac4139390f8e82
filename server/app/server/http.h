// What the server answers to HTTP requests: the page and its assets, /openrpc.json, /healthz, /metrics.
#pragma once

#include "server/app.h"

// Reads what is answered from files. Call before the server listens.
void app_http_init(App *app);
void app_http_finish(App *app);

// The callback of net.
void app_http_answer(NetServer *server, const NetHttpRequest *request, NetHttpResponse *out_response);
