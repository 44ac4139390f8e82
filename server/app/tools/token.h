// The token of who asks a server. It is never an argument, which everybody on the machine can see.
#pragma once

#include "tools/remote.h"

// Shows the first token of --token-file or, without that, TWEED_TOKEN's to the server that asked for one.
AppStatusCode app_remote_authenticate(AppRemote *remote, const AppOptions *options);
