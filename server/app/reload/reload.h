// Hot reload: scripts are loaded anew when a file they were read from changes, or when a client asks; one at
// a time, on a thread of its own, and swapped in between two ticks.
#pragma once

#include "base/file_watch.h"
#include "rpc/requests.h"

#include <script/reload.h>

// A script, or all fabrics, which are loaded together.
typedef struct AppUnit {
    ScriptKind kind;
    char *script; // "" for fabrics
    char *file;   // NULL for fabrics
    char **tried; // [tried_count] files that the last try was read from, if it failed
    size_t tried_count;
    ScriptError failure; // of the last try; no message: it went well
    char *failed_script; // whose
    bool due;            // to be loaded anew
    bool asked;          // by the request
} AppUnit;

typedef struct AppReload {
    AppUnit *units; // [count], the fabrics first
    size_t count, capacity;
    char **fabrics; // [fabric_count] scripts of fabrics that changed or were asked for
    size_t fabric_count;
    ScriptReload *job;   // NULL: nothing is being loaded
    size_t unit;         // whose it is
    bool ready;          // it is loaded
    uv_timer_t settling; // until a file is whole: editors write in several steps
    uint64_t settling_since_ms;
    bool warned; // that a folder cannot be watched
    AppFileWatch watch;
    AppRequest *request; // the script.reload that is being served, NULL for none
    cJSON *answer;       // of it: the scripts that were loaded
    AppJson json;
    ScriptError error; // or the first that failed
} AppReload;

// Begins to watch what was loaded. False for want of memory or descriptors.
bool app_reload_init(App *app);
// After the loader has stopped.
void app_reload_finish(App *app);

// Scripts may have been loaded for characters: watches these too, and tells of them.
void app_reload_follow(App *app);
// Begins to load what is due, while the loader is not busy.
void app_reload_load(App *app);
// Between two ticks: swaps in what is loaded.
void app_reload_apply(App *app);

// script.reload: loads the script anew, or all, and answers the request when that is done. script: NULL for
// all. False: no such script is loaded.
bool app_reload_begin(App *app, AppRequest *request, const char *script);
bool app_reload_is_busy(const App *app);                        // with a request
bool app_reload_is_of(const App *app, const AppClient *client); // with one of the client's
void app_reload_forget(App *app, const AppClient *client);      // the client is gone; loading goes on

// The unit of that script, NULL for none.
const AppUnit *app_reload_find(const App *app, const char *script);
