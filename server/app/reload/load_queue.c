// The queue and its thread.
#include "reload/load_queue.h"

#include "base/file_watch.h"

#include <stdlib.h>
#include <string.h>
#include <text/array.h>

static void on_wake(uv_async_t *handle);
static AppLoad *next_to_run(const AppLoadQueue *queue);
static bool begin(AppLoadQueue *queue, AppLoad *load);
static void run(void *context);
static void finish_running(AppLoadQueue *queue);
static bool is_read_from(const AppLoad *load, const char *path);
static void wake(AppLoadQueue *queue);
static void destroy(AppLoad *load);

int app_load_queue_init(AppLoadQueue *queue, uv_loop_t *loop, const ScriptHost *host, const AppTicks *ticks,
                        void (*done)(void *context, AppLoad *load), void *context) {
    queue->host = host;
    queue->ticks = ticks;
    queue->done = done;
    queue->context = context;
    queue->wake.data = queue;
    return uv_async_init(loop, &queue->wake, on_wake);
}

void app_load_queue_stop(AppLoadQueue *queue) {
    atomic_store(&queue->cancelled, true);
    if (queue->running) uv_thread_join(&queue->thread);
    queue->running = NULL;
}

void app_load_queue_finish(AppLoadQueue *queue) {
    for (AppLoad *load; (load = queue->first);) {
        queue->first = load->next;
        destroy(load);
    }
}

AppLoad *app_load_queue_add(AppLoadQueue *queue, AppLoadPurpose purpose, ScriptKind kind, const char *script,
                            const char *file) {
    AppLoad *load = calloc(1, sizeof *load);
    if (!load) return NULL;
    *load = (AppLoad){.purpose = purpose, .kind = kind, .script = strdup(script)};
    if (file) load->file = strdup(file);
    if (!load->script || (file && !load->file)) {
        destroy(load);
        return NULL;
    }
    AppLoad **end = &queue->first;
    while (*end) end = &(*end)->next;
    *end = load;
    wake(queue);
    return load;
}

void app_load_queue_remove(AppLoadQueue *queue, AppLoad *load) {
    AppLoad **place = &queue->first;
    while (*place != load) place = &(*place)->next;
    *place = load->next;
    destroy(load);
    wake(queue);
}

AppLoad *app_load_queue_find(const AppLoadQueue *queue, AppLoadPurpose purpose, ScriptKind kind,
                             const char *file) {
    AppLoad *load = queue->first;
    while (load &&
           !(load->purpose == purpose && load->kind == kind && (!file || strcmp(load->file, file) == 0)))
        load = load->next;
    return load;
}

bool app_load_queue_has_first_loads(const AppLoadQueue *queue) {
    const AppLoad *load = queue->first;
    while (load && !(load->purpose == APP_FIRST_LOAD && load->state != APP_LOAD_DONE)) load = load->next;
    return load != NULL;
}

void app_load_queue_restart(AppLoadQueue *queue, AppLoad *load) {
    script_reload_destroy(load->job);
    load->job = NULL;
    load->state = APP_LOAD_WAITS;
    wake(queue);
}

void app_load_queue_note_change(AppLoadQueue *queue, const char *path) {
    for (AppLoad *load = queue->first; load; load = load->next) {
        const bool is_done = load->purpose == APP_FIRST_LOAD && load->state == APP_LOAD_DONE && load->job;
        if (is_done && is_read_from(load, path)) app_load_queue_restart(queue, load);
    }
}

void app_script_names_add(AppScriptNames *names, const char *name) {
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->names[i], name) == 0) return;
    char *copy = TEXT_ARRAY_EXTEND(names->names, names->count) ? strdup(name) : NULL;
    if (copy) names->names[names->count++] = copy;
}

void app_script_names_finish(AppScriptNames *names) {
    for (size_t i = 0; i < names->count; i++) free(names->names[i]);
    free(names->names);
    *names = (AppScriptNames){0};
}

bool app_load_has_failed(const AppLoad *load, ScriptError *out_error) {
    if (load->job && script_reload_succeeded(load->job)) return false;
    if (load->job)
        script_reload_error(load->job, out_error);
    else
        out_error->message = strdup("cannot load it: no thread or out of memory");
    return true;
}

static void on_wake(uv_async_t *handle) {
    AppLoadQueue *queue = handle->data;
    if (queue->ticks->stopping) return;
    if (queue->running && atomic_load(&queue->finished)) finish_running(queue);
    AppLoad *load;
    while (!queue->ticks->stopping && !queue->running && (load = next_to_run(queue))) {
        if (begin(queue, load)) continue;
        load->state = APP_LOAD_DONE;
        queue->done(queue->context, load);
    }
}

// A reload waits until the one ahead of it is committed and removed, since it may need what that one brings.
static AppLoad *next_to_run(const AppLoadQueue *queue) {
    bool has_reload = false;
    AppLoad *load = queue->first;
    for (; load; load = load->next) {
        const bool is_reload = load->purpose == APP_RELOAD;
        if (load->state == APP_LOAD_WAITS && !(is_reload && has_reload)) break;
        has_reload |= is_reload;
    }
    return load;
}

static bool begin(AppLoadQueue *queue, AppLoad *load) {
    load->job = script_reload_create(queue->host, load->kind, load->file);
    if (!load->job) return false;
    load->state = APP_LOAD_RUNS;
    queue->running = load;
    atomic_store(&queue->finished, false);
    if (uv_thread_create(&queue->thread, run, queue) == 0) return true;
    queue->running = NULL;
    script_reload_destroy(load->job);
    load->job = NULL;
    return false;
}

static void run(void *context) {
    AppLoadQueue *queue = context;
    script_reload_run(queue->running->job);
    atomic_store(&queue->finished, true);
    uv_async_send(&queue->wake);
}

static void finish_running(AppLoadQueue *queue) {
    AppLoad *load = queue->running;
    uv_thread_join(&queue->thread);
    queue->running = NULL;
    load->state = APP_LOAD_DONE;
    queue->done(queue->context, load);
}

static bool is_read_from(const AppLoad *load, const char *path) {
    int count;
    const char *const *files = script_reload_files(load->job, &count);
    bool found = app_file_watch_is_within(load->file, path);
    for (int i = 0; i < count && !found; i++) found = app_file_watch_is_within(files[i], path);
    return found;
}

static void wake(AppLoadQueue *queue) {
    if (!queue->ticks->stopping) uv_async_send(&queue->wake);
}

static void destroy(AppLoad *load) {
    script_reload_destroy(load->job);
    app_script_names_finish(&load->changed);
    free(load->script);
    free(load->file);
    free(load);
}
