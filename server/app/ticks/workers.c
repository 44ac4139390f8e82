// A job takes one task after the other until none is left: none waits for the slowest.
#include "ticks/workers.h"

#include <stdio.h>
#include <stdlib.h>

static int try_threads(int count);
static void wait_for_all(void *begin);
static void end_start(void *context);
static void work(uv_work_t *job);
static void after_work(uv_work_t *job, int status);

bool app_workers_start(AppWorkers *workers, uv_loop_t *loop, int count, int *out_error) {
    char text[16];
    snprintf(text, sizeof text, "%d", count);
    *out_error = setenv("UV_THREADPOOL_SIZE", text, 1) == 0 ? try_threads(count) : UV_ENOMEM;
    if (*out_error != 0) return false;
    workers->loop = loop;
    workers->count = count;
    app_workers_run(workers, 0, NULL, end_start, NULL);     // without a task, the pool starts nevertheless
    while (workers->running > 0) uv_run(loop, UV_RUN_ONCE); // what runs next may be a shot's first tick
    return true;
}

void app_workers_run(AppWorkers *workers, int task_count, void (*run)(void *context, int task, int worker),
                     void (*after)(void *context), void *context) {
    workers->run = run;
    workers->after = after;
    workers->context = context;
    workers->task_count = task_count;
    atomic_store(&workers->next_task, 0);
    workers->running = task_count < workers->count ? task_count : workers->count;
    if (workers->running < 1) workers->running = 1; // without a task the end still comes by way of the loop
    for (int i = 0, jobs = workers->running; i < jobs; i++) {
        workers->jobs[i].data = workers;
        uv_queue_work(workers->loop, &workers->jobs[i], work, after_work); // fails only without a function
    }
}

// libuv aborts where its pool cannot start, so as many threads are tried before. 0 or an error of libuv.
static int try_threads(int count) {
    uv_thread_t threads[APP_MAX_WORKERS];
    uv_sem_t begin;
    int error = uv_sem_init(&begin, 0), started = 0;
    if (error != 0) return error;
    while (error == 0 && started < count)
        if ((error = uv_thread_create(&threads[started], wait_for_all, &begin)) == 0) started++;
    for (int i = 0; i < started; i++) uv_sem_post(&begin);
    for (int i = 0; i < started; i++) uv_thread_join(&threads[i]);
    uv_sem_destroy(&begin);
    return error;
}

static void wait_for_all(void *begin) {
    uv_sem_wait(begin);
}

static void end_start(void *context) {
    (void)context;
}

static void work(uv_work_t *job) {
    AppWorkers *workers = job->data;
    for (int task; (task = atomic_fetch_add(&workers->next_task, 1)) < workers->task_count;)
        workers->run(workers->context, task, (int)(job - workers->jobs));
}

static void after_work(uv_work_t *job, int status) {
    (void)status;
    AppWorkers *workers = job->data;
    if (--workers->running == 0) workers->after(workers->context);
}
