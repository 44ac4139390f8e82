// A timer of one thread's processor time that stops scripts. A busy machine does not use up a script's
// budget.
#pragma once

#include <lua.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#define SCRIPT_GRACE_NS UINT64_C(50000000)

typedef struct ScriptCpuTimer ScriptCpuTimer;

// Creates a timer for the calling thread; only that thread may use and destroy it. NULL if the system cannot
// create one.
ScriptCpuTimer *script_cpu_timer_create(void);
void script_cpu_timer_destroy(ScriptCpuTimer *cpu_timer);

// When the thread has used that much processor time, `expired` becomes the hook of every instruction of the
// running coroutine. (A count hook that is set all the time would double the cost of scripts.)
//
// Some work of Lua's own takes long between two instructions, such as compiling a text or looking for
// __call. Where no instruction comes for another SCRIPT_GRACE_NS, the signal handler jumps to `exit`, as soon
// as it interrupts Lua itself and not a C function that Lua called: the state can then only be discarded.
void script_cpu_timer_start(ScriptCpuTimer *cpu_timer, lua_State *lua, lua_Hook expired, jmp_buf *exit,
                            uint64_t budget_ns);
// Stops the timer and returns the processor time since the start, in ns.
uint64_t script_cpu_timer_stop(ScriptCpuTimer *cpu_timer);

// Sets the coroutine that runs from now on.
lua_State *script_cpu_timer_switch(ScriptCpuTimer *cpu_timer, lua_State *lua);
lua_State *script_cpu_timer_running(const ScriptCpuTimer *cpu_timer);
// Whether the time is up. C functions that take long check it, since the hook does not interrupt them.
bool script_cpu_timer_expired(const ScriptCpuTimer *cpu_timer);
// Stops counting until script_cpu_timer_resume, for work of the host such as reading a file.
void script_cpu_timer_pause(ScriptCpuTimer *cpu_timer);
void script_cpu_timer_resume(ScriptCpuTimer *cpu_timer);
