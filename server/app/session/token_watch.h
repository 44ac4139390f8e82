// The token file, kept up with: tokens come and go while the server runs, whole or not at all.
#pragma once

#include "base/file_watch.h"

#include <stdbool.h>
#include <uv.h>

typedef struct App App;

typedef struct AppTokenWatch {
    AppFileWatch watch;  // of the file's folder
    uv_timer_t settling; // until the file is whole
    char failure[1024];  // of the last try; "": it went well
} AppTokenWatch;

// Reads the file of --token-file, if there is one, and follows its changes from then on. Connections that are
// open keep what their token has given them. False, told in the log: there is a file, and it is none of
// tokens.
bool app_token_watch_begin(App *app);
// After the loop has closed its handles.
void app_token_watch_finish(App *app);
