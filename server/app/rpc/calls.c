// What many handlers need.
#include "rpc/requests.h"
#include "server/app.h"

#include <stdlib.h>
#include <string.h>

void app_call_fail_memory(AppCall *call) {
    protocol_error_set(&call->error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
}

void app_call_fail_script(AppCall *call, int code, const char *path, ScriptError *error) {
    protocol_error_set(&call->error, code, path, "%s", error->message ? error->message : "out of memory");
    call->traceback = error->traceback;
    if (!call->traceback && code == PROTOCOL_SCRIPT_ERROR && error->message)
        call->traceback = strdup(error->message); // it was not raised: all that is known of the place
    call->error.traceback = call->traceback;
    error->traceback = NULL;
    script_error_finish(error);
}

AppCharacter *app_call_character(AppCall *call) {
    const AppCharacters *characters = &call->app->characters;
    const char *name = protocol_param_string(call->params, "character");
    AppCharacter *character = app_characters_find(characters, name);
    if (!character) app_error_no_character(&call->error, characters, "params.character", name);
    return character;
}

void app_error_no_character(ProtocolError *out_error, const AppCharacters *characters, const char *path,
                            const char *name) {
    const char **names = calloc(characters->count + 1, sizeof *names);
    for (size_t i = 0; names && i < characters->count; i++) names[i] = characters->items[i]->name;
    protocol_error_not_found(out_error, path, "character", name, names, names ? characters->count : 0);
    free(names);
}
