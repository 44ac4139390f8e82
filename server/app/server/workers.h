// Runs the tasks of one tick on libuv's pool while the loop stays free.
#pragma once

#include <sim/world.h>
#include <stdatomic.h>
#include <uv.h>

#define APP_MAX_WORKERS 256

typedef struct AppWorkers {
    uv_loop_t *loop;
    int count; // that run at once
    uv_work_t jobs[APP_MAX_WORKERS];
    int running;
    SimWorld *world;
    int task_count;
    atomic_int next_task;
    void (*on_done)(void *context);
    void *context;
} AppWorkers;

// count: 1..APP_MAX_WORKERS.
void app_workers_init(AppWorkers *workers, uv_loop_t *loop, int count);

// Between sim_world_begin_tick and sim_world_end_tick. on_done is called by the loop, never from here, and
// once for each call. Not to be called again before that.
void app_workers_run(AppWorkers *workers, SimWorld *world, void (*on_done)(void *context), void *context);
