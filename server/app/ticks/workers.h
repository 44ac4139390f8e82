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

// Starts `count` threads, APP_MAX_WORKERS at most. Call it before anything else uses libuv's pool. False: the
// system does not allow so many threads; *out_error is libuv's.
bool app_workers_start(AppWorkers *workers, uv_loop_t *loop, int count, int *out_error);

// Calls `run` once for each task, on the threads of the pool. `worker` is below the count of threads, and no
// two calls that overlap have the same one. Then the loop calls `after`; call this again only after that.
void app_workers_run(AppWorkers *workers, int task_count, void (*run)(void *context, int task, int worker),
                     void (*after)(void *context), void *context);
