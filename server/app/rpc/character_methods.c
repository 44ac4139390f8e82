// character.list, describe, reset, move, level, play, stop and call, and seam.*.
#include "base/json.h"
#include "characters/describe.h"
#include "rpc/handlers.h"

#include <stdlib.h>
#include <string.h>

static bool describe(AppCall *call);
static int find_seam(AppCall *call, const AppCharacter *character);
static int find_clip(AppCall *call, const AppCharacter *character);

void app_handle_character_list(AppCall *call) {
    const AppCharacters *characters = call->rpc->characters;
    call->result = app_json_root_list(&call->json);
    for (size_t i = 0; i < characters->count; i++) {
        cJSON *item = app_json_object(&call->json, call->result, NULL);
        app_json_string(&call->json, item, "name", characters->items[i]->name);
        app_json_string(&call->json, item, "script", app_character_script(characters->items[i])->script);
        app_json_integer(&call->json, item, "revision", characters->items[i]->revision);
        const SimLevel level = sim_character_level(characters->world, characters->items[i]->id);
        if (level != SIM_LEVEL_FULL) app_json_string(&call->json, item, "level", sim_level_names[level]);
    }
}

// With meshes it is answered once they are encoded.
void app_handle_character_describe(AppCall *call) {
    if (app_call_is_of_script(call) && protocol_param_bool(call->params, "mesh"))
        protocol_error_set(&call->error, PROTOCOL_NOT_ALLOWED, "params.mesh",
                           "meshes are for connections, not for scripts");
    else if (!describe(call))
        app_request_list_append(&call->rpc->describe_requests,
                                app_call_defer(call, app_request_list_cancel, &call->rpc->describe_requests));
}

void app_describe_requests_serve(AppRpc *rpc) {
    AppRequest *next;
    for (AppRequest *request = rpc->describe_requests.first; request; request = next) {
        next = request->next;
        AppCall call = app_call(request);
        if (!describe(&call)) continue;
        app_request_list_remove(&rpc->describe_requests, request);
        app_request_complete(request, &call);
    }
}

void app_handle_character_reset(AppCall *call) {
    AppRpc *rpc = call->rpc;
    AppCharacter *character = app_call_character(call);
    const AppRequest *last = rpc->of_scripts.last;
    ScriptError error = {0};
    if (!character || app_character_reset(rpc->characters, character, &error)) return;
    app_script_requests_drop_after(rpc, last); // those of the on_spawn that raised
    if (error.message)
        app_call_fail_script(call, PROTOCOL_SCRIPT_ERROR, "params.character", &error);
    else
        app_call_fail_memory(call);
}

void app_handle_character_move(AppCall *call) {
    const AppCharacter *character = app_call_character(call);
    if (!character) return;
    SimWorld *world = call->rpc->characters->world;
    SimTransform root = sim_character_root(world, character->id);
    protocol_param_vec3(call->params, "position", root.position);
    protocol_param_quaternion(call->params, "rotation", root.rotation);
    const bool teleports = protocol_param_bool(call->params, "teleport");
    sim_character_move(world, character->id, &root, teleports ? SIM_TELEPORT_KEEP : SIM_TELEPORT_NONE);
}

void app_handle_character_level(AppCall *call) {
    AppCharacter *character = app_call_character(call);
    const SimLevel level = (SimLevel)protocol_param_choice(call->params, "level");
    if (character && !app_character_set_level(call->rpc->characters, character, APP_LEVEL_ASKED, level))
        app_call_fail_memory(call);
}

void app_handle_character_play(AppCall *call) {
    const AppCharacter *character = app_call_character(call);
    const int clip = character ? find_clip(call, character) : -1;
    if (clip < 0) return;
    SimPlay play = sim_default_play();
    play.loop = protocol_param_bool(call->params, "loop");
    play.speed = (float)protocol_param_number(call->params, "speed");
    play.fade = (float)protocol_param_number(call->params, "fade");
    play.at = (float)protocol_param_number(call->params, "at");
    play.in_place = protocol_param_bool(call->params, "in_place");
    play.additive = protocol_param_bool(call->params, "additive");
    play.weight = (float)protocol_param_number(call->params, "weight");
    sim_character_play(call->rpc->characters->world, character->id, clip, &play);
}

void app_handle_character_stop(AppCall *call) {
    const AppCharacter *character = app_call_character(call);
    if (!character) return;
    const bool any = !protocol_param_given(call->params, "clip");
    const int clip = any ? -1 : find_clip(call, character);
    if (!any && clip < 0) return;
    sim_character_stop(call->rpc->characters->world, character->id, clip,
                       (float)protocol_param_number(call->params, "fade"));
}

