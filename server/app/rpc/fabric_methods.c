// fabric.*
#include "base/files.h"
#include "base/paths.h"
#include "characters/fabrics.h"
#include "rpc/handlers.h"
#include "session/events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What fabric.get, set and export are about: a fabric, or one garment.
typedef struct Target {
    const ScriptFabric *fabric; // NULL: a garment
    AppCharacter *character;
    int garment;
} Target;

static void write_lua(const AppCharacters *characters, const Target *target, const char *name,
                      TextBuffer *text, char out_name[TEXT_NAME_BYTES + 1]);
static void save(AppCall *call, const char *name, const TextBuffer *text);
static void put_saved(AppCall *call, const char *name, const char *file, const char *kept);
static bool find_target(AppCall *call, Target *out_target);
static SimFabric values_of(const AppCharacters *characters, const Target *target);
static void warn_of_springs(const AppRpc *rpc, const Target *target);
static bool wears(const AppCharacter *character, int garment, const Target *target);
static void fail_fabric(AppCall *call, const char *name);
static void fail_garment(AppCall *call, const AppCharacter *character, const char *name);

void app_handle_fabric_list(AppCall *call) {
    int count;
    const ScriptFabric *fabrics = script_fabrics(call->rpc->characters->host, &count);
    call->result = app_json_root_list(&call->json);
    for (int i = 0; i < count; i++) {
        cJSON *item = app_json_object(&call->json, call->result, NULL);
        app_json_string(&call->json, item, "name", fabrics[i].name);
        if (fabrics[i].base) app_json_string(&call->json, item, "base", fabrics[i].base);
        app_json_string(&call->json, item, "script", fabrics[i].script);
    }
}

void app_handle_fabric_get(AppCall *call) {
    Target target;
    if (!find_target(call, &target)) return;
    const SimFabric fabric = values_of(call->rpc->characters, &target);
    call->result = app_fabrics_describe(&call->json, &fabric);
}

void app_handle_fabric_set(AppCall *call) {
    Target target;
    AppOverride values;
    AppRpc *rpc = call->rpc;
    if (!find_target(call, &target) ||
        !app_fabrics_read(protocol_param_json(call->params, "values"), &values, &call->error))
        return;
    if (target.fabric) {
        app_fabrics_set(rpc->characters, target.fabric->name, &values);
        app_event_fabric(rpc->sessions, target.fabric->name, &values);
    } else {
        app_fabrics_set_garment(rpc->characters, target.character, target.garment, &values);
        app_event_garment(rpc->sessions, target.character->name,
                          app_character_rig(rpc->characters, target.character)->garments[target.garment].name,
                          &values);
    }
    warn_of_springs(rpc, &target);
}

void app_handle_fabric_export(AppCall *call) {
    Target target;
    if (!find_target(call, &target)) return;
    TextBuffer text = {0};
    char name[TEXT_NAME_BYTES + 1];
    write_lua(call->rpc->characters, &target, NULL, &text, name);
    text_buffer_append_char(&text, '\0');
    call->result = app_json_root_object(&call->json);
    if (text.failed)
        call->json.failed = true;
    else
        app_json_string(&call->json, call->result, "lua", text.bytes);
    text_buffer_finish(&text);
}

void app_handle_fabric_save(AppCall *call) {
    const AppOptions *options = call->context;
    Target target;
    if (!options->allow_save) {
        protocol_error_set(&call->error, PROTOCOL_NOT_ALLOWED, "method",
                           "fabric.save is not allowed: the server runs without --allow-save");
        return;
    }
    if (!find_target(call, &target)) return;
    const char *wanted =
        protocol_param_given(call->params, "name") ? protocol_param_string(call->params, "name") : NULL;
    TextBuffer text = {0};
    char name[TEXT_NAME_BYTES + 1];
    write_lua(call->rpc->characters, &target, wanted, &text, name);
    save(call, name, &text);
    text_buffer_finish(&text);
}

// name: of the fabric in the file; NULL: the default.
static void write_lua(const AppCharacters *characters, const Target *target, const char *name,
                      TextBuffer *text, char out_name[TEXT_NAME_BYTES + 1]) {
    const SimFabric values = values_of(characters, target);
    const ScriptFabric *fabric = target->fabric;
    AppFabricOrigin origin = {.material = sim_default_material()};
    if (!fabric) {
        origin.character = target->character->name;
        origin.garment = app_character_rig(characters, target->character)->garments[target->garment].name;
        origin.fabric = app_character_script(target->character)->garments[target->garment].fabric;
        fabric = script_fabric_find(characters->host, origin.fabric);
    }
    if (fabric) {
        origin.fabric = fabric->name;
        origin.base = fabric->base;
        origin.material = fabric->material;
    }
    app_fabric_default_name(&origin, out_name);
    if (name) snprintf(out_name, TEXT_NAME_BYTES + 1, "%s", name);
    app_fabric_write_lua(text, out_name, &origin, &values);
}

