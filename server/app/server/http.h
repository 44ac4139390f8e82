// What the server answers to HTTP requests: the page and its assets, /openrpc.json, /healthz, /metrics.
#pragma once

#include "server/app.h"

// The callback of net.
void app_http_answer(NetServer *server, const NetHttpRequest *request, NetHttpResponse *out_response);
