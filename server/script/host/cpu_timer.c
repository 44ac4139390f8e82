// A POSIX timer of the thread's processor time sends a signal to that thread, whose handler sets Lua's hook:
// the only call of Lua that is safe in a signal handler. The next instruction calls the hook.
#define _GNU_SOURCE // SIGEV_THREAD_ID
#include "host/cpu_timer.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)

struct ScriptCpuTimer {
    timer_t timer;
    lua_Hook hook;
    lua_State *volatile running; // NULL: stopped
    volatile sig_atomic_t expired;
    uint64_t budget_ns; // of the timer when it was set
    uint64_t used_ns;   // before
};

static void on_expired(int signal_number, siginfo_t *info, void *context);
static uint64_t set_timer(const ScriptCpuTimer *cpu_timer, uint64_t ns);

ScriptCpuTimer *script_cpu_timer_create(void) {
    struct sigaction action = {.sa_sigaction = on_expired, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
    ScriptCpuTimer *cpu_timer = calloc(1, sizeof *cpu_timer);
    if (!cpu_timer) return NULL;
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

void script_cpu_timer_start(ScriptCpuTimer *cpu_timer, lua_State *lua, lua_Hook expired, uint64_t budget_ns) {
    cpu_timer->hook = expired;
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

static void on_expired(int signal_number, siginfo_t *info, void *context) {
    (void)signal_number;
    (void)context;
    ScriptCpuTimer *cpu_timer = info->si_value.sival_ptr;
    lua_State *running = cpu_timer->running;
    if (!running) return; // too late
    cpu_timer->expired = 1;
    lua_sethook(running, cpu_timer->hook, LUA_MASKCOUNT, 1);
}

// Returns the time that was left.
static uint64_t set_timer(const ScriptCpuTimer *cpu_timer, uint64_t ns) {
    const struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)}};
    struct itimerspec left = {0};
    timer_settime(cpu_timer->timer, 0, &when, &left);
    return (uint64_t)left.it_value.tv_sec * SECOND_NS + (uint64_t)left.it_value.tv_nsec;
}
