// From wishes to characters, by way of the loader where need be.
#include "server/spawns.h"

#include "base/values.h"
#include "reload/reload_units.h"
#include "server/app.h"
#include "session/events.h"
#include "stream/streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_params(AppCall *call, ScriptSpawn *out_wanted, ScriptValue *out_params);
static void refuse(AppCall *call, AppRefusal refusal, const char *message);
static void fail_again(AppCall *call, AppWish *wish, const ScriptError *error);
static void want_script(App *app, AppWish *wish);
static void refuse_all(App *app, const AppFirstLoad *load, const ScriptError *error);
static void on_refused(void *context, const AppWish *wish, AppCharacter *character, ScriptError *error);
static bool grant(App *app, unsigned of);
static void on_done(void *context, const AppWish *wish, AppCharacter *character, ScriptError *error);
static void answer(App *app, AppAsker asker, const AppCharacter *character, int code, ScriptError *error);
static void remove_character(App *app, AppCharacter *character);
static void remove_wish(App *app, AppWish *wish);

void app_spawns_finish(App *app) {
    app_first_loads_finish(app);
    for (AppWish *wish = app->characters.wishes; wish; wish = wish->next)
        app_errand_destroy(wish->asker.errand);
}

// Methods
// -----------------------------------------------------------------------------------------------------------

void app_spawns_spawn(AppCall *call) {
    App *app = call->app;
    ScriptSpawn wanted;
    ScriptValue params;
    AppWish *wish;
    char message[SCRIPT_REQUEST_MESSAGE_SIZE];
    if (!read_params(call, &wanted, &params)) return;
    const AppRefusal refusal = app_characters_wish(&app->characters, &wanted,
                                                   (AppAsker){call->request, call->errand}, &wish, message);
    script_value_finish(&params);
    if (refusal) {
        refuse(call, refusal, message);
        return;
    }
    const AppUnit *failed = call->errand ? app_units_failed(app, wish->file) : NULL;
    if (failed && !app_unit_is_due(app, failed)) {
        fail_again(call, wish, &failed->failure);
        return;
    }
    call->later = true;
    if (call->client) call->client->spawning = call->request;
    if (script_character_loaded(app->characters.host, wish->file))
        grant(app, call->request ? APP_WISHES_OF_REQUESTS : APP_WISHES_OF_ERRANDS);
    else
        app_first_loads_want(app, wish);
}

void app_spawns_remove(AppCall *call) {
    App *app = call->app;
    const char *name = protocol_param_string(call->params, "character");
    AppCharacter *character = app_characters_find(&app->characters, name);
    AppWish *wish = character ? NULL : app_characters_find_wish(&app->characters, name);
    if (character)
        remove_character(app, character);
    else if (wish)
        remove_wish(app, wish);
    else
        app_call_character(call); // there is none, says the error
}

// Params default to an empty table.
static bool read_params(AppCall *call, ScriptSpawn *out_wanted, ScriptValue *out_params) {
    const cJSON *given = protocol_param_json(call->params, "params");
    const char *name = protocol_param_string(call->params, "name");
    *out_params = script_value_table();
    if (given && !app_value_from_json(out_params, given)) {
        app_call_fail_memory(call);
        return false;
    }
    *out_wanted = (ScriptSpawn){.script = protocol_param_string(call->params, "script"),
                                .name = name ? name : "",
                                .root_world = SIM_TRANSFORM_IDENTITY,
                                .params = out_params};
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

static void fail_again(AppCall *call, AppWish *wish, const ScriptError *error) {
    ScriptError copy;
    script_error_copy(&copy, error);
    app_characters_drop_wish(&call->app->characters, wish);
    app_call_fail_script(call, PROTOCOL_SCRIPT_ERROR, "params.script", &copy);
}

// Scripts
// -----------------------------------------------------------------------------------------------------------

bool app_spawns_wish(void *context, const ScriptSpawn *spawn, char out_name[TEXT_NAME_BYTES + 1],
                     char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    App *app = context;
    return app_characters_wish_of_script(&app->characters, spawn, out_name, out_message);
}

bool app_spawns_dismiss(void *context, const char *name, char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    App *app = context;
    AppCharacter *character = app_characters_find(&app->characters, name),
                 *entering = app->characters.entering;
    if (!character && entering && strcmp(entering->name, name) == 0) character = entering;
    AppWish *wish = character ? NULL : app_characters_find_wish(&app->characters, name);
    AppLeaving *leaving = character ? &character->leaving : wish ? &wish->leaving : NULL;
    if (leaving) {
        if (*leaving != APP_LEAVES)
            *leaving = app_characters_on_trial(&app->characters) ? APP_MAY_LEAVE : APP_LEAVES;
        app->leaving = true;
        return true;
    }
    ProtocolError error;
    app_error_no_character(&error, &app->characters, NULL, name);
    snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE, "%s", error.message);
    return false;
}

void app_spawns_create(App *app) {
    grant(app, APP_WISHES_OF_SCRIPTS);
}

