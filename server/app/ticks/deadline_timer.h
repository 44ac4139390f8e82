// Wakes the loop at a deadline: on Linux with a timerfd, elsewhere with a one-shot timer. A repeating
// uv_timer runs at 54 Hz in place of 60, since its periods are whole milliseconds.
#pragma once

#include <stdint.h>
#include <uv.h>

typedef struct AppDeadlineTimer AppDeadlineTimer;

struct AppDeadlineTimer {
    union {
        uv_handle_t handle;
        uv_poll_t poll;
        uv_timer_t timer;
    };
    int file; // -1: not a timerfd
    void (*on_due)(void *context);
    void *context;
};

// 0, or a negative libuv error; then there is nothing to close.
int app_deadline_timer_init(AppDeadlineTimer *timer, uv_loop_t *loop, void (*on_due)(void *context),
                            void *context);
void app_deadline_timer_close(AppDeadlineTimer *timer);

// on_due is called once, as soon as uv_hrtime() reaches deadline_ns. It replaces an earlier deadline.
void app_deadline_timer_arm(AppDeadlineTimer *timer, uint64_t deadline_ns);
