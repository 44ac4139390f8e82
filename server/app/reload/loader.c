// A thread for each job: they are rare.
#include "reload/loader.h"

#include "server/app.h"

static void run(void *context);
static void on_wake(uv_async_t *handle);

int app_loader_init(App *app) {
    app->loader.wake.data = app;
    return uv_async_init(&app->loop, &app->loader.wake, on_wake);
}

void app_loader_stop(App *app) {
    if (app->loader.job) uv_thread_join(&app->loader.thread);
    app->loader.job = NULL;
}

bool app_loader_is_busy(const App *app) {
    return app->loader.job != NULL;
}

bool app_loader_run(App *app, ScriptReload *job, void (*loaded)(App *app)) {
    AppLoader *loader = &app->loader;
    loader->job = job;
    loader->loaded = loaded;
    atomic_store(&loader->done, false);
    if (uv_thread_create(&loader->thread, run, app) == 0) return true;
    loader->job = NULL;
    app_loader_poke(app);
    return false;
}

void app_loader_next(App *app) {
    if (app->stopping) return;
    app->loader.first_is_next = !app->loader.first_is_next;
    if (app->loader.first_is_next) app_first_loads_run(app);
    app_reload_load(app);
    app_first_loads_run(app);
}

void app_loader_poke(App *app) {
    if (!app->stopping) uv_async_send(&app->loader.wake);
}

static void run(void *context) {
    App *app = context;
    script_reload_run(app->loader.job);
    atomic_store(&app->loader.done, true);
    uv_async_send(&app->loader.wake);
}

static void on_wake(uv_async_t *handle) {
    App *app = handle->data;
    AppLoader *loader = &app->loader;
    if (loader->job && atomic_load(&loader->done)) {
        uv_thread_join(&loader->thread);
        loader->job = NULL;
        loader->loaded(app);
    }
    app_loader_next(app);
}
