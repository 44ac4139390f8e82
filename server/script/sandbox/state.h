// The Lua state of one script file: what it may reach, how it is loaded, how it is entered, and how it is
// stopped: thrown away wherever it is, since what would unwind it may be the very thing that does not end.
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

// Of one script. All zero: nothing said yet.
typedef struct ScriptLogQuota {
    uint64_t second; // of simulation, that is counted; the loading is one of its own
    unsigned lines;  // in it
} ScriptLogQuota;

typedef struct ScriptState {
    ScriptHost *host;
    lua_State *lua;         // NULL: it was stopped, and is gone
    ScriptError stop_error; // why
    ScriptAllocator allocator;
    ScriptCpuTimer *cpu_timer; // of the thread that enters
    jmp_buf *exit_jump;        // of the entry that runs, NULL for none
    uint64_t spent_ns;         // of processor time: in the tick below or, while loading, since the beginning
    uint64_t spent_interval;   // the host's
    uint64_t window_ns;        // of processor time since window_interval
    uint64_t window_interval;  // the host's
    size_t counted_bytes;      // in the host's
    bool loading;              // until script_state_loaded
    int import_count;          // of files
    ScriptStringList files;    // that were read: the script's own, modules, imports
    bool provisional;          // until script_character_replace: that it is stopped is told by who tries it
    ScriptLogQuota log;
    char *script;                   // "characters/wake"
    char *file;                     // as the author sees it
    char *folder;                   // the file's
    ScriptRandom random;            // while no instance runs
    ScriptError call_error;         // by the call that is on its way out
    ScriptListeners listeners;      // of callbacks that no instance runs
    ScriptValue reply;              // on its way into Lua
    ScriptFindings *findings;       // while loading, else NULL
    ScriptSources *sources;         // while loading, else NULL
    struct ScriptInstance *running; // whose callback or coroutine runs, NULL for none
} ScriptState;

// Without libraries, nothing loaded. NULL for want of memory.
ScriptState *script_state_create(ScriptHost *host, const char *script, const char *file);
void script_state_destroy(ScriptState *state);

ScriptState *script_state_of(lua_State *lua);

// Runs the file and reads what it returns into the arena. NULL, with the findings, if it cannot be read, is
// no Lua, raises, or is stopped. Constructors add their findings too. Until script_state_loaded the value is
// kept alive in Lua, and constructors may be called.
const ScriptNode *script_state_load(ScriptState *state, ScriptArena *arena, ScriptSources *sources,
                                    ScriptFindings *findings);
// The end of loading: lets go of the value and of what was imported.
void script_state_loaded(ScriptState *state);

// Calls body with context as its light userdata, in protected mode. False, with the error, if it raised or
// the state is stopped. Body and all it calls hold no memory of C's where Lua may run or allocate: a script
// that is stopped there never comes back. Not to be called by body.
bool script_state_enter(ScriptState *state, lua_CFunction body, void *context, ScriptError *out_error);

// The state becomes another host's, whose thread enters it from now on.
void script_state_move(ScriptState *state, ScriptHost *host);
// Loading has read a file. Nothing of Lua's is touched; for want of memory it is not noted.
void script_state_add_file(ScriptState *state, const char *path);
// Loading has sought a file: what lies there later, or where a link there leads to then, is what it would
// find. True if something is there now. Nothing is noted of names that lead upwards, nor of the last of too
// many.
bool script_state_add_searched_file(ScriptState *state, const char *folder, const char *name);

// Removes one listener, or all, with what Lua holds for them.
void script_listener_remove(ScriptState *state, ScriptListener *listener);
void script_listeners_finish(ScriptListeners *listeners, ScriptState *state);

// Tells the host how much the state holds; done after each entry too.
void script_state_count_bytes(ScriptState *state);

// Stops the script if its time is up: for functions in C that take long, or that others in C call over and
// over.
void script_state_check_time(lua_State *lua);
// As lua_resume, of whose coroutine `from` is told.
int script_state_resume(lua_State *thread, lua_State *from, int argument_count, int *out_result_count);

// Adds "file:line: message" of Lua's own making, and the calls that led there. own_file: the script's own.
void script_state_add_error(ScriptFindings *findings, const char *own_file, const char *path,
                            const ScriptError *error);

// Compiles text, no bytecode; pushes the function. Raises otherwise.
void script_load_chunk(lua_State *lua, const char *file);
