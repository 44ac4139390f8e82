// Tasks on the threads of libuv's pool, while the loop stays free.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

#define APP_MAX_WORKERS 256

typedef struct AppWorkers AppWorkers;

struct AppWorkers {
    uv_loop_t *loop;
    int count; // that work at once
    uv_work_t jobs[APP_MAX_WORKERS];
    int running;
    int task_count;
    atomic_int next_task;
    void *context;
    void (*run)(void *context, int task, int worker);
    void (*after)(void *context);
};

// Starts so many threads, APP_MAX_WORKERS at most. Call it before all else that uses the pool. False: the
// system does not allow as many, with *out_error of libuv.
bool app_workers_start(AppWorkers *workers, uv_loop_t *loop, int count, int *out_error);

// Calls `run` for each task from 0 on, by a thread of the pool; no two at once have the same worker, which is
// below count. Then `after`, by the loop. Not again before that.
void app_workers_run(AppWorkers *workers, int task_count, void (*run)(void *context, int task, int worker),
                     void (*after)(void *context), void *context);
