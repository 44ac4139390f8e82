// Scripts that characters are wished for of, and that are not loaded yet.
#pragma once

#include <script/reload.h>

typedef struct App App;
typedef struct AppWish AppWish;

typedef struct AppFirstLoad {
    struct AppFirstLoad *next;
    char *script; // as the first wish has it
    char *file;
    ScriptReload *job; // NULL: it is not its turn yet; where it is ready: it could not begin
    bool ready;
    bool stale; // a file has changed that it may have been read from
} AppFirstLoad;

// After the loader has stopped.
void app_first_loads_finish(App *app);

// The script that the wish needs is to be loaded, unless it is being so.
void app_first_loads_want(App *app, AppWish *wish);
// Begins what is due, while the loader is not busy.
void app_first_loads_run(App *app);
// Whether any is not through yet.
bool app_first_loads_any(const App *app);
// A file has changed: what is being loaded from it, or waits, is loaded anew.
void app_first_loads_note_change(App *app, const char *path);

// One that is through, and has its moment: the beginning of a tick, or any where a request waits for it.
// NULL: none.
AppFirstLoad *app_first_load_due(const App *app);
// What was loaded becomes the host's. False, with the error, where it could not be loaded.
bool app_first_load_take(App *app, AppFirstLoad *load, ScriptError *out_error);
// It goes from the list.
void app_first_load_end(App *app, AppFirstLoad *load);
