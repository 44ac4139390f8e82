// Hot reload: scripts are loaded again when a file they were read from changes, or when a client asks. They
// are loaded on a thread of their own and committed between two ticks.
#pragma once

#include "base/file_watch.h"
#include "reload/load_queue.h"
#include "rpc/requests.h"

// A script, or all fabrics, which are loaded together.
typedef struct AppReloadable {
    ScriptKind kind;
    char *script;        // "" for fabrics
    char *file;          // NULL for fabrics
    char **failed_files; // [failed_file_count] that the last load was read from, if it failed
    size_t failed_file_count;
    ScriptError failure; // of the last load; no message: it succeeded
    char *failed_script; // the script that has the mistake
    bool is_inside;      // its file really lay below the folders of scripts when it was loaded first
    bool dirty;          // to be loaded again
    bool requested;      // by the script.reload that is pending
} AppReloadable;

typedef struct AppReload {
    AppCharacters *characters;
    AppSessions *sessions;
    AppStreams *streams;
    AppRpc *rpc;
    const AppTicks *ticks;
    void (*loaded)(void *context); // something waits to be committed
    void *context;

    AppLoadQueue loads;
    AppReloadable *items; // [count], the fabrics first
    size_t count, capacity;
    AppScriptNames changed_fabrics; // scripts of fabrics that changed or were requested
    AppFileWatch watch;
    bool warned;               // that a folder cannot be watched
    uint64_t busy_until;       // the tick before which scripts spawn nothing while ticks take long
    uint64_t busy_reported_ns; // 0: never

    AppRequest *request; // the script.reload that is pending; NULL: none
    cJSON *reloaded;     // its result: the scripts that were loaded
    AppJson json;
    ScriptError error; // or the first failure
} AppReload;

// With the pointers set: begins to watch what was loaded. Returns false when memory or descriptors run out.
bool app_reload_init(AppReload *reload, uv_loop_t *loop);
// After the load queue has stopped and the loop has closed its handles.
void app_reload_finish(AppReload *reload);

// Between two ticks: puts the script that was loaded again in place of the old one.
void app_reload_commit(AppReload *reload);

// Loads the script again, or with NULL all, and completes the call when that is done. False: no such script
// is loaded; the call is still the caller's.
bool app_reload_request(AppReload *reload, AppCall *call, const char *script);

// Loads all scripts again, for nobody who waits; suspended ones begin anew.
void app_reload_all(AppReload *reload);

// Handlers; their context is the AppReload.
void app_handle_script_list(AppCall *call);
void app_handle_script_reload(AppCall *call);