void app_handle_character_call(AppCall *call) {
    const AppCharacter *character = app_call_character(call);
    if (!character) return;
    const cJSON *given = protocol_param_json(call->params, "arguments");
    ScriptValue arguments = SCRIPT_NULL, result = SCRIPT_NULL;
    if (given && !cJSON_IsObject(given) && !cJSON_IsArray(given)) {
        protocol_error_set(&call->error, PROTOCOL_INVALID_PARAMS, "params.arguments",
                           "expected an object or an array");
        return;
    }
    if (given && !app_value_from_json(&arguments, given)) {
        app_call_fail_memory(call);
        return;
    }
    ScriptError error = {0};
    const ScriptCallStatus status =
        script_instance_call(character->instance, protocol_param_string(call->params, "command"),
                             given ? &arguments : NULL, &result, &error);
    if (status == SCRIPT_CALL_UNKNOWN) {
        app_call_fail_script(call, PROTOCOL_NOT_FOUND, "params.command", &error);
    } else if (status == SCRIPT_CALL_FAILED) {
        app_call_fail_script(call, PROTOCOL_SCRIPT_ERROR, "params.command", &error);
    } else {
        call->result = app_json_root_object(&call->json);
        app_json_item(&call->json, call->result, "result", app_value_to_json(&result));
        app_json_integer(&call->json, call->result, "tick", call->tick);
    }
    script_value_finish(&arguments);
    script_value_finish(&result);
}

void app_handle_seam_list(AppCall *call) {
    const AppCharacters *characters = call->rpc->characters;
    const AppCharacter *character = app_call_character(call);
    if (!character) return;
    const SimRigInfo *rig = app_character_rig(characters, character);
    call->result = app_json_root_list(&call->json);
    for (int i = 0; i < rig->seam_count; i++) {
        cJSON *seam = app_json_object(&call->json, call->result, NULL);
        app_json_string(&call->json, seam, "name", rig->seams[i].name);
        app_json_bool(&call->json, seam, "closed", sim_seam_closed(characters->world, character->id, i));
    }
}

void app_handle_seam_set(AppCall *call) {
    const AppCharacters *characters = call->rpc->characters;
    const AppCharacter *character = app_call_character(call);
    if (!character) return;
    const int seam = find_seam(call, character);
    if (seam < 0) return;
    sim_seam_set_closed(characters->world, character->id, seam, protocol_param_bool(call->params, "closed"));
}

// False: the meshes are not encoded yet.
static bool describe(AppCall *call) {
    AppCharacter *character = app_call_character(call);
    if (!character) return true;
    AppCharacters *characters = call->rpc->characters;
    AppDescription description;
    const ProtocolAxes axes = (ProtocolAxes)protocol_param_choice(call->params, "axes");
    const bool mesh = protocol_param_bool(call->params, "mesh");
    if (mesh && !app_meshes_are_ready(characters, character, axes)) return false;
    if (app_description_init(&description, characters, character)) {
        call->text = mesh ? app_meshed_description_text(characters, character, &description, axes)
                          : app_description_text(characters, character, &description, axes);
        app_description_finish(&description);
    }
    if (!call->text) app_call_fail_memory(call);
    return true;
}

// -1 with the error where the character has no such clip.
static int find_clip(AppCall *call, const AppCharacter *character) {
    const SimRigInfo *rig = app_character_rig(call->rpc->characters, character);
    const char *name = protocol_param_string(call->params, "clip");
    const int clip = sim_rig_clip_named(rig, name);
    if (clip >= 0) return clip;
    const TextNearest nearest = text_nearest_of(name, rig->clip_names, (size_t)rig->clip_count);
    protocol_error_not_found(&call->error, "params.clip", "clip", &nearest);
    return -1;
}

// -1 with the error where the character has no such seam.
static int find_seam(AppCall *call, const AppCharacter *character) {
    const SimRigInfo *rig = app_character_rig(call->rpc->characters, character);
    const char *name = protocol_param_string(call->params, "seam");
    TextNearest nearest = text_nearest_to(name);
    for (int i = 0; i < rig->seam_count; i++) {
        if (strcmp(rig->seams[i].name, name) == 0) return i;
        text_nearest_offer(&nearest, rig->seams[i].name);
    }
    protocol_error_not_found(&call->error, "params.seam", "seam", &nearest);
    return -1;
}
