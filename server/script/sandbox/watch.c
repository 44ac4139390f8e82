// A timer on the thread's own processor time, whose signal goes to that thread and sets Lua's hook. That is
// all a signal's handler may do to Lua, and it is enough: the next instruction calls the hook.
#define _GNU_SOURCE // SIGEV_THREAD_ID
#include "sandbox/watch.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)

struct ScriptWatch {
    timer_t timer;
    lua_Hook hook;
    lua_State *volatile running; // NULL: stopped
    volatile sig_atomic_t expired;
    uint64_t budget_ns; // of the timer when it was set
    uint64_t used_ns;   // before
};

static void on_expired(int signal_number, siginfo_t *info, void *context);
static uint64_t set_timer(const ScriptWatch *watch, uint64_t ns);

ScriptWatch *script_watch_create(void) {
    struct sigaction action = {.sa_sigaction = on_expired, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
    ScriptWatch *watch = calloc(1, sizeof *watch);
    if (!watch) return NULL;
    event.sigev_value.sival_ptr = watch;
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid); // glibc has no name for it
    if (sigaction(SIGRTMIN, &action, NULL) == 0 &&
        timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &watch->timer) == 0)
        return watch;
    free(watch);
    return NULL;
}

void script_watch_destroy(ScriptWatch *watch) {
    if (!watch) return;
    timer_delete(watch->timer);
    free(watch);
}

void script_watch_start(ScriptWatch *watch, lua_State *lua, lua_Hook expired, uint64_t budget_ns) {
    watch->hook = expired;
    watch->expired = 0;
    watch->used_ns = 0;
    watch->budget_ns = budget_ns ? budget_ns : 1; // 0 would be no timer
    watch->running = lua;
    set_timer(watch, watch->budget_ns);
}

uint64_t script_watch_stop(ScriptWatch *watch) {
    script_watch_pause(watch);
    watch->running = NULL;
    return watch->used_ns;
}

void script_watch_pause(ScriptWatch *watch) {
    const uint64_t left_ns = set_timer(watch, 0);
    watch->used_ns += watch->budget_ns - (left_ns < watch->budget_ns ? left_ns : watch->budget_ns);
    watch->budget_ns = left_ns;
}

void script_watch_resume(ScriptWatch *watch) {
    if (watch->budget_ns) set_timer(watch, watch->budget_ns); // else it has expired
}

// The signal may come between any two of these lines: whoever runs then is asked for once more.
lua_State *script_watch_switch(ScriptWatch *watch, lua_State *lua) {
    lua_State *before = watch->running;
    watch->running = lua;
    if (watch->expired) lua_sethook(lua, watch->hook, LUA_MASKCOUNT, 1);
    return before;
}

lua_State *script_watch_running(const ScriptWatch *watch) {
    return watch->running;
}

bool script_watch_expired(const ScriptWatch *watch) {
    return watch->expired;
}

static void on_expired(int signal_number, siginfo_t *info, void *context) {
    (void)signal_number;
    (void)context;
    ScriptWatch *watch = info->si_value.sival_ptr;
    lua_State *running = watch->running;
    if (!running) return; // too late
    watch->expired = 1;
    lua_sethook(running, watch->hook, LUA_MASKCOUNT, 1);
}

// Gives back what was left.
static uint64_t set_timer(const ScriptWatch *watch, uint64_t ns) {
    const struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)}};
    struct itimerspec left = {0};
    timer_settime(watch->timer, 0, &when, &left);
    return (uint64_t)left.it_value.tv_sec * SECOND_NS + (uint64_t)left.it_value.tv_nsec;
}
