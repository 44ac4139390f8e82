// One wake-up at a time, at an absolute time.
#include "ticks/deadline_timer.h"

#include "ticks/tick_clock.h"

#ifdef __linux__

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static void on_readable(uv_poll_t *poll, int status, int events);

int app_deadline_timer_init(AppDeadlineTimer *timer, uv_loop_t *loop, void (*on_due)(void *context),
                            void *context) {
    *timer = (AppDeadlineTimer){.on_due = on_due, .context = context};
    timer->file = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC); // uv_hrtime's clock
    if (timer->file < 0) return -errno;
    int error = uv_poll_init(loop, &timer->poll, timer->file);
    if (error == 0) {
        timer->poll.data = timer;
        error = uv_poll_start(&timer->poll, UV_READABLE, on_readable);
    }
    if (error != 0) close(timer->file);
    return error;
}

// libuv has let go of the descriptor once uv_close returns.
void app_deadline_timer_close(AppDeadlineTimer *timer) {
    uv_close(&timer->handle, NULL);
    close(timer->file);
}

void app_deadline_timer_arm(AppDeadlineTimer *timer, uint64_t deadline_ns) {
    const struct itimerspec when = {.it_value = {.tv_sec = (time_t)(deadline_ns / APP_SECOND_NS),
                                                 .tv_nsec = (long)(deadline_ns % APP_SECOND_NS)}};
    timerfd_settime(timer->file, TFD_TIMER_ABSTIME, &when, NULL);
}

static void on_readable(uv_poll_t *poll, int status, int events) {
    (void)events;
    AppDeadlineTimer *timer = poll->data;
    uint64_t expirations;
    if (status == 0 && read(timer->file, &expirations, sizeof expirations) != sizeof expirations)
        return; // armed anew meanwhile
    timer->on_due(timer->context);
}

#else

static void on_timer(uv_timer_t *handle);

int app_deadline_timer_init(AppDeadlineTimer *timer, uv_loop_t *loop, void (*on_due)(void *context),
                            void *context) {
    *timer = (AppDeadlineTimer){.file = -1, .on_due = on_due, .context = context};
    timer->timer.data = timer;
    return uv_timer_init(loop, &timer->timer);
}

void app_deadline_timer_close(AppDeadlineTimer *timer) {
    uv_close(&timer->handle, NULL);
}

void app_deadline_timer_arm(AppDeadlineTimer *timer, uint64_t deadline_ns) {
    const uint64_t now = uv_hrtime();
    const uint64_t wait_ms = deadline_ns > now ? (deadline_ns - now + 999999) / 1000000 : 0;
    uv_update_time(timer->timer.loop);
    uv_timer_start(&timer->timer, on_timer, wait_ms, 0);
}

static void on_timer(uv_timer_t *handle) {
    AppDeadlineTimer *timer = handle->data;
    timer->on_due(timer->context);
}

#endif
