// A job takes one task after the other until none is left: none waits for the slowest.
#include "base/workers.h"

static void work(uv_work_t *job);
static void after_work(uv_work_t *job, int status);

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
