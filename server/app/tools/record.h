// `tweed record`: what a server streams, into a file.
#pragma once

#include "app/options.h"

// The exit status, as AppStatusCode.
int app_record(const AppOptions *options);
