// Turns spawn requests into characters, after a first load where the script needs one.
#include "reload/spawn_loading.h"

#include "base/json.h"
#include "reload/reloadables.h"
#include "rpc/requests.h"
#include "session/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define BUSY_SHARE     0.75 // of a tick's time, on the mean of the last
#define BUSY_TICKS     3
#define REPORT_BUSY_NS UINT64_C(5000000000)

static bool has_spawn_of_scripts(const AppCharacters *characters);
static bool is_busy(AppReload *reload);
static bool read_params(AppCall *call, ScriptSpawn *out_wanted);
static void refuse(AppCall *call, AppRefusal refusal, const char *message);
static void cancel(void *context, AppRequest *requester);
static void load_script(AppReload *reload, AppSpawnRequest *spawn);
static AppLoad *next_first_load(const AppReload *reload);
static bool commit(AppReload *reload, AppLoad *load, ScriptError *out_error);
static void fail(AppReload *reload, const AppLoad *load, const ScriptError *error);
static void on_failed(void *context, const AppSpawnRequest *spawn, AppCharacter *character,
                      ScriptError *error);
static bool complete(AppReload *reload, unsigned origins);
static void on_done(void *context, const AppSpawnRequest *spawn, AppCharacter *character, ScriptError *error);
static void answer(AppRequest *requester, const AppCharacter *character, int code, ScriptError *error);
static void remove_spawn_request(AppReload *reload, AppSpawnRequest *spawn);

void app_spawns_remove_character(AppReload *reload, AppCharacter *character) {
    char name[TEXT_NAME_BYTES + 1];
    const size_t slot = character->slot;
    memcpy(name, character->name, sizeof name);
    app_characters_remove(reload->characters, character);
    app_streams_remove_character(reload->streams, slot);
    app_event_removed(reload->sessions, name);
}

void app_spawns_finish(AppReload *reload) {
    for (AppSpawnRequest *spawn = reload->characters->spawn_requests; spawn; spawn = spawn->next)
        app_request_destroy(spawn->requester);
}

void app_handle_character_spawn(AppCall *call) {
    AppReload *reload = call->context;
    AppCharacters *characters = reload->characters;
    const AppSpawnOrigin origin =
        app_call_is_of_script(call) ? APP_SPAWNS_OF_SCRIPT_REQUESTS : APP_SPAWNS_OF_CLIENTS;
    ScriptSpawn wanted;
    AppSpawnRequest *spawn;
    char message[SCRIPT_REQUEST_MESSAGE_SIZE];
    if (protocol_param_given(call->params, "node") && !call->rpc->router.route) {
        app_call_fail_no_cluster(call, "params.node");
        return;
    }
    if (!read_params(call, &wanted)) return;
    const AppRefusal refusal =
        app_characters_request_spawn(characters, &wanted, origin, call->request, &spawn, message);
    script_params_release(wanted.params);
    if (refusal) {
        refuse(call, refusal, message);
        return;
    }
    spawn->loads_only = call->request->loads_only;
    spawn->is_adoption = call->request->is_adoption;
    const AppReloadable *failed =
        app_call_is_of_script(call) ? app_reloadables_find_failed(reload, spawn->file) : NULL;
    if (failed && !app_reloadable_is_loading(reload, failed)) {
        ScriptError error;
        script_error_copy(&error, &failed->failure);
        app_characters_drop_spawn_request(characters, spawn);
        app_call_fail_script(call, PROTOCOL_SCRIPT_ERROR, "params.script", &error);
        return;
    }
    app_call_defer(call, cancel, reload);
    if (script_character_loaded(characters->host, spawn->file))
        complete(reload, origin);
    else
        load_script(reload, spawn);
}

void app_handle_character_remove(AppCall *call) {
    AppReload *reload = call->context;
    const char *name = protocol_param_string(call->params, "character");
    AppCharacter *character = app_characters_find(reload->characters, name);
    AppSpawnRequest *spawn = character ? NULL : app_characters_find_spawn_request(reload->characters, name);
    if (character)
        app_spawns_remove_character(reload, character);
    else if (spawn)
        remove_spawn_request(reload, spawn);
    else
        app_call_character(call); // sets the error
}

bool app_spawns_remove(AppCharacters *characters, const char *name,
                       char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    AppCharacter *character = app_characters_find(characters, name), *entering = characters->entering;
    if (!character && entering && strcmp(entering->name, name) == 0) character = entering;
    AppSpawnRequest *spawn = character ? NULL : app_characters_find_spawn_request(characters, name);
    AppRemoval *removal = character ? &character->removal : spawn ? &spawn->removal : NULL;
    if (removal) {
        if (*removal != APP_REMOVAL_ACCEPTED)
            *removal =
                app_characters_are_provisional(characters) ? APP_REMOVAL_PROVISIONAL : APP_REMOVAL_ACCEPTED;
        characters->any_removal = true;
        return true;
    }
    ProtocolError error;
    app_error_no_character(&error, characters, NULL, name);
    snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE, "%s", error.message);
    return false;
}

