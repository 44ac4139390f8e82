// How long scripts may run: a clock of one thread's processor time, so that a busy machine stops nobody.
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct ScriptCpuTimer ScriptCpuTimer;

// For the calling thread: only it may use the watch, and destroys it. NULL where there is no such timer to be
// had.
ScriptCpuTimer *script_cpu_timer_create(void);
void script_cpu_timer_destroy(ScriptCpuTimer *cpu_timer);

// Once the thread has used that much processor time, `expired` becomes the hook of every instruction that lua
// or a coroutine of its runs. A hook alone, set for every so many instructions from the beginning, would
// double what scripts cost.
void script_cpu_timer_start(ScriptCpuTimer *cpu_timer, lua_State *lua, lua_Hook expired, uint64_t budget_ns);
// Since the start: ns of processor time.
uint64_t script_cpu_timer_stop(ScriptCpuTimer *cpu_timer);

// Tells which coroutine runs from now on. Gives back which one did.
lua_State *script_cpu_timer_switch(ScriptCpuTimer *cpu_timer, lua_State *lua);
lua_State *script_cpu_timer_running(const ScriptCpuTimer *cpu_timer);
// For functions in C that take long: the hook does not reach them.
bool script_cpu_timer_expired(const ScriptCpuTimer *cpu_timer);
// The time up to script_cpu_timer_resume is not counted: what the host does for a script, such as reading a
// file.
void script_cpu_timer_pause(ScriptCpuTimer *cpu_timer);
void script_cpu_timer_resume(ScriptCpuTimer *cpu_timer);
