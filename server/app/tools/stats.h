// `tweed stats`: how a running server is doing, for people.
#pragma once

#include "app/options.h"

// The exit status, as AppStatusCode.
int app_print_stats(const AppOptions *options);
