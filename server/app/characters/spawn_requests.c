// Spawn requests: added while scripts run or while their script is loaded, completed or failed later, in
// order.
#include "characters/characters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static AppRefusal check(const AppCharacters *characters, const ScriptSpawn *spawn,
                        char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
static AppSpawnRequest *create(const AppCharacters *characters, const ScriptSpawn *spawn, char *file);
static void destroy(AppSpawnRequest *request);
static int length_without_end(const char *script);
static AppSpawnRequest *unlink_request(AppCharacters *characters, AppSpawnRequest **place);
static void drop(AppCharacters *characters, AppSpawnRequest **place);
static void complete(AppCharacters *characters, AppSpawnRequest **place, ScriptCharacter *script,
                     AppSpawnDone done, void *context);

AppRefusal app_characters_request_spawn(AppCharacters *characters, const ScriptSpawn *spawn,
                                        AppSpawnOrigin origin, AppRequest *requester,
                                        AppSpawnRequest **out_request,
                                        char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    char *file;
    AppRefusal refusal = check(characters, spawn, out_message);
    if (refusal) return refusal;
    switch (script_host_find(characters->host, spawn->script, &file, out_message)) {
    case SCRIPT_FOUND:
        break;
    case SCRIPT_FOUND_NONE:
        return APP_REFUSAL_NO_SCRIPT;
    case SCRIPT_FOUND_NO_NAME:
        return APP_REFUSAL_NO_SCRIPT_NAME;
    default:
        return APP_REFUSAL_NO_MEMORY;
    }
    AppSpawnRequest *request = create(characters, spawn, file);
    if (!request || !script_name_table_put(&characters->names, request->name, NULL)) {
        destroy(request);
        snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE, "out of memory");
        return APP_REFUSAL_NO_MEMORY;
    }
    request->origin = origin;
    request->requester = requester;
    *characters->spawn_requests_end = request;
    characters->spawn_requests_end = &request->next;
    characters->spawn_request_count++;
    *out_request = request;
    return APP_REFUSAL_NONE;
}

bool app_characters_request_script_spawn(AppCharacters *characters, const ScriptSpawn *spawn,
                                         char out_name[TEXT_NAME_BYTES + 1],
                                         char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    if (characters->reloading) {
        char *file;
        if (script_host_find(characters->host, spawn->script, &file, out_message) != SCRIPT_FOUND)
            return false;
        free(file);
        script_stem_of(spawn->script, out_name);
        if (spawn->name[0]) snprintf(out_name, TEXT_NAME_BYTES + 1, "%s", spawn->name);
        return true;
    }
    AppSpawnRequest *request;
    if (app_characters_request_spawn(characters, spawn, APP_SPAWNS_OF_SCRIPTS, NULL, &request, out_message))
        return false;
    memcpy(out_name, request->name, sizeof request->name);
    return true;
}

bool app_characters_has_spawn_request(const AppCharacters *characters, const char *file, unsigned origins) {
    for (const AppSpawnRequest *request = characters->spawn_requests; request; request = request->next)
        if (request->origin & origins && strcmp(request->file, file) == 0) return true;
    return false;
}

AppSpawnRequest *app_characters_find_spawn_request(const AppCharacters *characters, const char *name) {
    AppSpawnRequest *request = characters->spawn_requests;
    while (request && strcmp(request->name, name) != 0) request = request->next;
    return request;
}

// Works on the list in place: scripts that run here may look requests up, and add some.
bool app_characters_complete_spawns(AppCharacters *characters, unsigned origins, AppSpawnDone done,
                                    void *context) {
    bool any = false;
    const AppSpawnRequest *last = characters->spawn_requests;
    while (last && last->next) last = last->next;
    bool more = last != NULL;
    for (AppSpawnRequest **place = &characters->spawn_requests;
         more && characters->spawns_left > 0 && script_host_has_time(characters->host);) {
        AppSpawnRequest *request = *place;
        more = request != last;
        const bool matches = request->origin & origins && request->removal != APP_REMOVAL_ACCEPTED;
        ScriptCharacter *script = matches ? script_character_loaded(characters->host, request->file) : NULL;
        any |= script != NULL;
        characters->spawns_left -= script != NULL;
        if (script)
            complete(characters, place, script, done, context);
        else
            place = &request->next;
    }
    return any;
}

