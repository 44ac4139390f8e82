// `tweed call`: one request from the command line.
#pragma once

#include "app/options.h"

// The exit status, as AppStatusCode.
int app_call_method(const AppOptions *options);
