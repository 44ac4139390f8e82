// The Lua state of one script file: what it may reach, how it is loaded, how it is entered.
#pragma once

#include "node.h"
#include "place.h"
#include "random.h"
#include "script/host.h"

#include <lua.h>

typedef struct ScriptState {
    ScriptHost *host;
    lua_State *lua;
    size_t bytes;                   // that Lua holds
    char *script;                   // "characters/wake"
    char *file;                     // as the author sees it
    char *folder;                   // the file's
    ScriptRandom random;            // while no instance runs
    ScriptError raised;             // by the call that is on its way out
    ScriptFindings *findings;       // while loading, else NULL
    ScriptSources *sources;         // while loading, else NULL
    struct ScriptInstance *running; // whose callback or coroutine runs, NULL for none
} ScriptState;

// With its libraries, nothing loaded. NULL for want of memory.
ScriptState *script_state_create(ScriptHost *host, const char *script, const char *file);
void script_state_destroy(ScriptState *state);

ScriptState *script_state_of(lua_State *lua);

// Runs the file and reads what it returns into the arena. NULL, with the findings, if it cannot be read, is
// no Lua, or raises. Constructors add their findings too. Until script_state_loaded the value is kept alive
// in Lua, and constructors may be called.
const ScriptNode *script_state_load(ScriptState *state, ScriptArena *arena, ScriptSources *sources,
                                    ScriptFindings *findings);
// The end of loading: lets go of the value and of what was imported.
void script_state_loaded(ScriptState *state);

// Calls body with context as its light userdata, in protected mode. False, with the error, if it raised. May
// be nested.
bool script_state_enter(ScriptState *state, lua_CFunction body, void *context, ScriptError *out_error);

// Makes the error of a value that was raised on lua (the state's own or a coroutine), with lua's stack as
// traceback.
void script_error_make(ScriptError *out_error, lua_State *lua, int message);

// Compiles text, no bytecode; pushes the function. Raises otherwise.
void script_load_chunk(lua_State *lua, const char *file);