// While ticks take nearly all of their time, scripts add one character a second: else what clients see would
// stutter for good.
void app_spawns_create(AppReload *reload) {
    AppCharacters *characters = reload->characters;
    const uint64_t tick = reload->ticks->newest;
    if (!has_spawn_of_scripts(characters)) return;
    if (is_busy(reload)) {
        if (tick < reload->busy_until) return;
        reload->busy_until = tick + (uint64_t)reload->ticks->rate;
        if (characters->spawns_left > 1) characters->spawns_left = 1;
    }
    complete(reload, APP_SPAWNS_OF_SCRIPTS);
}

// A script that has failed is loaded again when one of its files changes, or when a client asks for it. Spawn
// requests of scripts, which may come in every tick, are dropped: the failure was reported.
void app_spawns_update(AppReload *reload) {
    AppCharacters *characters = reload->characters;
    bool more = false; // removals than there may be in a tick
    for (size_t slot = 0; characters->any_removal && !more && slot < characters->count;) {
        if (characters->items[slot]->removal != APP_REMOVAL_ACCEPTED)
            slot++;
        else if (!(more = characters->removals_left-- <= 0))
            app_spawns_remove_character(reload, characters->items[slot]);
    }
    AppSpawnRequest *next;
    for (AppSpawnRequest *spawn = characters->spawn_requests; spawn; spawn = next) {
        next = spawn->next;
        if (spawn->removal == APP_REMOVAL_ACCEPTED) {
            remove_spawn_request(reload, spawn);
        } else if (!spawn->loading && !script_character_loaded(characters->host, spawn->file)) {
            const AppReloadable *failed = app_reloadables_find_failed(reload, spawn->file);
            if (!failed)
                load_script(reload, spawn);
            else if (!app_reloadable_is_loading(reload, failed))
                app_characters_drop_spawn_request(characters, spawn);
        }
    }
    characters->any_removal = more;
}

void app_spawns_commit(AppReload *reload) {
    AppLoad *load;
    while (!reload->ticks->stopping && (load = next_first_load(reload))) {
        ScriptError error = {0};
        if (!commit(reload, load, &error)) fail(reload, load, &error);
        script_error_finish(&error);
        app_load_queue_remove(&reload->loads, load);
    }
    if (reload->ticks->stopping) return;
    if (reload->ticks->phase == APP_TICK_BEGINS)
        complete(reload, APP_SPAWNS_OF_CLIENTS | APP_SPAWNS_OF_SCRIPT_REQUESTS);
    else if (complete(reload, APP_SPAWNS_OF_CLIENTS))
        reload->rpc->scripts_ran(reload->rpc->context);
}

static bool has_spawn_of_scripts(const AppCharacters *characters) {
    const AppSpawnRequest *spawn = characters->spawn_requests;
    while (spawn && spawn->origin != APP_SPAWNS_OF_SCRIPTS) spawn = spawn->next;
    return spawn != NULL;
}

static bool is_busy(AppReload *reload) {
    const double period_ms = 1e3 / reload->ticks->rate;
    const double work_ms = (double)app_samples_mean(&reload->rpc->stats->work_ms, BUSY_TICKS);
    if (!reload->ticks->by_clock || app_ticks_are_paused(reload->ticks) || work_ms < BUSY_SHARE * period_ms)
        return false;
    const uint64_t now_ns = uv_hrtime();
    if (reload->busy_reported_ns == 0 || now_ns > reload->busy_reported_ns + REPORT_BUSY_NS) {
        reload->busy_reported_ns = now_ns;
        app_log(reload->sessions->log, TEXT_LOG_WARNING,
                "scripts spawn one character a second: ticks take %.1f ms of %.1f ms", work_ms, period_ms);
    }
    return true;
}

// Params default to an empty table.
static bool read_params(AppCall *call, ScriptSpawn *out_wanted) {
    const cJSON *given = protocol_param_json(call->params, "params");
    const char *name = protocol_param_string(call->params, "name");
    ScriptValue value = script_value_table();
    ScriptParams *params = NULL;
    if (given && (!app_value_from_json(&value, given) || !(params = script_params_create(value)))) {
        app_call_fail_memory(call);
        return false;
    }
    *out_wanted = (ScriptSpawn){.script = protocol_param_string(call->params, "script"),
                                .name = name ? name : "",
                                .root_world = SIM_TRANSFORM_IDENTITY,
                                .params = params};
    protocol_param_vec3(call->params, "position", out_wanted->root_world.position);
    protocol_param_quaternion(call->params, "rotation", out_wanted->root_world.rotation);
    return true;
}

static void refuse(AppCall *call, AppRefusal refusal, const char *message) {
    switch (refusal) {
    case APP_REFUSAL_NO_SCRIPT:
        protocol_error_set(&call->error, PROTOCOL_NOT_FOUND, "params.script", "%s", message);
        break;
    case APP_REFUSAL_NO_SCRIPT_NAME:
        protocol_error_set(&call->error, PROTOCOL_INVALID_PARAMS, "params.script", "%s", message);
        break;
    case APP_REFUSAL_NAME_TAKEN:
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "params.name", "%s", message);
        break;
    case APP_REFUSAL_FULL:
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "params", "%s", message);
        break;
    default:
        app_call_fail_memory(call);
    }
}

