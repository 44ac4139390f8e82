// Reloads scripts: from a change of a file to the commit.
#include "reload/reload.h"

#include "characters/fabrics.h"
#include "reload/reloadables.h"
#include "rpc/requests.h"
#include "session/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool on_changed(void *context, const char *path);
static void on_debounced(void *context);
static void load_dirty(AppReload *reload);
static void load_again(AppReload *reload, AppReloadable *item);
static void move_names(AppScriptNames *from, AppScriptNames *to);
static void fail_to_load(AppReload *reload, AppReloadable *item, const char *reason);
static void on_loaded(void *context, AppLoad *load);
static bool commit(AppReload *reload, AppLoad *load, ScriptError *out_error);
static bool commit_fabrics(AppReload *reload, AppLoad *load, ScriptError *out_error);
static void on_fabric_loaded(void *context, const ScriptFabric *fabric, const ScriptFabric *before);
static bool commit_character(AppReload *reload, AppLoad *load, ScriptError *out_error);
static void report_change(AppReload *reload, const ScriptCharacter *script);
static bool commit_scene(AppReload *reload, AppLoad *load, ScriptError *out_error);
static bool is_same_environment(const SimEnvironment *a, const SimEnvironment *b);
static void spawn_new(AppReload *reload, const ScriptSceneInfo *before, const ScriptSceneInfo *now);
static void report_loaded(AppReload *reload, const AppLoad *load, const char *script);
static void report_failure(AppReload *reload, AppReloadable *item, const AppLoad *load, ScriptError *error);
static void cancel_request(void *context, AppRequest *request);
static void drop_request(AppReload *reload);
static void complete_request(AppReload *reload);

bool app_reload_init(AppReload *reload, uv_loop_t *loop) {
    ScriptHost *host = reload->characters->host;
    if (app_file_watch_init(&reload->watch, loop, on_changed, on_debounced, reload) != 0 ||
        app_load_queue_init(&reload->loads, loop, host, reload->ticks, on_loaded, reload) != 0 ||
        !app_reloadables_update(reload, false))
        return false;
    script_host_report_changed(host, on_changed, reload);
    load_dirty(reload);
    return true;
}

void app_reload_finish(AppReload *reload) {
    drop_request(reload);
    app_load_queue_finish(&reload->loads);
    app_reloadables_finish(reload);
    app_file_watch_finish(&reload->watch);
    *reload = (AppReload){0};
}

void app_reload_commit(AppReload *reload) {
    AppLoad *load = reload->loads.first;
    while (load && !(load->purpose == APP_RELOAD && load->state == APP_LOAD_DONE)) load = load->next;
    if (!load) return;
    AppReloadable *item = app_reloadables_find(reload, load->kind, load->file);
    ScriptError error = {0};
    const AppRequest *last = reload->rpc->of_scripts.last;
    if (load->job) script_reload_report_log(load->job, reload->characters->host);
    const bool committed = !app_load_has_failed(load, &error) && commit(reload, load, &error);
    if (!committed) app_script_requests_drop_after(reload->rpc, last);
    if (load->job) app_reloadable_set_failed_files(item, committed ? NULL : load);
    if (committed)
        script_error_finish(&item->failure);
    else
        report_failure(reload, item, load, &error);
    app_load_queue_remove(&reload->loads, load);
    app_reloadables_update(reload, true);
    if (reload->ticks->phase != APP_TICK_BEGINS) reload->rpc->scripts_ran(reload->rpc->context);
    load_dirty(reload);
}

bool app_reload_request(AppReload *reload, AppCall *call, const char *script) {
    if (!app_reloadables_request(reload, script)) return false;
    reload->request = app_call_defer(call, cancel_request, reload);
    reload->json = (AppJson){0};
    reload->reloaded = app_json_root_list(&reload->json);
    app_file_watch_stop_debouncing(&reload->watch); // a client asks once its files are complete
    load_dirty(reload);
    return true;
}

void app_reload_all(AppReload *reload) {
    app_reloadables_note_all(reload);
    app_file_watch_stop_debouncing(&reload->watch);
    load_dirty(reload);
}

// Changes and loads
// -----------------------------------------------------------------------------------------------------------

static bool on_changed(void *context, const char *path) {
    AppReload *reload = context;
    if (reload->ticks->stopping) return false;
    app_load_queue_note_change(&reload->loads, path);
    return app_reloadables_note_change(reload, path);
}

static void on_debounced(void *context) {
    load_dirty(context);
}

// An item that is being loaded stays dirty, and is loaded again after that load is committed.
static void load_dirty(AppReload *reload) {
    if (reload->ticks->stopping || app_file_watch_is_debouncing(&reload->watch)) return;
    for (size_t i = 0; i < reload->count; i++)
        if (reload->items[i].dirty) load_again(reload, &reload->items[i]);
    complete_request(reload);
}

