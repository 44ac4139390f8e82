// One wake-up at a time, at an absolute time.
#include "base/deadline_timer.h"

#ifdef __linux__

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000ULL

static void on_readable(uv_poll_t *poll, int status, int events);

int app_deadline_timer_init(AppDeadlineTimer *ticker, uv_loop_t *loop, void (*on_due)(void *context),
                            void *context) {
    *ticker = (AppDeadlineTimer){.on_due = on_due, .context = context};
    ticker->file = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC); // uv_hrtime's clock
    if (ticker->file < 0) return -errno;
    int error = uv_poll_init(loop, &ticker->poll, ticker->file);
    if (error == 0) {
        ticker->poll.data = ticker;
        error = uv_poll_start(&ticker->poll, UV_READABLE, on_readable);
    }
    if (error != 0) close(ticker->file);
    return error;
}

// libuv has let go of the descriptor once uv_close returns.
void app_deadline_timer_close(AppDeadlineTimer *ticker) {
    uv_close(&ticker->handle, NULL);
    close(ticker->file);
}

void app_deadline_timer_arm(AppDeadlineTimer *ticker, uint64_t deadline_ns) {
    const struct itimerspec when = {.it_value = {.tv_sec = (time_t)(deadline_ns / SECOND_NS),
                                                 .tv_nsec = (long)(deadline_ns % SECOND_NS)}};
    timerfd_settime(ticker->file, TFD_TIMER_ABSTIME, &when, NULL);
}

static void on_readable(uv_poll_t *poll, int status, int events) {
    (void)events;
    AppDeadlineTimer *ticker = poll->data;
    uint64_t expirations;
    if (status == 0 && read(ticker->file, &expirations, sizeof expirations) != sizeof expirations)
        return; // armed anew meanwhile
    ticker->on_due(ticker->context);
}

#else

static void on_timer(uv_timer_t *timer);

int app_deadline_timer_init(AppDeadlineTimer *ticker, uv_loop_t *loop, void (*on_due)(void *context),
                            void *context) {
    *ticker = (AppDeadlineTimer){.file = -1, .on_due = on_due, .context = context};
    ticker->timer.data = ticker;
    return uv_timer_init(loop, &ticker->timer);
}

void app_deadline_timer_close(AppDeadlineTimer *ticker) {
    uv_close(&ticker->handle, NULL);
}

void app_deadline_timer_arm(AppDeadlineTimer *ticker, uint64_t deadline_ns) {
    const uint64_t now = uv_hrtime();
    const uint64_t wait_ms = deadline_ns > now ? (deadline_ns - now + 999999) / 1000000 : 0;
    uv_update_time(ticker->timer.loop);
    uv_timer_start(&ticker->timer, on_timer, wait_ms, 0);
}

static void on_timer(uv_timer_t *timer) {
    AppDeadlineTimer *ticker = timer->data;
    ticker->on_due(ticker->context);
}

#endif
