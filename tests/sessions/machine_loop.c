// The loop: timers, events of the machine, threads that take their time, and the end of handles.
#include "machine_state.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { MOST_TURNS = 5000000 }; // of the loop in a millisecond

Machine machine;

typedef struct Work {
    uv_work_t *request;
    uv_work_cb run;
    uv_after_work_cb after;
} Work;

static void run_timers(void);
static void run_each(uv_handle_type type);
static bool has_active(uv_handle_type type);
static bool has_closing(void);
static bool is_alive(void);
static bool has_pending_async(void);
static void poll_events(void);
static uint64_t next_due_ns(void);
static void run_deadline(void);
static void close_handles(void);
static void give_up(const char *reason);
static bool is_earlier(const Event *a, const Event *b);
static Event pop_event(void);
static void stop(void *handle);
static void run_thread(void *context);
static void run_work(void *context);
static uint64_t some_time_ns(void);

void machine_begin(const MachineSetup *setup) {
    machine = (Machine){.setup = *setup, .random = {setup->seed}, .now_ns = 1000 * MACHINE_S};
}

bool machine_end(void) {
    const bool is_clean = !machine.handles && machine.requests == 0;
    machine_sockets_finish();
    free(machine.events);
    free(machine.threads);
    machine = (Machine){0};
    return is_clean;
}

uint64_t machine_now_ns(void) {
    return machine.now_ns;
}

void machine_at(uint64_t due_ns, void (*run)(void *context), void *context) {
    if (machine.event_count == machine.event_capacity) {
        machine.event_capacity = machine.event_capacity ? 2 * machine.event_capacity : 64;
        machine.events = realloc(machine.events, machine.event_capacity * sizeof *machine.events);
        if (!machine.events) abort();
    }
    size_t place = machine.event_count++;
    const Event event = {due_ns, ++machine.last_order, run, context};
    for (; place > 0 && is_earlier(&event, &machine.events[(place - 1) / 2]); place = (place - 1) / 2)
        machine.events[place] = machine.events[(place - 1) / 2];
    machine.events[place] = event;
}

void machine_signal(int number) {
    for (Handle *each = machine.handles; each; each = each->next)
        if (each->handle->type == UV_SIGNAL && each->file == number && each->is_active) {
            ((uv_signal_cb)each->callback)((uv_signal_t *)each->handle, number);
            return;
        }
}

void machine_note_change(const char *path) {
    const char *slash = strrchr(path, '/');
    const size_t length = (size_t)(slash - path);
    Handle *next;
    for (Handle *each = machine.handles; each; each = next) {
        next = each->next;
        if (each->handle->type == UV_FS_EVENT && each->is_active && strlen(each->path) == length &&
            strncmp(each->path, path, length) == 0)
            ((uv_fs_event_cb)each->callback)((uv_fs_event_t *)each->handle, slash + 1, UV_CHANGE, 0);
    }
}

Handle *machine_add_handle(uv_loop_t *loop, uv_handle_t *handle, uv_handle_type type) {
    Handle *added = calloc(1, sizeof *added);
    if (!added) abort();
    Handle **end = &machine.handles;
    while (*end) end = &(*end)->next;
    *end = added;
    added->handle = handle;
    handle->loop = loop;
    handle->type = type;
    handle->u.reserved[3] = added;
    return added;
}

Handle *machine_handle(const uv_handle_t *handle) {
    return handle->u.reserved[3];
}

// libuv: the loop
// ------------------------------------------------------------------------------------------------------------

int uv_loop_init(uv_loop_t *loop) {
    memset(loop, 0, sizeof *loop);
    machine.loop_ms = machine.now_ns / MACHINE_MS;
    return 0;
}

int uv_loop_close(uv_loop_t *loop) {
    (void)loop;
    return machine.handles ? UV_EBUSY : 0;
}

int uv_run(uv_loop_t *loop, uv_run_mode mode) {
    (void)loop;
    while (is_alive()) {
        machine.loop_ms = machine.now_ns / MACHINE_MS;
        run_timers();
        run_each(UV_IDLE);
        poll_events();
        run_each(UV_CHECK);
        close_handles();
        if (mode != UV_RUN_DEFAULT) break;
    }
    return is_alive();
}

uint64_t uv_now(const uv_loop_t *loop) {
    (void)loop;
    return machine.loop_ms;
}

