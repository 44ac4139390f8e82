// Units, and their way from a change to the swap.
#include "reload/reload.h"

#include "reload/reload_units.h"
#include "server/app.h"
#include "session/events.h"
#include "stream/streams.h"

#include <stdlib.h>
#include <string.h>

#define SETTLE_MS         60
#define SETTLE_LONGEST_MS 1000

static void on_changed(void *context, const char *path);
static void on_settled(uv_timer_t *timer);
static void on_loaded(App *app);
static bool swap(App *app, AppUnit *unit, ScriptError *out_error);
static bool swap_character(App *app, AppUnit *unit, ScriptError *out_error);
static bool swap_scene(App *app, AppUnit *unit, ScriptError *out_error);
static void spawn_new(App *app, const ScriptSceneInfo *before, const ScriptSceneInfo *now);
static void on_fabric_loaded(void *context, const ScriptFabric *fabric, const SimFabric *before);
static void show_change(App *app, const ScriptCharacter *script);
static void tell(App *app, AppUnit *unit, bool swapped, ScriptError *error);
static void note_loaded(App *app, const char *script);
static void answer(App *app);

bool app_reload_init(App *app) {
    AppReload *reload = &app->reload;
    app_file_watch_init(&reload->watch, &app->loop, on_changed, app);
    if (uv_timer_init(&app->loop, &reload->settling) != 0) return false;
    reload->settling.data = app;
    return app_units_update(app, NULL);
}

void app_reload_finish(App *app) {
    AppReload *reload = &app->reload;
    script_reload_destroy(reload->job);
    cJSON_Delete(reload->answer);
    script_error_finish(&reload->error);
    app_units_finish(reload);
    app_file_watch_finish(&reload->watch);
    *reload = (AppReload){0};
}

void app_reload_follow(App *app) {
    app_units_update(app, app_event_script_loaded);
}

// Changes
// -----------------------------------------------------------------------------------------------------------

static void on_changed(void *context, const char *path) {
    App *app = context;
    AppReload *reload = &app->reload;
    if (!app->stopping) app_first_loads_note_change(app, path);
    if (app->stopping || !app_units_note_change(app, path)) return;
    const uint64_t now = uv_now(&app->loop);
    if (!uv_is_active((uv_handle_t *)&reload->settling)) reload->settling_since_ms = now;
    if (now - reload->settling_since_ms < SETTLE_LONGEST_MS)
        uv_timer_start(&reload->settling, on_settled, SETTLE_MS, 0);
}

static void on_settled(uv_timer_t *timer) {
    app_loader_next(timer->data);
}

// Loading
// -----------------------------------------------------------------------------------------------------------

void app_reload_load(App *app) {
    AppReload *reload = &app->reload;
    if (reload->job || app->stopping || uv_is_active((uv_handle_t *)&reload->settling)) return;
    size_t next = 0;
    while (next < reload->count && !reload->units[next].due) next++;
    if (next == reload->count) {
        answer(app);
        return;
    }
    if (app_loader_is_busy(app)) return;
    AppUnit *unit = &reload->units[next];
    unit->due = false;
    reload->unit = next;
    reload->ready = false;
    reload->job = script_reload_create(app->characters.host, unit->kind, unit->file);
    if (reload->job && app_loader_run(app, reload->job, on_loaded)) return;
    script_reload_destroy(reload->job);
    reload->job = NULL;
    ScriptError error = {.message = strdup("there is no thread or no memory to be had for loading it")};
    tell(app, unit, false, &error);
}

static void on_loaded(App *app) {
    app->reload.ready = true;
    if (app_is_paused(app) && !app->in_flight) app_reload_apply(app); // else with the next tick
}

void app_reload_apply(App *app) {
    AppReload *reload = &app->reload;
    if (!reload->job || !reload->ready || app->stopping) return;
    AppUnit *unit = &reload->units[reload->unit];
    ScriptError error = {0};
    const bool whole = script_reload_succeeded(reload->job);
    script_reload_report_log(reload->job, app->characters.host);
    if (!whole) script_reload_error(reload->job, &error);
    const AppErrand *last = app->errands.last;
    const bool swapped = whole && swap(app, unit, &error);
    if (!swapped) app_errands_drop_after(&app->errands, last);
    app_unit_set_tried(unit, swapped ? NULL : reload->job);
    tell(app, unit, swapped, &error);
    script_reload_destroy(reload->job);
    reload->job = NULL;
    app_units_update(app, app_event_script_loaded);
    if (!app->beginning) app_follow_scripts(app);
    app_loader_next(app);
}

// Swapping
// ----------------------------------------------------------------------------------------------------------

static bool swap(App *app, AppUnit *unit, ScriptError *out_error) {
    if (unit->kind == SCRIPT_CHARACTER) return swap_character(app, unit, out_error);
    if (unit->kind == SCRIPT_SCENE) return swap_scene(app, unit, out_error);
    const bool swapped = script_reload_commit_fabrics(
        app->reload.job, app->characters.host, (const char *const *)app->reload.fabrics,
        (int)app->reload.fabric_count, on_fabric_loaded, app, out_error);
    app_units_forget_fabrics(&app->reload);
    return swapped;
}

static bool swap_character(App *app, AppUnit *unit, ScriptError *out_error) {
    ScriptCharacter *old = app_unit_character(app, unit); // NULL: it has failed until now
    ScriptCharacter *fresh = script_reload_move_character(app->reload.job, app->characters.host);
    if (!fresh) {
        out_error->message = strdup("out of memory");
        return false;
    }
    if (!(old ? app_characters_replace(&app->characters, old, fresh, out_error)
              : script_character_accept(fresh, out_error)))
        return false;
    note_loaded(app, unit->script);
    show_change(app, fresh);
    return true;
}

