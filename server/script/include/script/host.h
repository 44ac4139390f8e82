// The host of all scripts: their folders, the world they act in, and the callbacks to the application.
//
// Not thread-safe: one thread at a time uses a host and everything loaded by it. Only the loading functions
// do I/O.
#pragma once

#include "asset/import.h"
#include "script/findings.h"
#include "script/value.h"
#include "sim/world.h"

#include <text/glob.h>
#include <text/log_level.h>

typedef struct ScriptHost ScriptHost;

// A character to spawn: an entry of a scene's spawn list, or tweed.spawn{…}.
typedef struct ScriptSpawn {
    const char *script;      // "characters/wake"
    const char *name;        // unique in a scene; "" from tweed.spawn: the application chooses one
    SimTransform root_world; // default: the origin
    ScriptParams *params;    // of on_spawn
} ScriptSpawn;

// The result of looking for a script by name.
typedef enum ScriptFound {
    SCRIPT_FOUND,
    SCRIPT_FOUND_NONE,    // there is no such script
    SCRIPT_FOUND_NO_NAME, // not a valid name of a script
    SCRIPT_FOUND_NO_MEMORY,
} ScriptFound;

typedef enum ScriptRequestStatus {
    SCRIPT_REQUEST_DONE,
    SCRIPT_REQUEST_LATER,   // script_host_complete_request gives the result
    SCRIPT_REQUEST_REFUSED, // the message says why
} ScriptRequestStatus;

#define SCRIPT_REQUEST_MESSAGE_SIZE 1024

// The callbacks of scripts to the application. They are called while a script runs: only record the request,
// and of the host, its characters and instances call nothing but script_host_find. Any may be NULL.
typedef struct ScriptCallbacks {
    void *context;
    // Copies the request and creates the character before the next tick, or when its script is loaded.
    // out_name: the character's name. False: refused; the script gets out_message as an error.
    bool (*spawn)(void *context, const ScriptSpawn *spawn, char out_name[TEXT_NAME_BYTES + 1],
                  char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
    // Removes the character of that name when no script runs. False: refused, as above.
    bool (*remove)(void *context, const char *name, char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
    // Wind or tornadoes have changed.
    void (*world_changed)(void *context);
    // tweed.log and print, 50 lines a second from one script. character: the name of the running instance, or
    // NULL.
    void (*log)(void *context, TextLogLevel level, const char *script, const char *character,
                const char *message);
    // on_tick or a coroutine raised an error: that instance's on_tick, or that coroutine, has ended.
    void (*failed)(void *context, const char *script, const char *character, const ScriptError *error);
    // A script is suspended: it has used up its time or memory. It is not called again until it is reloaded;
    // its characters stay. Called once. character: the one whose callback ran, or NULL; the error's message
    // begins with it and the callback: "alan: on_tick: …".
    void (*suspended)(void *context, const char *script, const char *character, const ScriptError *error);
    // A request of the protocol; params: a table. LATER also while the script is being reloaded, since that
    // may fail. token: identifies the result that comes later; 0: nothing waits for it. The script finishes
    // out_result.
    ScriptRequestStatus (*request)(void *context, const char *method, const ScriptValue *params,
                                   uint64_t token, ScriptValue *out_result,
                                   char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
    // What a garment of a character is simulated as, in a line, while the character's file is loaded.
    void (*report)(void *context, const char *script, const char *message);
} ScriptCallbacks;

#define SCRIPT_DEFAULT_MEMORY    ((size_t)64 << 20)
#define SCRIPT_DEFAULT_TOTAL     ((size_t)512 << 20)
#define SCRIPT_DEFAULT_BUDGET_NS UINT64_C(50000000)

typedef struct ScriptHostDef {
    SimWorld *world;                       // outlives the host; NULL: for checking only
    const char *const *script_directories; // [count], searched in this order; copied
    int script_directory_count;
    const char *const *asset_directories; // [count], searched in this order, after the script's own; copied
    int asset_directory_count;
    AssetImport import;          // how files are read, and the seconds for all that one script imports
    const char *cache_directory; // of what takes long to compute, made as needed; NULL or "": none; copied
    uint64_t seed;               // the seed of all scripts' random numbers
    size_t script_memory;        // limit of each script's memory in bytes; 0: SCRIPT_DEFAULT_MEMORY
    uint64_t most_rig_ns;        // that simulating a character may take a tick, as estimated; 0: no limit
    bool unhurried;              // nobody waits for a tick: all scripts run in each one
    size_t total_memory;         // of all scripts together; 0: SCRIPT_DEFAULT_TOTAL
    uint64_t script_budget_ns;   // of processor time for each script in a tick; 0: SCRIPT_DEFAULT_BUDGET_NS.
                                 // Loading may take 40 times as long
    ScriptCallbacks callbacks;
} ScriptHostDef;

// Loads every file below fabrics/ of each script directory. NULL, with the findings, if one of them has an
// error, two have one name, or when memory runs out. Findings are added to.
ScriptHost *script_host_create(const ScriptHostDef *def, ScriptFindings *findings);
// Destroys the characters, too. Destroy scenes and instances before.
void script_host_destroy(ScriptHost *host);

// Ends the start, during which callbacks may take as long as loading, since no tick waits for them.
void script_host_started(ScriptHost *host);
// Calls `changed` for each file that has changed since it was read at the start. Call once, when files are
// watched.
void script_host_report_changed(ScriptHost *host, bool (*changed)(void *context, const char *path),
                                void *context);

// Call at the start of each tick, before commands and script_instance_tick. time, dt: s of simulation.
void script_host_begin_tick(ScriptHost *host, double time, double dt);
// Call at the tick rate while no ticks run: renews the budget that scripts have in a tick.
void script_host_begin_interval(ScriptHost *host);

// Events of the protocol, by name. The next three may be called while a script runs. Whether a script listens
// to the event, or may begin to: the one that runs. False for a NULL host.
bool script_host_has_listeners(const ScriptHost *host, const char *event);
// Queues an event and takes over params, a table. Listeners get it after the next script_host_deliver_events.
// More than 1024 events until then are dropped, with a warning in the log.
void script_host_queue_event(ScriptHost *host, const char *event, ScriptValue params);
// Queues the result of a request for the coroutine that waits for it. Takes over `answer`, which is the
// error's message if not `done`.
void script_host_complete_request(ScriptHost *host, uint64_t token, bool done, ScriptValue answer);
// Call once in a tick, before script_scene_tick and script_instance_tick: they get the events queued until
// now. Where the time of all scripts was used up in the tick before, those that have not run get theirs
// first.
void script_host_deliver_events(ScriptHost *host);

// The file of a script by its name ("characters/wake"), searched below the scenes' folders and the script
// directories, never outside. The caller frees it. If it is not found, out_message says why. Reads folders.
ScriptFound script_host_find(const ScriptHost *host, const char *script, char **out_file,
                             char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);

// The names of all scripts ("characters/wake", "fabrics/tweed", "scenes/wake") below the script directories,
// as a sorted list of strings. Reads folders.
bool script_host_list(const ScriptHost *host, ScriptValue *out_list);

// Whether scripts may still run in this tick or, while paused, in this interval.
bool script_host_has_time(const ScriptHost *host);

// Bytes held by all Lua states.
size_t script_host_memory(const ScriptHost *host);
