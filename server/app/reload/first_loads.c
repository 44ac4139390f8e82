// In the order in which they were wanted, which is that of the loader.
#include "reload/first_loads.h"

#include "reload/reload_units.h"
#include "server/app.h"
#include "server/simulation.h"
#include "session/events.h"

#include <stdlib.h>
#include <string.h>

static void on_loaded(App *app);
static bool is_read(const AppFirstLoad *load, const char *path);
static void start_again(App *app, AppFirstLoad *load);
static void destroy(AppFirstLoad *load);

void app_first_loads_finish(App *app) {
    while (app->first_loads) app_first_load_end(app, app->first_loads);
}

void app_first_loads_want(App *app, AppWish *wish) {
    AppFirstLoad **end = &app->first_loads;
    while (*end && strcmp((*end)->file, wish->file) != 0) end = &(*end)->next;
    wish->loading = *end != NULL;
    if (wish->loading) return;
    AppFirstLoad *load = calloc(1, sizeof *load);
    if (load) load->script = strdup(wish->script);
    if (load) load->file = strdup(wish->file);
    if (!load || !load->script || !load->file) { // the next tick tries again
        if (load) destroy(load);
        return;
    }
    wish->loading = true;
    *end = load;
    app_units_watch(app, load->file);
    app_loader_poke(app);
}

void app_first_loads_run(App *app) {
    AppFirstLoad *load = app->first_loads;
    while (load && (load->job || load->ready)) load = load->next;
    if (!load || app_loader_is_busy(app)) return;
    load->job = script_reload_create(app->characters.host, SCRIPT_CHARACTER, load->file);
    if (load->job && app_loader_run(app, load->job, on_loaded)) return;
    script_reload_destroy(load->job);
    load->job = NULL;
    load->ready = true; // which tells that it could not begin
    app_step_continue(app);
}

bool app_first_loads_any(const App *app) {
    const AppFirstLoad *load = app->first_loads;
    while (load && load->ready) load = load->next;
    return load != NULL;
}

static void on_loaded(App *app) {
    AppFirstLoad *load = app->first_loads;
    while (!load->job || load->ready) load = load->next;
    int count;
    const char *const *files = script_reload_files(load->job, &count);
    for (int i = 0; i < count; i++) app_units_watch(app, files[i]);
    if (load->stale) {
        start_again(app, load);
        return;
    }
    load->ready = true;
    if (app_is_paused(app) && !app->in_flight && !app->stopping) {
        app_spawns_settle(app); // else with the next tick
        app_requests_serve(app);
    }
    app_step_continue(app);
}

void app_first_loads_note_change(App *app, const char *path) {
    for (AppFirstLoad *load = app->first_loads; load; load = load->next) {
        if (!load->job || !is_read(load, path)) continue;
        if (load->ready)
            start_again(app, load);
        else
            load->stale = true;
    }
}

// While it is loaded only the file itself is known.
static bool is_read(const AppFirstLoad *load, const char *path) {
    int count = 0;
    const char *const *files = load->ready ? script_reload_files(load->job, &count) : NULL;
    bool found = app_file_watch_is_within(load->file, path);
    for (int i = 0; i < count && !found; i++) found = app_file_watch_is_within(files[i], path);
    return found;
}

static void start_again(App *app, AppFirstLoad *load) {
    script_reload_destroy(load->job);
    load->job = NULL;
    load->ready = load->stale = false;
    app_loader_poke(app);
}

AppFirstLoad *app_first_load_due(const App *app) {
    AppFirstLoad *load = app->first_loads;
    while (load && !(load->ready && (app->beginning || app_characters_has_wish(&app->characters, load->file,
                                                                               APP_WISHES_OF_REQUESTS))))
        load = load->next;
    return load;
}

bool app_first_load_take(App *app, AppFirstLoad *load, ScriptError *out_error) {
    ScriptHost *host = app->characters.host;
    if (!load->job) {
        out_error->message = strdup("there is no thread or no memory to be had for loading it");
        return false;
    }
    const bool whole = script_reload_succeeded(load->job);
    script_reload_report_log(load->job, host);
    if (!whole) {
        script_reload_error(load->job, out_error);
        return false;
    }
    if (script_character_loaded(host, load->file)) return true; // anew, after it had failed
    AppUnit *failed = app_units_failed(app, load->file);
    ScriptCharacter *fresh = script_reload_move_character(load->job, host);
    if (!fresh) out_error->message = strdup("out of memory");
    if (!fresh || !script_character_accept(fresh, out_error)) return false;
    if (failed)
        app_unit_note_loaded(app, failed);
    else
        app_units_update(app, app_event_script_loaded);
    return true;
}

void app_first_load_end(App *app, AppFirstLoad *load) {
    AppFirstLoad **place = &app->first_loads;
    while (*place != load) place = &(*place)->next;
    *place = load->next;
    destroy(load);
}

static void destroy(AppFirstLoad *load) {
    script_reload_destroy(load->job);
    free(load->script);
    free(load->file);
    free(load);
}
