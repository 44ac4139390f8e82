// A job of the pool takes one task after the other until none is left: no job waits for the slowest batch.
#include "server/workers.h"

static void work(uv_work_t *job);
static void after_work(uv_work_t *job, int status);

void app_workers_init(AppWorkers *workers, uv_loop_t *loop, int count) {
    workers->loop = loop;
    workers->count = count;
    workers->running = 0;
}

void app_workers_run(AppWorkers *workers, SimWorld *world, void (*on_done)(void *context), void *context) {
    workers->world = world;
    workers->task_count = sim_world_task_count(world);
    workers->on_done = on_done;
    workers->context = context;
    atomic_store(&workers->next_task, 0);
    int jobs = workers->task_count < workers->count ? workers->task_count : workers->count;
    if (jobs < 1) jobs = 1; // without a task there is still an end to be told
    workers->running = jobs;
    for (int i = 0; i < jobs; i++) {
        workers->jobs[i].data = workers;
        uv_queue_work(workers->loop, &workers->jobs[i], work, after_work); // fails only without a function
    }
}

static void work(uv_work_t *job) {
    AppWorkers *workers = job->data;
    for (int task; (task = atomic_fetch_add(&workers->next_task, 1)) < workers->task_count;)
        sim_world_run_task(workers->world, task);
}

static void after_work(uv_work_t *job, int status) {
    (void)status;
    AppWorkers *workers = job->data;
    if (--workers->running == 0) workers->on_done(workers->context);
}
