// `tweed watch`: a table of what a server streams, as it moves.
#pragma once

#include "app/options.h"

// The exit status, as AppStatusCode.
int app_watch(const AppOptions *options);
