// `tweed serve`: the server from its start to its end.
#pragma once

#include "app/options.h"

typedef struct App App;

// The exit status: 0 after SIGTERM or SIGINT, 1 if it could not start.
int app_serve(const AppOptions *options);

// Called once no tick is in flight and the server has been asked to stop.
void app_serve_stop(App *app);