uint64_t uv_hrtime(void) {
    return machine.now_ns += machine.setup.call_ns;
}

void uv_update_time(uv_loop_t *loop) {
    (void)loop;
    machine.loop_ms = machine.now_ns / MACHINE_MS;
}

int uv_backend_fd(const uv_loop_t *loop) {
    (void)loop;
    return STDERR_FILENO;
}

void uv_walk(uv_loop_t *loop, uv_walk_cb visit, void *context) {
    (void)loop;
    for (Handle *each = machine.handles; each; each = each->next) visit(each->handle, context);
}

void uv_close(uv_handle_t *handle, uv_close_cb on_closed) {
    Handle *closed = machine_handle(handle);
    closed->is_active = false;
    closed->is_closing = true;
    handle->close_cb = on_closed;
    if (handle->type == UV_POLL) machine.timer_file = 0;
    if (handle->type == UV_TCP) machine_sockets_close(closed);
}

int uv_is_active(const uv_handle_t *handle) {
    return machine_handle(handle)->is_active;
}

int uv_is_closing(const uv_handle_t *handle) {
    return machine_handle(handle)->is_closing;
}

static bool is_alive(void) {
    for (const Handle *each = machine.handles; each; each = each->next)
        if (each->is_active || each->is_closing) return true;
    return machine.event_count > 0;
}

// Each timer once a turn, the earliest first.
static void run_timers(void) {
    const uint64_t newest = machine.last_order;
    for (;;) {
        Handle *due = NULL;
        for (Handle *each = machine.handles; each; each = each->next)
            if (each->handle->type == UV_TIMER && each->is_active && each->due_ms <= machine.loop_ms &&
                each->order <= newest &&
                (!due || each->due_ms < due->due_ms ||
                 (each->due_ms == due->due_ms && each->order < due->order)))
                due = each;
        if (!due) return;
        if (due->repeat_ms > 0)
            uv_timer_start((uv_timer_t *)due->handle, (uv_timer_cb)due->callback, due->repeat_ms,
                           due->repeat_ms);
        else
            due->is_active = false;
        ((uv_timer_cb)due->callback)((uv_timer_t *)due->handle);
    }
}

static void run_each(uv_handle_type type) {
    for (Handle *each = machine.handles; each; each = each->next) {
        if (each->handle->type != type || !each->is_active) continue;
        if (type == UV_IDLE)
            ((uv_idle_cb)each->callback)((uv_idle_t *)each->handle);
        else
            ((uv_check_cb)each->callback)((uv_check_t *)each->handle);
    }
}

// Waits for what comes next, unless there is something to do already.
static void poll_events(void) {
    const bool is_busy =
        has_active(UV_IDLE) || has_closing() || has_pending_async() || machine_sockets_are_ready();
    const uint64_t due_ns = next_due_ns();
    if (!is_busy && due_ns == UINT64_MAX) give_up("nothing will ever happen again");
    machine.turns = machine.loop_ms == machine.now_ns / MACHINE_MS ? machine.turns + 1 : 0;
    if (machine.turns > MOST_TURNS) give_up("time stands still");
    if (!is_busy && due_ns > machine.now_ns) machine.now_ns = due_ns;
    machine.loop_ms = machine.now_ns / MACHINE_MS;
    const uint64_t newest = machine.last_order;
    while (machine.event_count > 0 && machine.events[0].due_ns <= machine.now_ns &&
           machine.events[0].order <= newest) {
        const Event event = pop_event();
        event.run(event.context);
    }
    run_deadline();
    for (Handle *each = machine.handles; each; each = each->next)
        if (each->handle->type == UV_ASYNC && each->order > 0) {
            each->order = 0;
            if (!each->is_closing) ((uv_async_cb)each->callback)((uv_async_t *)each->handle);
        }
    machine_sockets_run();
}

static bool has_active(uv_handle_type type) {
    for (const Handle *each = machine.handles; each; each = each->next)
        if (each->handle->type == type && each->is_active) return true;
    return false;
}

static bool has_closing(void) {
    for (const Handle *each = machine.handles; each; each = each->next)
        if (each->is_closing) return true;
    return false;
}

static bool has_pending_async(void) {
    for (const Handle *each = machine.handles; each; each = each->next)
        if (each->handle->type == UV_ASYNC && each->order > 0) return true;
    return false;
}

