// A tick that runs each task on its own thread, all at once.
#pragma once

#include "sim_fixture.h"

#include <pthread.h>

typedef struct Worker {
    pthread_t thread;
    SimWorld *world;
    int task;
} Worker;

static inline void *work(void *data) {
    Worker *worker = data;
    sim_world_run_task(worker->world, worker->task);
    return NULL;
}

static inline void on_threads(SimWorld *world) {
    Worker workers[8];
    sim_world_begin_tick(world);
    int count = sim_world_task_count(world);
    assert_true(count <= 8);
    for (int i = 0; i < count; i++) {
        workers[i] = (Worker){.world = world, .task = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < count; i++) pthread_join(workers[i].thread, NULL);
    sim_world_end_tick(world);
}
