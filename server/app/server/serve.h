// `tweed serve`, from its start to its end; and `tweed bake`, the same server with neither network nor clock.
#pragma once

#include "base/options.h"

// The exit status: 0 after SIGTERM or SIGINT, 1 if it could not start; see app_bake_finish.
int app_serve(const AppOptions *options);
