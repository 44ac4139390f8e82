// A POSIX timer of the thread's processor time sends a signal to that thread, whose handler sets Lua's hook:
// the only call of Lua that is safe in a signal handler. The next instruction calls the hook.
//
// The second signal comes where Lua is stuck in its own code. The handler leaves it by a long jump, if the
// interrupted instruction is in Lua's library: there no lock is held, and what is half done is in the state,
// whose blocks are freed without Lua. Elsewhere, in the allocator or in a function of the host, it tries
// again soon.
#define _GNU_SOURCE // SIGEV_THREAD_ID, dl_iterate_phdr, REG_RIP
#include "host/cpu_timer.h"

#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)
#define RETRY_NS  UINT64_C(1000000)

// The addresses of Lua's code; empty where it is linked into the program, whose code is then not left.
typedef struct CodeRange {
    uintptr_t begin, end;
} CodeRange;

struct ScriptCpuTimer {
    timer_t timer;
    CodeRange lua_code;
    lua_Hook hook;
    jmp_buf *exit;
    lua_State *volatile running; // NULL: stopped
    volatile sig_atomic_t expired;
    volatile uint64_t budget_ns; // of the timer when it was set
    volatile uint64_t used_ns;   // before
};

static int find_lua_code(struct dl_phdr_info *object, size_t size, void *context);
static void on_expired(int signal_number, siginfo_t *info, void *context);
static uintptr_t interrupted_address(const ucontext_t *context);
static uint64_t set_timer(const ScriptCpuTimer *cpu_timer, uint64_t ns);

ScriptCpuTimer *script_cpu_timer_create(void) {
    // SA_NODEFER: a jump out of the handler leaves the signal as it was
    struct sigaction action = {.sa_sigaction = on_expired, .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
    ScriptCpuTimer *cpu_timer = calloc(1, sizeof *cpu_timer);
    if (!cpu_timer) return NULL;
    dl_iterate_phdr(find_lua_code, &cpu_timer->lua_code);
    event.sigev_value.sival_ptr = cpu_timer;
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid); // glibc has no name for it
    if (sigaction(SIGRTMIN, &action, NULL) == 0 &&
        timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &cpu_timer->timer) == 0)
        return cpu_timer;
    free(cpu_timer);
    return NULL;
}

void script_cpu_timer_destroy(ScriptCpuTimer *cpu_timer) {
    if (!cpu_timer) return;
    timer_delete(cpu_timer->timer);
    free(cpu_timer);
}

void script_cpu_timer_start(ScriptCpuTimer *cpu_timer, lua_State *lua, lua_Hook expired, jmp_buf *exit,
                            uint64_t budget_ns) {
    cpu_timer->hook = expired;
    cpu_timer->exit = exit;
    cpu_timer->expired = 0;
    cpu_timer->used_ns = 0;
    cpu_timer->budget_ns = budget_ns ? budget_ns : 1; // 0 would be no timer
    cpu_timer->running = lua;
    set_timer(cpu_timer, cpu_timer->budget_ns);
}

uint64_t script_cpu_timer_stop(ScriptCpuTimer *cpu_timer) {
    script_cpu_timer_pause(cpu_timer);
    cpu_timer->running = NULL;
    return cpu_timer->used_ns;
}

void script_cpu_timer_pause(ScriptCpuTimer *cpu_timer) {
    const uint64_t left_ns = set_timer(cpu_timer, 0);
    cpu_timer->used_ns +=
        cpu_timer->budget_ns - (left_ns < cpu_timer->budget_ns ? left_ns : cpu_timer->budget_ns);
    cpu_timer->budget_ns = left_ns;
}

void script_cpu_timer_resume(ScriptCpuTimer *cpu_timer) {
    if (cpu_timer->budget_ns) set_timer(cpu_timer, cpu_timer->budget_ns); // otherwise it has expired
}

// The signal may come between any two of these lines: the running coroutine is read again.
lua_State *script_cpu_timer_switch(ScriptCpuTimer *cpu_timer, lua_State *lua) {
    lua_State *before = cpu_timer->running;
    cpu_timer->running = lua;
    if (cpu_timer->expired) lua_sethook(lua, cpu_timer->hook, LUA_MASKCOUNT, 1);
    return before;
}

lua_State *script_cpu_timer_running(const ScriptCpuTimer *cpu_timer) {
    return cpu_timer->running;
}

bool script_cpu_timer_expired(const ScriptCpuTimer *cpu_timer) {
    return cpu_timer->expired;
}

// Ends the iteration where the object with Lua's functions is found.
static int find_lua_code(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    CodeRange *code = context;
    const uintptr_t function = (uintptr_t)lua_newstate, own = (uintptr_t)script_cpu_timer_create;
    CodeRange found = {0};
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
        const uintptr_t begin = object->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;
        if (own >= begin && own < end) return 0;
        if (function >= begin && function < end) found = (CodeRange){begin, end};
    }
    if (found.end) *code = found;
    return found.end != 0;
}

static void on_expired(int signal_number, siginfo_t *info, void *context) {
    (void)signal_number;
    ScriptCpuTimer *cpu_timer = info->si_value.sival_ptr;
    lua_State *running = cpu_timer->running;
    if (!running) return; // too late
    const uintptr_t address = interrupted_address(context);
    const bool in_lua = address >= cpu_timer->lua_code.begin && address < cpu_timer->lua_code.end;
    if (cpu_timer->expired && in_lua && cpu_timer->exit) longjmp(*cpu_timer->exit, 1);
    cpu_timer->used_ns += cpu_timer->budget_ns;
    cpu_timer->budget_ns = cpu_timer->expired ? RETRY_NS : SCRIPT_GRACE_NS;
    cpu_timer->expired = 1;
    lua_sethook(running, cpu_timer->hook, LUA_MASKCOUNT, 1);
    set_timer(cpu_timer, cpu_timer->budget_ns);
}

// 0: not known for this processor.
static uintptr_t interrupted_address(const ucontext_t *context) {
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

// Returns the time that was left.
static uint64_t set_timer(const ScriptCpuTimer *cpu_timer, uint64_t ns) {
    const struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)}};
    struct itimerspec left = {0};
    timer_settime(cpu_timer->timer, 0, &when, &left);
    return (uint64_t)left.it_value.tv_sec * SECOND_NS + (uint64_t)left.it_value.tv_nsec;
}