static uint64_t next_due_ns(void) {
    uint64_t due_ns = machine.event_count > 0 ? machine.events[0].due_ns : UINT64_MAX;
    if (machine.timer_file && machine.timer_due_ns > 0 && machine.timer_due_ns < due_ns)
        due_ns = machine.timer_due_ns;
    for (const Handle *each = machine.handles; each; each = each->next)
        if (each->handle->type == UV_TIMER && each->is_active && each->due_ms * MACHINE_MS < due_ns)
            due_ns = each->due_ms * MACHINE_MS;
    return due_ns;
}

static void close_handles(void) {
    for (Handle **place = &machine.handles; *place;) {
        Handle *each = *place;
        if (!each->is_closing) {
            place = &each->next;
            continue;
        }
        *place = each->next;
        uv_handle_t *handle = each->handle;
        free(each);
        if (handle->close_cb) handle->close_cb(handle);
        place = &machine.handles; // the callback may have closed others
    }
}

static void give_up(const char *reason) {
    fprintf(stderr, "the loop hangs: %s\n", reason);
    abort();
}

static bool is_earlier(const Event *a, const Event *b) {
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static Event pop_event(void) {
    const Event first = machine.events[0], last = machine.events[--machine.event_count];
    size_t place = 0;
    for (size_t child; (child = 2 * place + 1) < machine.event_count; place = child) {
        if (child + 1 < machine.event_count && is_earlier(&machine.events[child + 1], &machine.events[child]))
            child++;
        if (!is_earlier(&machine.events[child], &last)) break;
        machine.events[place] = machine.events[child];
    }
    machine.events[place] = last;
    return first;
}

// libuv: handles without sockets
// -----------------------------------------------------------------------------------------------------------

int uv_timer_init(uv_loop_t *loop, uv_timer_t *timer) {
    machine_add_handle(loop, (uv_handle_t *)timer, UV_TIMER);
    return 0;
}

int uv_timer_start(uv_timer_t *timer, uv_timer_cb callback, uint64_t timeout, uint64_t repeat) {
    Handle *handle = machine_handle((uv_handle_t *)timer);
    handle->is_active = true;
    handle->callback = (Callback)callback;
    handle->due_ms = machine.loop_ms + timeout;
    handle->repeat_ms = repeat;
    handle->order = ++machine.last_order;
    return 0;
}

int uv_timer_stop(uv_timer_t *timer) {
    stop(timer);
    return 0;
}

int uv_idle_init(uv_loop_t *loop, uv_idle_t *idle) {
    machine_add_handle(loop, (uv_handle_t *)idle, UV_IDLE);
    return 0;
}

int uv_idle_start(uv_idle_t *idle, uv_idle_cb callback) {
    Handle *handle = machine_handle((uv_handle_t *)idle);
    handle->callback = (Callback)callback;
    handle->is_active = !handle->is_closing;
    return 0;
}

int uv_idle_stop(uv_idle_t *idle) {
    stop(idle);
    return 0;
}

int uv_check_init(uv_loop_t *loop, uv_check_t *check) {
    machine_add_handle(loop, (uv_handle_t *)check, UV_CHECK);
    return 0;
}

int uv_check_start(uv_check_t *check, uv_check_cb callback) {
    Handle *handle = machine_handle((uv_handle_t *)check);
    handle->callback = (Callback)callback;
    handle->is_active = true;
    return 0;
}

int uv_async_init(uv_loop_t *loop, uv_async_t *async, uv_async_cb callback) {
    Handle *handle = machine_add_handle(loop, (uv_handle_t *)async, UV_ASYNC);
    handle->callback = (Callback)callback;
    handle->is_active = true;
    return 0;
}

int uv_async_send(uv_async_t *async) {
    Handle *handle = machine_handle((uv_handle_t *)async);
    if (handle) handle->order = 1;
    return 0;
}

int uv_signal_init(uv_loop_t *loop, uv_signal_t *handle) {
    machine_add_handle(loop, (uv_handle_t *)handle, UV_SIGNAL);
    return 0;
}

int uv_signal_start(uv_signal_t *signal_handle, uv_signal_cb callback, int number) {
    Handle *handle = machine_handle((uv_handle_t *)signal_handle);
    handle->callback = (Callback)callback;
    handle->file = number;
    handle->is_active = true;
    return 0;
}

int uv_fs_event_init(uv_loop_t *loop, uv_fs_event_t *event) {
    machine_add_handle(loop, (uv_handle_t *)event, UV_FS_EVENT);
    return 0;
}

int uv_fs_event_start(uv_fs_event_t *event, uv_fs_event_cb callback, const char *path, unsigned flags) {
    (void)flags;
    Handle *handle = machine_handle((uv_handle_t *)event);
    if (strlen(path) >= sizeof handle->path) return UV_ENAMETOOLONG;
    strcpy(handle->path, path);
    handle->callback = (Callback)callback;
    handle->is_active = access(path, R_OK) == 0;
    return handle->is_active ? 0 : UV_ENOENT;
}

int uv_fs_event_stop(uv_fs_event_t *event) {
    stop(event);
    return 0;
}

static void stop(void *handle) {
    machine_handle(handle)->is_active = false;
}

// The deadline timer of ticks: a real descriptor, which can be read once the machine's clock is there.

int timerfd_create(int clock, int flags) {
    (void)clock, (void)flags;
    return machine.timer_file = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

int timerfd_settime(int file, int flags, const struct itimerspec *when, struct itimerspec *before) {
    (void)file, (void)flags, (void)before;
    machine.timer_due_ns = (uint64_t)when->it_value.tv_sec * MACHINE_S + (uint64_t)when->it_value.tv_nsec;
    return 0;
}

int uv_poll_init(uv_loop_t *loop, uv_poll_t *poll, int file) {
    machine_add_handle(loop, (uv_handle_t *)poll, UV_POLL)->file = file;
    return 0;
}

int uv_poll_start(uv_poll_t *poll, int events, uv_poll_cb callback) {
    (void)events;
    Handle *handle = machine_handle((uv_handle_t *)poll);
    handle->callback = (Callback)callback;
    handle->is_active = true;
    return 0;
}

static void run_deadline(void) {
    const uint64_t one = 1;
    if (!machine.timer_file || machine.timer_due_ns == 0 || machine.timer_due_ns > machine.now_ns) return;
    Handle *each = machine.handles;
    while (each && each->handle->type != UV_POLL) each = each->next;
    if (!each || !each->is_active || write(machine.timer_file, &one, sizeof one) != sizeof one) return;
    machine.timer_due_ns = 0;
    ((uv_poll_cb)each->callback)((uv_poll_t *)each->handle, 0, UV_READABLE);
}

// libuv: threads
// ---------------------------------------------------------------------------------------------------------------

int uv_thread_create(uv_thread_t *thread, uv_thread_cb run, void *context) {
    machine.threads = realloc(machine.threads, (machine.thread_count + 1) * sizeof *machine.threads);
    if (!machine.threads) abort();
    machine.threads[machine.thread_count++] = (Thread){run, context, false};
    *thread = (uv_thread_t)machine.thread_count;
    machine_at(machine.now_ns + some_time_ns(), run_thread, (void *)*thread);
    return 0;
}

int uv_thread_join(uv_thread_t *thread) {
    run_thread((void *)*thread);
    return 0;
}

int uv_queue_work(uv_loop_t *loop, uv_work_t *request, uv_work_cb run, uv_after_work_cb after) {
    (void)loop;
    Work *work = malloc(sizeof *work);
    if (!work) abort();
    *work = (Work){request, run, after};
    machine_at(machine.now_ns + some_time_ns(), run_work, work);
    return 0;
}

// The log's writer has a real thread, which is late where the machine is busy: its end is waited for, as no
// clock runs.
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *deadline) {
    (void)deadline;
    return pthread_cond_wait(condition, mutex);
}

int uv_resident_set_memory(size_t *bytes) {
    *bytes = 1;
    return 0;
}

int uv_exepath(char *path, size_t *size) {
    const size_t length = strlen(machine.setup.program);
    if (length >= *size) return UV_ENOBUFS;
    memcpy(path, machine.setup.program, length + 1);
    *size = length;
    return 0;
}

// Unless it has run: whoever joins it does not wait.
static void run_thread(void *context) {
    const size_t index = (size_t)context - 1;
    if (machine.threads[index].is_done) return;
    machine.threads[index].is_done = true;
    const Thread thread = machine.threads[index];
    thread.run(thread.context);
}

static void run_work(void *context) {
    const Work work = *(Work *)context;
    free(context);
    work.run(work.request);
    work.after(work.request, 0);
}

static uint64_t some_time_ns(void) {
    return machine.setup.work_ns > 0 ? random_next(&machine.random) % machine.setup.work_ns : 0;
}
