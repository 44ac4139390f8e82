// The Lua state of one script file: loading it, entering it and stopping it. A script that exceeds its limits
// is stopped by a long jump out of Lua, and its state is discarded: unwinding could run handlers of the
// script that do not end.
#pragma once

#include "data/allocator.h"
#include "data/path.h"
#include "data/value_tree.h"
#include "host/cpu_timer.h"
#include "host/host.h"
#include "sandbox/error.h"
#include "sandbox/random.h"
#include "script/host.h"

#include <lua.h>
#include <setjmp.h>

// The log lines of one script. All zero: none yet.
typedef struct ScriptLogQuota {
    uint64_t second; // of simulation; loading has one of its own
    unsigned lines;  // in that second
} ScriptLogQuota;

typedef struct ScriptState {
    ScriptHost *host;
    lua_State *lua;                   // NULL: the script was stopped
    ScriptError stop_error;           // why
    const char *character, *callback; // of the running entry: "alan", "on_tick"; NULL where there is none
    ScriptAllocator allocator;
    ScriptCpuTimer *cpu_timer; // the entering thread's
    jmp_buf *exit_jump;        // of the running entry, or NULL
    uint64_t spent_ns;         // processor time in spent_interval or, while loading, since the beginning
    uint64_t spent_interval;   // the host's
    uint64_t window_ns;        // processor time since window_interval
    uint64_t window_interval;  // as the host's; another: the window has ended
    struct ScriptState *next, **previous; // of the host's list
    size_t counted_bytes;                 // counted in the host's bytes
    bool loading;                         // until script_state_loaded
    int import_count;                     // imports, lofts and bindings
    AssetImport import;                   // how files are read, and the seconds that are left
    ScriptStringList files;               // read files: the script's own, modules, imports
    bool provisional; // being reloaded, until script_character_replace or an accept; the reload reports that
                      // it is stopped
    ScriptLogQuota log;
    uint64_t request_interval;      // the host's
    unsigned requests;              // of the protocol, in that interval
    size_t request_bytes;           // of their params
    char *script;                   // "characters/wake"
    char *file;                     // as shown to authors
    char *folder;                   // the file's folder
    ScriptRandom random;            // used while no instance runs
    ScriptError call_error;         // the error of the current call
    ScriptListeners listeners;      // of the scene's callbacks
    ScriptValue reply;              // a result that is being pushed to Lua
    ScriptFindings *findings;       // while loading, otherwise NULL
    ScriptSources *sources;         // while loading, otherwise NULL
    struct ScriptInstance *running; // whose callback or coroutine runs, NULL for none
} ScriptState;

// An empty state without libraries. Returns NULL when memory runs out.
ScriptState *script_state_create(ScriptHost *host, const char *script, const char *file);
void script_state_destroy(ScriptState *state);

static inline ScriptState *script_state_of(lua_State *lua) {
    return *(ScriptState **)lua_getextraspace(lua);
}

// Runs the file and reads its value into the arena. NULL with findings if the file cannot be read, is no Lua,
// raises an error or is stopped. Constructors add findings, too. Until script_state_loaded the value is kept
// alive in Lua and constructors may be called.
const ScriptNode *script_state_load(ScriptState *state, ScriptArena *arena, ScriptSources *sources,
                                    ScriptFindings *findings);
// Ends loading: releases the file's value and the imported files.
void script_state_loaded(ScriptState *state);

// Calls `body` with `context` as light userdata, in protected mode. False with the error if it raises or the
// state is stopped. `body` and its callees must own no C memory while Lua may run or allocate: when the
// script is stopped there, they do not return. Must not be called from `body`.
bool script_state_enter(ScriptState *state, lua_CFunction body, void *context, ScriptError *out_error);

// Moves the state to another host, whose thread enters it from now on.
void script_state_move(ScriptState *state, ScriptHost *host);
// Records a file that loading has read. Does not touch Lua; does nothing when memory runs out.
void script_state_add_file(ScriptState *state, const char *path);
// Records a path at which loading has looked for a file, so that a file created there later causes a reload.
// True if the file exists. Names with ".." and paths beyond the limit are not recorded.
bool script_state_add_searched_file(ScriptState *state, const char *folder, const char *name);

// lua_resume for a coroutine of a script, with its budget of time.
int script_state_resume(lua_State *thread, lua_State *from, int argument_count, int *out_result_count);

// The limits of time and memory: suspend.c
// ----------------------------------------------------------------------------------------------------------

// Stops the script if its time is up. For C functions that take long or that other C functions call in a
// loop.
void script_state_check_time(lua_State *lua);
// Starts the CPU timer with the time that the script has left.
void script_state_start_time(ScriptState *state);
// Stops the CPU timer, adds up the time of the call, and sets stop_error if it is too much.
void script_state_account_time(ScriptState *state);
// The allocator's `exhausted`.
void script_state_stop_for_memory(void *context, const char *what);
// Discards the Lua state of a stopped script and reports the suspension.
void script_state_suspend(ScriptState *state);
// Takes the state's time out of what all scripts have used.
void script_state_reset_time(ScriptState *state);
// Updates the host's count of bytes; each entry does it, too.
void script_state_count_bytes(ScriptState *state);
// Suspends the scripts that take most, as long as all together take too much. While no script runs.
void script_states_limit(ScriptHost *host);

// Loading: state_load.c
// ----------------------------------------------------------------------------------------------------------

// Adds an error of the form "file:line: message" to the findings, with its calls. own_file: the script's own.
void script_state_add_error(ScriptFindings *findings, const char *own_file, const char *path,
                            const ScriptError *error);

// Compiles a file, text only, and pushes the function. Raises on an error.
void script_load_chunk(lua_State *lua, const char *file);
