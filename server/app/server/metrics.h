// The server's numbers for Prometheus.
#pragma once

#include "server/app.h"

// Appends them in Prometheus' text format.
void app_metrics_write(App *app, TextBuffer *text);
