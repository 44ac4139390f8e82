// The tokens of --token-file, read again whenever the file changes: all of it or nothing.
#pragma once

#include "base/file_watch.h"
#include "base/log.h"
#include "session/access.h"
#include "ticks/tick_phase.h"

#include <sys/stat.h>

typedef struct AppTokenWatch {
    AppTokens tokens; // none: every connection is an operator's
    const char *path; // NULL: no file
    AppLog *log;
    const AppTicks *ticks;
    AppFileWatch watch; // of the file's folder
    char failure[1024]; // of the last try; "": it went well
    struct stat failed; // the file of that try
} AppTokenWatch;

// Reads the file, if there is one, and follows its changes from then on. Open connections keep what their
// token has given them. False, with the reason in the log: the file cannot be read as tokens.
bool app_token_watch_begin(AppTokenWatch *watch, const char *path, uv_loop_t *loop, AppLog *log,
                           const AppTicks *ticks);
// Reads the file now, and tells how that went even if nothing has changed.
void app_token_watch_read_again(AppTokenWatch *watch);
// After the loop has closed its handles.
void app_token_watch_finish(AppTokenWatch *watch);