// With the tick that is about to begin or, while none is, now.
static void show_change(App *app, const ScriptCharacter *script) {
    app_views_drop_rigs(&app->views, app->characters.world);
    for (size_t slot = 0; slot < app->characters.count; slot++) {
        AppCharacter *character = app->characters.items[slot];
        if (character->script != script) continue;
        character->revision_tick = app_effect_tick(app);
        if (app->beginning) continue; // told at its end
        app_streams_mark_static(app, slot);
        app_event_changed(app, character);
    }
}

// What the file says otherwise than before about the world becomes so; who is new comes in. on_start is
// called again, for what it listens to.
static bool swap_scene(App *app, AppUnit *unit, ScriptError *out_error) {
    ScriptScene **place = app_unit_scene(app, unit);
    ScriptScene *fresh = place ? script_reload_move_scene(app->reload.job, app->characters.host) : NULL;
    if (!fresh) {
        out_error->message = strdup("out of memory");
        return false;
    }
    app->characters.reloading = true;
    const bool started = script_scene_start(fresh, out_error);
    app->characters.reloading = false;
    app_characters_end_trial(&app->characters, started);
    if (!started) {
        script_scene_destroy(fresh);
        return false;
    }
    script_scene_accept(fresh);
    const ScriptSceneInfo *before = script_scene_info(*place), *now = script_scene_info(fresh);
    if (place == app->characters.scenes &&
        !app_units_same_environment(&before->environment, &now->environment)) {
        sim_world_set_environment(app->characters.world, &now->environment);
        app->scripts_changed_world = true;
    }
    note_loaded(app, unit->script);
    spawn_new(app, before, now);
    script_scene_destroy(*place);
    *place = fresh;
    return true;
}

static void spawn_new(App *app, const ScriptSceneInfo *before, const ScriptSceneInfo *now) {
    for (int i = 0; i < now->spawn_count; i++) {
        bool known = app_characters_find(&app->characters, now->spawns[i].name) != NULL;
        for (int j = 0; j < before->spawn_count; j++)
            known |= strcmp(before->spawns[j].name, now->spawns[i].name) == 0;
        char name[TEXT_NAME_BYTES + 1], message[SCRIPT_REQUEST_MESSAGE_SIZE];
        if (!known && !app_characters_wish_of_script(&app->characters, &now->spawns[i], name, message))
            app_event_log(app, TEXT_LOG_WARNING, message);
    }
}

static void on_fabric_loaded(void *context, const ScriptFabric *fabric, const SimFabric *before) {
    App *app = context;
    const AppOverride values = app_fabrics_difference(&fabric->values, before);
    note_loaded(app, fabric->script);
    if (!before) app_units_retry(&app->reload);
    if (!values.fields) return;
    app_fabrics_spread(&app->characters, fabric->name);
    app_event_fabric(app, fabric->name, &values);
}

// Telling
// ---------------------------------------------------------------------------------------------------------

static void note_loaded(App *app, const char *script) {
    AppReload *reload = &app->reload;
    app_event_script_loaded(app, script);
    if (reload->request && reload->units[reload->unit].asked)
        app_json_string(&reload->json, reload->answer, NULL, script);
}

// Takes error over.
static void tell(App *app, AppUnit *unit, bool swapped, ScriptError *error) {
    AppReload *reload = &app->reload;
    script_error_finish(&unit->failure);
    if (!swapped) {
        app_unit_name_failure(app, unit);
        app_event_script_failed(app, unit->failed_script ? unit->failed_script : unit->script, error);
        if (unit->asked && reload->request && !reload->error.message) {
            script_error_copy(&reload->error, error);
        }
        unit->failure = *error;
    }
    unit->asked = false;
}

static void answer(App *app) {
    AppReload *reload = &app->reload;
    AppRequest *request = reload->request;
    if (!request) return;
    reload->request = NULL;
    AppCall call = app_call(request);
    call.json = reload->json;
    if (reload->error.message) {
        cJSON_Delete(reload->answer);
        const bool is_named = protocol_param_given(call.params, "script");
        app_call_fail_script(&call, PROTOCOL_SCRIPT_ERROR, is_named ? "params.script" : "method",
                             &reload->error);
    } else {
        call.result = app_json_root_object(&call.json);
        app_json_item(&call.json, call.result, "scripts", reload->answer);
    }
    reload->answer = NULL;
    app_request_answer(request, &call);
    if (!app->in_flight && !app->beginning) app_requests_serve(app); // what waited for the answer
}

// Requests
// ---------------------------------------------------------------------------------------------------------

bool app_reload_begin(App *app, AppRequest *request, const char *script) {
    AppReload *reload = &app->reload;
    if (!app_units_ask(app, script)) return false;
    reload->request = request;
    script_error_finish(&reload->error);
    reload->json = (AppJson){0};
    reload->answer = app_json_root_list(&reload->json);
    uv_timer_stop(&reload->settling); // whoever asks has finished writing
    app_loader_next(app);
    return true;
}

bool app_reload_is_busy(const App *app) {
    return app->reload.request != NULL;
}

bool app_reload_is_of(const App *app, const AppClient *client) {
    return app->reload.request && app->reload.request->client == client;
}

void app_reload_forget(App *app, const AppClient *client) {
    AppReload *reload = &app->reload;
    if (!app_reload_is_of(app, client)) return;
    AppRequest *request = reload->request;
    reload->request = NULL;
    cJSON_Delete(reload->answer);
    reload->answer = NULL;
    script_error_finish(&reload->error);
    app_request_destroy(request);
}

const AppUnit *app_reload_find(const App *app, const char *script) {
    for (size_t i = 0; i < app->reload.count; i++)
        if (strcmp(app->reload.units[i].script, script) == 0) return &app->reload.units[i];
    return NULL;
}