void app_spawns_follow_scripts(App *app) {
    AppCharacters *characters = &app->characters;
    for (size_t slot = 0; app->leaving && slot < characters->count;) {
        if (characters->items[slot]->leaving == APP_LEAVES)
            remove_character(app, characters->items[slot]);
        else
            slot++;
    }
    AppWish *next;
    for (AppWish *wish = characters->wishes; wish; wish = next) {
        next = wish->next;
        if (wish->leaving == APP_LEAVES)
            remove_wish(app, wish);
        else if (!wish->loading && !script_character_loaded(characters->host, wish->file))
            want_script(app, wish);
    }
    app->leaving = false;
}

// A script that has failed is tried again when a file of it changes, or when a client asks for it: not for
// each wish, of which there may be one a tick. What has come of it was told.
static void want_script(App *app, AppWish *wish) {
    const AppUnit *failed = app_units_failed(app, wish->file);
    if (!failed)
        app_first_loads_want(app, wish);
    else if (!app_unit_is_due(app, failed))
        app_characters_drop_wish(&app->characters, wish);
}

// Coming
// -----------------------------------------------------------------------------------------------------------

void app_spawns_settle(App *app) {
    AppFirstLoad *load;
    while (!app->stopping && (load = app_first_load_due(app))) {
        ScriptError error = {0};
        if (!app_first_load_take(app, load, &error)) refuse_all(app, load, &error);
        script_error_finish(&error);
        app_first_load_end(app, load);
    }
    if (app->stopping) return;
    if (app->beginning) {
        grant(app, APP_WISHES_OF_REQUESTS | APP_WISHES_OF_ERRANDS);
    } else if (grant(app, APP_WISHES_OF_REQUESTS)) {
        app_follow_scripts(app);
    }
}

// However often scripts have wished for it, it is told once.
static void refuse_all(App *app, const AppFirstLoad *load, const ScriptError *error) {
    if (app_characters_has_wish(&app->characters, load->file, APP_WISHES_OF_SCRIPTS))
        app_event_script_failed(app, load->script, error);
    if (load->job &&
        app_characters_has_wish(&app->characters, load->file, APP_WISHES_OF_SCRIPTS | APP_WISHES_OF_ERRANDS))
        app_units_note_failure(app, load, error);
    app_characters_refuse_wishes(&app->characters, load->file, error, on_refused, app);
}

static void on_refused(void *context, const AppWish *wish, AppCharacter *character, ScriptError *error) {
    if (wish->asker.request || wish->asker.errand)
        answer(context, wish->asker, character, PROTOCOL_SCRIPT_ERROR, error);
}

static bool grant(App *app, unsigned of) {
    app->errands.untried = app->errands.last;
    return app_characters_grant_wishes(&app->characters, of, on_done, app);
}

static void on_done(void *context, const AppWish *wish, AppCharacter *character, ScriptError *error) {
    App *app = context;
    if (character) {
        app_streams_add_characters(app, character->slot);
        app_event_spawned(app, character);
    }
    if (wish->asker.request || wish->asker.errand)
        answer(app, wish->asker, character, PROTOCOL_SCRIPT_ERROR, error);
    else if (!character)
        app_event_script_failed(app, wish->script, error);
    if (!character) app_errands_drop_after(&app->errands, app->errands.untried);
    app->errands.untried = app->errands.last;
}

static void answer(App *app, AppAsker asker, const AppCharacter *character, int code, ScriptError *error) {
    AppCall call = asker.request ? app_call(asker.request) : app_errand_call(app, asker.errand);
    if (character) {
        call.result = app_json_root_object(&call.json);
        app_json_string(&call.json, call.result, "name", character->name);
        app_json_integer(&call.json, call.result, "tick", call.tick);
    } else {
        app_call_fail_script(&call, code, code == PROTOCOL_SCRIPT_ERROR ? "params.script" : "method", error);
    }
    if (asker.request) {
        call.client->spawning = NULL;
        app_request_answer(asker.request, &call);
    } else {
        app_errand_answer(asker.errand, &call);
    }
}

void app_spawns_forget(AppClient *client) {
    AppCharacters *characters = &client->app->characters;
    AppRequest *request = client->spawning;
    if (!request) return;
    AppWish *wish = characters->wishes;
    while (wish->asker.request != request) wish = wish->next;
    app_characters_drop_wish(characters, wish);
    client->spawning = NULL;
    app_request_destroy(request);
}

// Going
// ------------------------------------------------------------------------------------------------------------

static void remove_character(App *app, AppCharacter *character) {
    char name[TEXT_NAME_BYTES + 1];
    const size_t slot = character->slot;
    memcpy(name, character->name, sizeof name);
    app_characters_remove(&app->characters, character);
    app_streams_remove_character(app, slot);
    app_event_removed(app, name);
}

// It has not come yet. Who waits for it is told so.
static void remove_wish(App *app, AppWish *wish) {
    const AppAsker asker = wish->asker;
    ScriptError error = {.message = strdup("it was removed before it came into the world")};
    app_characters_drop_wish(&app->characters, wish);
    if (asker.request || asker.errand) answer(app, asker, NULL, PROTOCOL_NOT_NOW, &error);
    script_error_finish(&error);
}
