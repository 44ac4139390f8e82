// `tweed serve`: the server from its start to its end.
#pragma once

#include "base/options.h"

// The exit status: 0 after SIGTERM or SIGINT, 1 if it could not start.
int app_serve(const AppOptions *options);