static void load_again(AppReload *reload, AppReloadable *item) {
    AppLoad *load = app_load_queue_find(&reload->loads, APP_RELOAD, item->kind, item->file);
    if (load && load->state != APP_LOAD_WAITS) return;
    if (app_reloadable_leads_out(reload, item)) {
        fail_to_load(reload, item,
                     "expected a file below the folders of scripts, found a link that leads out");
        return;
    }
    if (!load) load = app_load_queue_add(&reload->loads, APP_RELOAD, item->kind, item->script, item->file);
    if (!load) {
        fail_to_load(reload, item, "out of memory");
        return;
    }
    load->requested |= item->requested;
    if (item->kind == SCRIPT_FABRIC) move_names(&reload->changed_fabrics, &load->changed);
    item->dirty = item->requested = false;
}

static void move_names(AppScriptNames *from, AppScriptNames *to) {
    for (size_t i = 0; i < from->count; i++) app_script_names_add(to, from->names[i]);
    app_script_names_finish(from);
}

// Before a load begins.
static void fail_to_load(AppReload *reload, AppReloadable *item, const char *reason) {
    char message[SCRIPT_REQUEST_MESSAGE_SIZE];
    snprintf(message, sizeof message, "%s%s%s", item->file ? item->file : "", item->file ? ": " : "", reason);
    const AppLoad failed = {.kind = item->kind, .requested = item->requested};
    ScriptError error = {.message = strdup(message)};
    item->dirty = false;
    report_failure(reload, item, &failed, &error);
    item->requested = false;
}

// Files that are watched only from now on, or were unknown while the load ran, may have changed meanwhile.
static void on_loaded(void *context, AppLoad *load) {
    AppReload *reload = context;
    int count = 0;
    const char *const *files = load->job ? script_reload_files(load->job, &count) : NULL;
    for (int i = 0; i < count; i++) app_reload_watch(reload, files[i]);
    if (load->job && script_reload_is_stale(load->job)) {
        if (load->purpose == APP_FIRST_LOAD) {
            app_load_queue_restart(&reload->loads, load);
            return;
        }
        app_reloadables_find(reload, load->kind, load->file)->dirty = true; // loaded again after the commit
    }
    reload->loaded(reload->context);
}

// Committing
// ----------------------------------------------------------------------------------------------------------

static bool commit(AppReload *reload, AppLoad *load, ScriptError *out_error) {
    switch (load->kind) {
    case SCRIPT_CHARACTER:
        return commit_character(reload, load, out_error);
    case SCRIPT_SCENE:
        return commit_scene(reload, load, out_error);
    default:
        return commit_fabrics(reload, load, out_error);
    }
}

// What on_fabric_loaded needs.
typedef struct FabricCommit {
    AppReload *reload;
    const AppLoad *load;
} FabricCommit;

static bool commit_fabrics(AppReload *reload, AppLoad *load, ScriptError *out_error) {
    FabricCommit context = {reload, load};
    return script_reload_commit_fabrics(load->job, reload->characters->host,
                                        (const char *const *)load->changed.names, (int)load->changed.count,
                                        on_fabric_loaded, &context, out_error);
}

static void on_fabric_loaded(void *context, const ScriptFabric *fabric, const ScriptFabric *before) {
    const FabricCommit *commit_of = context;
    AppReload *reload = commit_of->reload;
    const AppOverride values = app_fabrics_difference(&fabric->values, before ? &before->values : NULL);
    const bool looks_new = !before || !sim_materials_are_equal(&fabric->material, &before->material);
    report_loaded(reload, commit_of->load, fabric->script);
    if (!before) app_reloadables_retry_failed(reload);
    if (values.fields || looks_new) app_fabrics_spread(reload->characters, fabric->name);
    if (values.fields) app_event_fabric(reload->sessions, fabric->name, &values);
}

static bool commit_character(AppReload *reload, AppLoad *load, ScriptError *out_error) {
    AppCharacters *characters = reload->characters;
    ScriptCharacter *old =
        script_character_loaded(characters->host, load->file); // NULL: its loads have failed until now
    ScriptCharacter *fresh = script_reload_move_character(load->job, characters->host);
    if (!fresh) {
        out_error->message = strdup("out of memory");
        return false;
    }
    if (!(old ? app_characters_replace(characters, old, fresh, out_error)
              : script_character_accept(fresh, out_error)))
        return false;
    report_loaded(reload, load, load->script);
    report_change(reload, fresh);
    return true;
}

// Where a tick is about to begin, its end reports the change.
static void report_change(AppReload *reload, const ScriptCharacter *script) {
    AppCharacters *characters = reload->characters;
    app_views_drop_rigs(&reload->streams->views, characters->world);
    for (size_t slot = 0; slot < characters->count; slot++) {
        AppCharacter *character = characters->items[slot];
        if (character->script != script) continue;
        character->revision_tick = app_ticks_effective(reload->ticks);
        if (reload->ticks->phase == APP_TICK_BEGINS) continue;
        app_streams_mark_static(reload->streams, slot);
        app_event_changed(reload->sessions, character);
    }
    if (reload->ticks->phase != APP_TICK_BEGINS) app_streams_offer(reload->streams);
}

