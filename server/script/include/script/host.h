// The host of all scripts: where they lie, the world they act in, and what they may ask of the application.
//
// Not thread-safe: one thread at a time uses a host and all that was loaded by it. Nothing here sleeps or
// does I/O except the loading functions.
#pragma once

#include "script/findings.h"
#include "script/value.h"
#include "sim/world.h"

#include <text/log_level.h>

typedef struct ScriptHost ScriptHost;

// A wish for a character: an entry of a scene's spawn list, or tweed.spawn{…}.
typedef struct ScriptSpawn {
    const char *script; // "characters/wake"
    const char *name;   // in a scene always given and unique; "" from tweed.spawn: the application finds one
    SimTransform root_world;   // default: the origin
    const ScriptValue *params; // of on_spawn; a table
} ScriptSpawn;

// What came of looking for a script by its name.
typedef enum ScriptFound {
    SCRIPT_FOUND,
    SCRIPT_FOUND_NONE,    // there is no such script
    SCRIPT_FOUND_NO_NAME, // that is no name of a script
    SCRIPT_FOUND_NO_MEMORY,
} ScriptFound;

typedef enum ScriptRequestStatus {
    SCRIPT_REQUEST_DONE,
    SCRIPT_REQUEST_LATER,   // script_host_complete_request will tell
    SCRIPT_REQUEST_REFUSED, // the message says why
} ScriptRequestStatus;

#define SCRIPT_REQUEST_MESSAGE_SIZE 1024

// What scripts ask of the application. Called while a script runs: only take note, do not call the host
// (script_host_find aside), its characters or instances from here. Any may be NULL.
typedef struct ScriptCallbacks {
    void *context;
    // Copy it, and create the character before the next tick, or once its script is loaded. out_name: the
    // name it is going to have. False: refused, out_message says why (the script gets it as an error).
    bool (*spawn)(void *context, const ScriptSpawn *spawn, char out_name[65],
                  char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
    // The character of that name goes, once no script runs. False: refused, as above.
    bool (*remove)(void *context, const char *name, char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
    // Wind or tornadoes are no longer what they were.
    void (*world_changed)(void *context);
    // tweed.log and print, 50 lines a second from one script. character: the name of the running instance, or
    // NULL.
    void (*log)(void *context, TextLogLevel level, const char *script, const char *character,
                const char *message);
    // on_tick or a coroutine raised: that instance's on_tick, or that coroutine, is over.
    void (*failed)(void *context, const char *script, const char *character, const ScriptError *error);
    // A script was stopped: it used up its time or its memory. It is not called any more until it is loaded
    // anew; its characters stay. Told once.
    void (*suspended)(void *context, const char *script, const ScriptError *error);
    // A request of the protocol's; params: a table. LATER too where the script is being reloaded, and may
    // fail yet. token: of the answer that comes later; 0: nobody waits for it. out_result is the script's to
    // finish.
    ScriptRequestStatus (*request)(void *context, const char *method, const ScriptValue *params,
                                   uint64_t token, ScriptValue *out_result,
                                   char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
} ScriptCallbacks;

#define SCRIPT_DEFAULT_MEMORY    ((size_t)64 << 20)
#define SCRIPT_DEFAULT_BUDGET_NS UINT64_C(50000000)

typedef struct ScriptHostDef {
    SimWorld *world;                       // outlives the host; NULL: for checking only
    const char *const *script_directories; // [count], searched in this order; copied
    int script_directory_count;
    const char *const *asset_directories; // [count], searched in this order, after the script's own; copied
    int asset_directory_count;
    uint64_t seed;             // of all scripts' random numbers
    size_t script_memory;      // bytes that each script may have; 0: SCRIPT_DEFAULT_MEMORY
    uint64_t script_budget_ns; // of processor time for each script in a tick; 0: SCRIPT_DEFAULT_BUDGET_NS.
                               // Loading may take 40 times as long
    ScriptCallbacks callbacks;
} ScriptHostDef;

// Loads every file below fabrics/ of each script directory. NULL, with the findings, if one of them has an
// error, two have one name, or for want of memory. Findings are added to.
ScriptHost *script_host_create(const ScriptHostDef *def, ScriptFindings *findings);
// Destroy scenes and instances before; characters go with the host.
void script_host_destroy(ScriptHost *host);

// Until this is called scripts may take as long as for loading: nobody waits for a tick.
void script_host_started(ScriptHost *host);

// Call at the start of each tick, before commands and script_instance_tick: what time it is for scripts.
// time, dt: s of simulation.
void script_host_begin_tick(ScriptHost *host, double time, double dt);
// Call as often as there would be ticks while there are none: what scripts may use in a tick is renewed.
void script_host_begin_interval(ScriptHost *host);

// Events of the protocol, by its names. The first three may be called while a script runs.
// Whether somebody listens, or may at the next tick, since the script that runs now does what it tells of.
// False for a NULL host.
bool script_host_has_listeners(const ScriptHost *host, const char *event);
// Takes params, a table, over. Those that listen get it after the next script_host_deliver_events; over 1024
// until then are lost, with a warning in the log.
void script_host_queue_event(ScriptHost *host, const char *event, ScriptValue params);
// Likewise, for the coroutine that waits for it; takes answer over, which is a message where it was not done.
void script_host_complete_request(ScriptHost *host, uint64_t token, bool done, ScriptValue answer);
// Call once in a tick, before scenes' and instances' part of it: they get what was told until now.
void script_host_deliver_events(ScriptHost *host);

// The file of the script of that name ("characters/wake"): below the scenes' folders, then the script
// directories, never outside. The caller frees it. Unless it is found, out_message says why. Looks at files.
ScriptFound script_host_find(const ScriptHost *host, const char *script, char **out_file,
                             char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);

// The names of all scripts ("characters/wake", "fabrics/tweed", "scenes/wake") below the script directories,
// as a sorted list of strings. Reads folders.
bool script_host_list(const ScriptHost *host, ScriptValue *out_list);

// Bytes that all Lua states hold.
size_t script_host_memory(const ScriptHost *host);