// The connection has ended. Its script is still loaded.
static void cancel(void *context, AppRequest *requester) {
    AppReload *reload = context;
    AppSpawnRequest *spawn = reload->characters->spawn_requests;
    while (spawn->requester != requester) spawn = spawn->next;
    app_characters_drop_spawn_request(reload->characters, spawn);
}

// Out of memory: the next app_spawns_update tries again.
static void load_script(AppReload *reload, AppSpawnRequest *spawn) {
    AppLoad *load = app_load_queue_find(&reload->loads, APP_FIRST_LOAD, SCRIPT_CHARACTER, spawn->file);
    if (!load) {
        load =
            app_load_queue_add(&reload->loads, APP_FIRST_LOAD, SCRIPT_CHARACTER, spawn->script, spawn->file);
        if (load) app_reload_watch(reload, load->file);
    }
    spawn->loading = load != NULL;
}

// The next first load to commit: at the start of a tick any that is done, else one that a client waits for.
// NULL: none.
static AppLoad *next_first_load(const AppReload *reload) {
    AppLoad *load = reload->loads.first;
    while (load &&
           !(load->purpose == APP_FIRST_LOAD && load->state == APP_LOAD_DONE &&
             (reload->ticks->phase == APP_TICK_BEGINS ||
              app_characters_has_spawn_request(reload->characters, load->file, APP_SPAWNS_OF_CLIENTS))))
        load = load->next;
    return load;
}

static bool commit(AppReload *reload, AppLoad *load, ScriptError *out_error) {
    ScriptHost *host = reload->characters->host;
    if (load->job) script_reload_report_log(load->job, host);
    if (app_load_has_failed(load, out_error)) return false;
    if (script_character_loaded(host, load->file)) return true; // by a reload, after it had failed
    AppReloadable *failed = app_reloadables_find_failed(reload, load->file);
    ScriptCharacter *fresh = script_reload_move_character(load->job, host);
    if (!fresh) out_error->message = strdup("out of memory");
    if (!fresh || !script_character_accept(fresh, out_error)) return false;
    if (failed)
        app_reloadable_clear_failure(reload, failed);
    else
        app_reloadables_update(reload, true);
    return true;
}

// One event reports the failure to all scripts that requested it.
static void fail(AppReload *reload, const AppLoad *load, const ScriptError *error) {
    AppCharacters *characters = reload->characters;
    if (app_characters_has_spawn_request(characters, load->file, APP_SPAWNS_OF_SCRIPTS))
        app_event_script_failed(reload->sessions, load->script, error);
    if (load->job && app_characters_has_spawn_request(characters, load->file,
                                                      APP_SPAWNS_OF_SCRIPTS | APP_SPAWNS_OF_SCRIPT_REQUESTS))
        app_reloadables_add_failed(reload, load, error);
    app_characters_fail_spawns(characters, load->file, error, on_failed, reload);
}

static void on_failed(void *context, const AppSpawnRequest *spawn, AppCharacter *character,
                      ScriptError *error) {
    (void)context;
    if (spawn->requester) answer(spawn->requester, character, PROTOCOL_SCRIPT_ERROR, error);
}

static bool complete(AppReload *reload, unsigned origins) {
    reload->rpc->provisional_after = reload->rpc->of_scripts.last;
    return app_characters_complete_spawns(reload->characters, origins, on_done, reload);
}

static void on_done(void *context, const AppSpawnRequest *spawn, AppCharacter *character,
                    ScriptError *error) {
    AppReload *reload = context;
    AppRpc *rpc = reload->rpc;
    if (spawn->loads_only) {
        AppCall call = app_call(spawn->requester);
        app_request_complete(spawn->requester, &call);
        return;
    }
    if (character) {
        app_streams_add_characters(reload->streams, character->slot);
        app_event_spawned(reload->sessions, character);
    }
    if (spawn->requester)
        answer(spawn->requester, character, PROTOCOL_SCRIPT_ERROR, error);
    else if (!character)
        app_event_script_raised(reload->sessions, spawn->script, error);
    if (!character) app_script_requests_drop_after(rpc, rpc->provisional_after);
    rpc->provisional_after = rpc->of_scripts.last;
}

static void answer(AppRequest *requester, const AppCharacter *character, int code, ScriptError *error) {
    AppCall call = app_call(requester);
    if (character) {
        call.result = app_json_root_object(&call.json);
        app_json_string(&call.json, call.result, "name", character->name);
        app_json_integer(&call.json, call.result, "tick", call.tick);
    } else {
        app_call_fail_script(&call, code, code == PROTOCOL_SCRIPT_ERROR ? "params.script" : "method", error);
    }
    app_request_complete(requester, &call);
}

// Its requester gets an error.
static void remove_spawn_request(AppReload *reload, AppSpawnRequest *spawn) {
    AppRequest *requester = spawn->requester;
    ScriptError error = {.message = strdup("removed before it was spawned")};
    app_characters_drop_spawn_request(reload->characters, spawn);
    if (requester) answer(requester, NULL, PROTOCOL_NOT_NOW, &error);
    script_error_finish(&error);
}