// Applies changes of the environment, and spawns new characters. on_start is called again, so that it can
// listen to events.
static bool commit_scene(AppReload *reload, AppLoad *load, ScriptError *out_error) {
    AppCharacters *characters = reload->characters;
    const AppReloadable *item = app_reloadables_find(reload, SCRIPT_SCENE, load->file);
    ScriptScene **place = app_reloadable_scene(reload, item);
    ScriptScene *fresh = place ? script_reload_move_scene(load->job, characters->host) : NULL;
    if (!fresh) {
        out_error->message =
            strdup(place ? "out of memory" : "the scene's file became a character's: restart the server");
        return false;
    }
    characters->reloading = true;
    const bool started = script_scene_start(fresh, out_error);
    characters->reloading = false;
    app_characters_end_provisional(characters, started);
    if (!started) {
        script_scene_destroy(fresh);
        return false;
    }
    script_scene_accept(fresh);
    const ScriptSceneInfo *before = script_scene_info(*place), *now = script_scene_info(fresh);
    if (place == characters->scenes && !is_same_environment(&before->environment, &now->environment)) {
        sim_world_set_environment(characters->world, &now->environment);
        reload->sessions->scripts_changed_world = true;
    }
    report_loaded(reload, load, load->script);
    spawn_new(reload, before, now);
    script_scene_destroy(*place);
    *place = fresh;
    return true;
}

static bool is_same_environment(const SimEnvironment *a, const SimEnvironment *b) {
    return memcmp(a->gravity_world, b->gravity_world, sizeof a->gravity_world) == 0 &&
           memcmp(a->wind.velocity_world, b->wind.velocity_world, sizeof a->wind.velocity_world) == 0 &&
           a->wind.turbulence == b->wind.turbulence && a->wind.gust == b->wind.gust &&
           a->has_ground == b->has_ground && a->ground == b->ground;
}

static void spawn_new(AppReload *reload, const ScriptSceneInfo *before, const ScriptSceneInfo *now) {
    for (int i = 0; i < now->spawn_count; i++) {
        bool known = app_characters_find(reload->characters, now->spawns[i].name) != NULL;
        for (int j = 0; j < before->spawn_count; j++)
            known |= strcmp(before->spawns[j].name, now->spawns[i].name) == 0;
        char name[TEXT_NAME_BYTES + 1], message[SCRIPT_REQUEST_MESSAGE_SIZE];
        if (!known &&
            !app_characters_request_script_spawn(reload->characters, &now->spawns[i], name, message))
            app_event_log(reload->sessions, TEXT_LOG_WARNING, message);
    }
}

// Outcomes
// ---------------------------------------------------------------------------------------------------------

static void report_loaded(AppReload *reload, const AppLoad *load, const char *script) {
    app_event_script_loaded(reload->sessions, script);
    if (reload->request && load->requested) app_json_string(&reload->json, reload->reloaded, NULL, script);
}

// Takes error over. The next load includes the changed fabrics of a failed one.
static void report_failure(AppReload *reload, AppReloadable *item, const AppLoad *load, ScriptError *error) {
    for (size_t i = 0; i < load->changed.count; i++)
        app_script_names_add(&reload->changed_fabrics, load->changed.names[i]);
    app_reloadable_set_failed_script(item, load);
    app_event_script_failed(reload->sessions, item->failed_script ? item->failed_script : item->script,
                            error);
    if (load->requested && reload->request && !reload->error.message)
        script_error_copy(&reload->error, error);
    script_error_finish(&item->failure);
    item->failure = *error;
}

// The connection has ended. Its scripts are still loaded.
static void cancel_request(void *context, AppRequest *request) {
    (void)request;
    drop_request(context);
}

static void drop_request(AppReload *reload) {
    reload->request = NULL;
    cJSON_Delete(reload->reloaded);
    reload->reloaded = NULL;
    script_error_finish(&reload->error);
    for (size_t i = 0; i < reload->count; i++) reload->items[i].requested = false;
    for (AppLoad *load = reload->loads.first; load; load = load->next) load->requested = false;
}

// Completes the script.reload once every script that it requested is committed or has failed.
static void complete_request(AppReload *reload) {
    AppRequest *request = reload->request;
    bool waits = !request;
    for (size_t i = 0; i < reload->count; i++) waits |= reload->items[i].requested;
    for (const AppLoad *load = reload->loads.first; load; load = load->next) waits |= load->requested;
    if (waits) return;
    AppCall call = app_call(request);
    call.json = reload->json;
    if (reload->error.message) {
        const bool is_named = protocol_param_given(call.params, "script");
        app_call_fail_script(&call, PROTOCOL_SCRIPT_ERROR, is_named ? "params.script" : "method",
                             &reload->error);
    } else {
        call.result = app_json_root_object(&call.json);
        app_json_item(&call.json, call.result, "scripts", reload->reloaded);
        reload->reloaded = NULL;
    }
    drop_request(reload);
    app_request_complete(request, &call);
}
