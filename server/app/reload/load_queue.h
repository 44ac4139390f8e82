// Loads scripts on a thread of its own, one at a time, in the order in which they were added.
#pragma once

#include "ticks/tick_phase.h"

#include <script/reload.h>
#include <stdatomic.h>
#include <uv.h>

typedef enum AppLoadPurpose {
    APP_FIRST_LOAD, // of a character's script that a spawn request needs
    APP_RELOAD,
} AppLoadPurpose;

typedef enum AppLoadState { APP_LOAD_WAITS, APP_LOAD_RUNS, APP_LOAD_DONE } AppLoadState;

// Scripts' names, on the heap.
typedef struct AppScriptNames {
    char **names; // [count]
    size_t count;
} AppScriptNames;

typedef struct AppLoad {
    struct AppLoad *next;
    AppLoadPurpose purpose;
    ScriptKind kind;
    char *script; // "" for fabrics
    char *file;   // NULL for fabrics
    AppLoadState state;
    ScriptReload *job;      // NULL before it runs; where it is done: there was no memory or no thread for it
    bool requested;         // by a script.reload
    AppScriptNames changed; // of fabrics: the scripts that changed or were requested
} AppLoad;

typedef struct AppLoadQueue {
    AppLoad *first;
    AppLoad *running; // NULL: none
    const ScriptHost *host;
    const AppTicks *ticks;
    uv_thread_t thread;
    uv_async_t wake; // of the loop
    atomic_bool finished;
    atomic_bool cancelled;                      // imports end early
    void (*done)(void *context, AppLoad *load); // on the loop
    void *context;
} AppLoadQueue;

// 0, or libuv's error.
int app_load_queue_init(AppLoadQueue *queue, uv_loop_t *loop, const ScriptHost *host, const AppTicks *ticks,
                        void (*done)(void *context, AppLoad *load), void *context);
// Waits for the thread. Call before the loop closes its handles.
void app_load_queue_stop(AppLoadQueue *queue);
// Call after the loop has closed its handles.
void app_load_queue_finish(AppLoadQueue *queue);

// Adds a load at the end. It stays in the queue until it is removed, so a reload is removed before the next
// one runs. Returns NULL when memory runs out.
AppLoad *app_load_queue_add(AppLoadQueue *queue, AppLoadPurpose purpose, ScriptKind kind, const char *script,
                            const char *file);
// Frees a load that does not run.
void app_load_queue_remove(AppLoadQueue *queue, AppLoad *load);

// NULL: there is none. file: NULL for fabrics.
AppLoad *app_load_queue_find(const AppLoadQueue *queue, AppLoadPurpose purpose, ScriptKind kind,
                             const char *file);
// Whether a first load is not done yet.
bool app_load_queue_has_first_loads(const AppLoadQueue *queue);

// Runs a load that is done once more.
void app_load_queue_restart(AppLoadQueue *queue, AppLoad *load);
// A file has changed: first loads that are done and were read from it run once more.
void app_load_queue_note_change(AppLoadQueue *queue, const char *path);

// Adds a name, unless it is there. Does nothing when out of memory.
void app_script_names_add(AppScriptNames *names, const char *name);
void app_script_names_finish(AppScriptNames *names);

// Why a load failed; false: it can be committed.
bool app_load_has_failed(const AppLoad *load, ScriptError *out_error);
