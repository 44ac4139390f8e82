// How long scripts may run: a clock of one thread's processor time, so that a busy machine stops nobody.
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct ScriptWatch ScriptWatch;

// For the calling thread: only it may use the watch, and destroys it. NULL where there is no such timer to be
// had.
ScriptWatch *script_watch_create(void);
void script_watch_destroy(ScriptWatch *watch);

// Once the thread has used that much processor time, `expired` becomes the hook of every instruction that lua
// or a coroutine of its runs. A hook alone, set for every so many instructions from the beginning, would
// double what scripts cost.
void script_watch_start(ScriptWatch *watch, lua_State *lua, lua_Hook expired, uint64_t budget_ns);
// Since the start: ns of processor time.
uint64_t script_watch_stop(ScriptWatch *watch);

// Tells which coroutine runs from now on. Gives back which one did.
lua_State *script_watch_switch(ScriptWatch *watch, lua_State *lua);
lua_State *script_watch_running(const ScriptWatch *watch);
// For functions in C that take long: the hook does not reach them.
bool script_watch_expired(const ScriptWatch *watch);
// The time up to script_watch_resume is not counted: what the host does for a script, such as reading a file.
void script_watch_pause(ScriptWatch *watch);
void script_watch_resume(ScriptWatch *watch);