void app_characters_fail_spawns(AppCharacters *characters, const char *file, const ScriptError *error,
                                AppSpawnDone done, void *context) {
    for (AppSpawnRequest **place = &characters->spawn_requests; *place;) {
        if (strcmp((*place)->file, file) != 0) {
            place = &(*place)->next;
            continue;
        }
        ScriptError copy;
        script_error_copy(&copy, error);
        AppSpawnRequest *request = unlink_request(characters, place);
        script_name_table_remove(&characters->names, request->name);
        done(context, request, NULL, &copy);
        script_error_finish(&copy);
        destroy(request);
    }
}

void app_characters_drop_spawn_request(AppCharacters *characters, AppSpawnRequest *request) {
    AppSpawnRequest **place = &characters->spawn_requests;
    while (*place != request) place = &(*place)->next;
    drop(characters, place);
}

void app_characters_drop_spawn_requests(AppCharacters *characters, AppSpawnRequest **first) {
    while (*first) drop(characters, first);
}

static AppRefusal check(const AppCharacters *characters, const ScriptSpawn *spawn,
                        char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    const size_t entering = characters->entering != NULL; // its on_spawn may be running now
    if (characters->count + entering + characters->spawn_request_count >= characters->most) {
        snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE, APP_CHARACTERS_FULL, characters->most);
        return APP_REFUSAL_FULL;
    }
    if (!spawn->name[0] || !script_name_table_has(&characters->names, spawn->name)) return APP_REFUSAL_NONE;
    snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE, "there is a character \"%.64s\" already", spawn->name);
    return APP_REFUSAL_NAME_TAKEN;
}

// Takes file over.
static AppSpawnRequest *create(const AppCharacters *characters, const ScriptSpawn *spawn, char *file) {
    AppSpawnRequest *request = calloc(1, sizeof *request);
    if (!request) {
        free(file);
        return NULL;
    }
    request->file = file;
    request->root_world = spawn->root_world;
    request->params = script_params_retain(spawn->params);
    request->script = strndup(spawn->script, (size_t)length_without_end(spawn->script));
    char stem[SCRIPT_NAME_SIZE];
    script_stem_of(spawn->script, stem);
    script_name_table_free_name(&characters->names, spawn->name[0] ? spawn->name : stem, request->name);
    if (request->script) return request;
    destroy(request);
    return NULL;
}

static void destroy(AppSpawnRequest *request) {
    if (!request) return;
    script_params_release(request->params);
    free(request->script);
    free(request->file);
    free(request);
}

// Length without ".lua".
static int length_without_end(const char *script) {
    const size_t length = strlen(script);
    const bool has_end = length > 4 && strcmp(script + length - 4, ".lua") == 0;
    return (int)(has_end ? length - 4 : length);
}

static AppSpawnRequest *unlink_request(AppCharacters *characters, AppSpawnRequest **place) {
    AppSpawnRequest *request = *place;
    *place = request->next;
    if (characters->spawn_requests_end == &request->next) characters->spawn_requests_end = place;
    characters->spawn_request_count--;
    return request;
}

static void drop(AppCharacters *characters, AppSpawnRequest **place) {
    AppSpawnRequest *request = unlink_request(characters, place);
    script_name_table_remove(&characters->names, request->name);
    destroy(request);
}

static void complete(AppCharacters *characters, AppSpawnRequest **place, ScriptCharacter *script,
                     AppSpawnDone done, void *context) {
    AppSpawnRequest *request = unlink_request(characters, place);
    AppSpawnRequest **own = characters->spawn_requests_end; // the first request of its on_spawn
    const ScriptSpawn wanted = {request->script, request->name, request->root_world, request->params};
    ScriptError error = {0};
    characters->reloading = request->is_adoption;
    AppCharacter *character =
        request->loads_only ? NULL : app_characters_spawn(characters, script, &wanted, &error);
    characters->reloading = false;
    if (!character) {
        script_name_table_remove(&characters->names, request->name);
        app_characters_drop_spawn_requests(characters, own);
    }
    done(context, request, character, &error);
    script_error_finish(&error);
    destroy(request);
}
