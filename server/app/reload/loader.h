// Loads scripts on a thread of its own, one at a time: those that changed, and those that are needed for the
// first time, in turns.
#pragma once

#include <script/reload.h>
#include <stdatomic.h>
#include <uv.h>

typedef struct App App;

typedef struct AppLoader {
    ScriptReload *job; // that runs, its owner's; NULL: none
    void (*loaded)(App *app);
    uv_thread_t thread;
    uv_async_t wake; // of the loop
    atomic_bool done;
    bool first_is_next; // whose turn it is
} AppLoader;

// 0, or libuv's error.
int app_loader_init(App *app);
// Waits for the thread; before the loop closes its handles.
void app_loader_stop(App *app);

bool app_loader_is_busy(const App *app);
// While it is not busy: loads the job, then calls `loaded` on the loop, and after that app_loader_next.
// False: there is no thread to be had; app_loader_next is called all the same.
bool app_loader_run(App *app, ScriptReload *job, void (*loaded)(App *app));
// Begins what is due, unless it is busy.
void app_loader_next(App *app);
// The same, once what runs on the loop is over.
void app_loader_poke(App *app);