// A known fabric's file gets the new text, and the old one is kept beside it. Other files stay as they are.
static void save(AppCall *call, const char *name, const TextBuffer *text) {
    const ScriptHost *host = call->rpc->characters->host;
    const ScriptFabric *known = script_fabric_find(host, name);
    char *created = known ? NULL : script_fabric_new_file(host, name);
    const char *file = known ? script_fabric_file(host, known) : created;
    char kept[APP_PATH_BYTES] = "";
    int failure = 0;
    if (!file) {
        protocol_error_set(
            &call->error, PROTOCOL_INVALID_PARAMS, "params.name",
            "expected a name that a file can have, of letters, digits, \"_\" and \"-\", not \"%s\"", name);
        return;
    }
    if (known) failure = app_file_keep(file, kept, sizeof kept);
    if (failure == 0) failure = known ? app_file_replace(file, text) : app_file_create(file, text);
    if (failure != 0 && *kept) unlink(kept);
    if (failure == 0)
        put_saved(call, name, file, kept);
    else if (!known && failure == EEXIST)
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "params.name",
                           "%s is there and is not loaded as the fabric \"%s\"; it is not overwritten", file,
                           name);
    else
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "method", "cannot write %s: %s", file,
                           strerror(failure));
    free(created);
}

static void put_saved(AppCall *call, const char *name, const char *file, const char *kept) {
    call->result = app_json_root_object(&call->json);
    app_json_string(&call->json, call->result, "name", name);
    app_json_string(&call->json, call->result, "file", file);
    if (*kept) app_json_string(&call->json, call->result, "kept", kept);
    app_json_integer(&call->json, call->result, "tick", call->tick);
}

// protocol has made sure that it is either `fabric`, or `character` and `garment`.
static bool find_target(AppCall *call, Target *out_target) {
    const AppCharacters *characters = call->rpc->characters;
    *out_target = (Target){0};
    if (protocol_param_given(call->params, "fabric")) {
        const char *name = protocol_param_string(call->params, "fabric");
        out_target->fabric = script_fabric_find(characters->host, name);
        if (!out_target->fabric) fail_fabric(call, name);
        return out_target->fabric != NULL;
    }
    out_target->character = app_call_character(call);
    if (!out_target->character) return false;
    const char *name = protocol_param_string(call->params, "garment");
    out_target->garment = app_character_garment(characters, out_target->character, name);
    if (out_target->garment < 0) fail_garment(call, out_target->character, name);
    return out_target->garment >= 0;
}

static SimFabric values_of(const AppCharacters *characters, const Target *target) {
    return target->fabric ? target->fabric->values
                          : app_fabrics_of_garment(characters, target->character, target->garment);
}

// One warning is enough, however many wear the fabric.
static void warn_of_springs(const AppRpc *rpc, const Target *target) {
    const AppCharacters *characters = rpc->characters;
    char warning[SIM_SPRING_WARNING_SIZE], text[2 * SIM_SPRING_WARNING_SIZE];
    for (size_t i = 0; i < characters->count; i++) {
        const AppCharacter *character = characters->items[i];
        const SimRigInfo *rig = app_character_rig(characters, character);
        for (int garment = 0; garment < rig->garment_count; garment++) {
            if (!wears(character, garment, target)) continue;
            const SimSpringPlan plan = sim_garment_springs(characters->world, character->id, garment);
            const SimFabric *fabric = sim_garment_fabric(characters->world, character->id, garment);
            if (!sim_spring_warning(fabric, &plan, warning)) continue;
            snprintf(text, sizeof text, "%s: %s: %s", character->name, rig->garments[garment].name, warning);
            app_event_log(rpc->sessions, TEXT_LOG_WARNING, text);
            return;
        }
    }
}

static bool wears(const AppCharacter *character, int garment, const Target *target) {
    if (!target->fabric) return character == target->character && garment == target->garment;
    return strcmp(app_character_script(character)->garments[garment].fabric, target->fabric->name) == 0;
}

static void fail_fabric(AppCall *call, const char *name) {
    const TextNearest nearest = script_fabric_nearest(call->rpc->characters->host, name);
    protocol_error_not_found(&call->error, "params.fabric", "fabric", &nearest);
}

static void fail_garment(AppCall *call, const AppCharacter *character, const char *name) {
    const SimRigInfo *rig = app_character_rig(call->rpc->characters, character);
    TextNearest nearest = text_nearest_to(name);
    for (int i = 0; i < rig->garment_count; i++) text_nearest_offer(&nearest, rig->garments[i].name);
    protocol_error_not_found(&call->error, "params.garment", "garment", &nearest);
}
