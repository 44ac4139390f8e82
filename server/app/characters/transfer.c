// A character as bytes, and back.
#include "characters/transfer.h"

#include "characters/fabrics.h"

#include <protocol/reply.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A character that catches up.
typedef struct Late {
    ScriptInstance *instance;
    uint64_t tick; // the first one
    int rate;
} Late;

static void write_header(AppCharacters *characters, const AppCharacter *character, AppJson *json,
                         cJSON *header);
static ScriptCharacter *load(AppCharacters *characters, const AppTransfer *transfer, ScriptError *out_error);
static AppCharacter *spawn(AppCharacters *characters, ScriptCharacter *script, const AppTransfer *transfer,
                           const char *name, ScriptError *out_error);
static bool restore_script(const AppCharacter *character, const AppTransfer *transfer,
                           ScriptError *out_error);
static bool restore(AppCharacters *characters, AppCharacter *character, const AppTransfer *transfer,
                    uint64_t most_late, ScriptError *out_error);
static void restore_overrides(const AppCharacters *characters, AppCharacter *character,
                              const AppTransfer *transfer);
static void restore_random(const AppCharacter *character, const AppTransfer *transfer);
static void run_late_tick(void *context, int tick);

bool app_transfer_write(AppCharacters *characters, const AppCharacter *character, TextBuffer *out,
                        ScriptError *out_error) {
    ScriptValue saved;
    if (!script_instance_save(character->instance, &saved, out_error)) return false;
    size_t state_size = 0, air_size = 0;
    unsigned char *state = sim_character_save(characters->world, character->id, &state_size);
    unsigned char *air = sim_weather_save(characters->world, &air_size);
    AppJson json = {0};
    cJSON *header = app_json_root_object(&json);
    write_header(characters, character, &json, header);
    if (saved.kind != SCRIPT_VALUE_NULL) app_json_item(&json, header, "saved", app_value_to_json(&saved));
    script_value_finish(&saved);
    app_json_integer(&json, header, "state", state_size);
    app_json_integer(&json, header, "air", air_size);
    if (state && air && !json.failed) {
        protocol_write_json(out, header);
        text_buffer_append_char(out, '\n');
        text_buffer_append(out, (const char *)state, state_size);
        text_buffer_append(out, (const char *)air, air_size);
    } else {
        out->failed = true;
    }
    cJSON_Delete(header);
    free(state);
    free(air);
    if (out->failed) script_error_set(out_error, "out of memory");
    return !out->failed;
}

bool app_transfer_read(AppTransfer *transfer, const char *bytes, size_t size, ScriptError *out_error) {
    *transfer = (AppTransfer){0};
    *out_error = (ScriptError){0};
    const char *end = memchr(bytes, '\n', size);
    const size_t length = end ? (size_t)(end - bytes) : 0;
    transfer->header = end ? cJSON_ParseWithLength(bytes, length) : NULL;
    transfer->state_size = app_json_get_integer(transfer->header, "state");
    transfer->air_size = app_json_get_integer(transfer->header, "air");
    transfer->tick = app_json_get_integer(transfer->header, "tick");
    const size_t left = end ? size - length - 1 : 0;
    const bool is_whole = app_transfer_script(transfer) && transfer->state_size <= left &&
                          transfer->air_size == left - transfer->state_size;
    if (!is_whole) {
        script_error_set(out_error, "the character's state is malformed");
        return false;
    }
    transfer->state = (const unsigned char *)end + 1;
    transfer->air = transfer->state + transfer->state_size;
    return true;
}

void app_transfer_finish(AppTransfer *transfer) {
    cJSON_Delete(transfer->header);
    *transfer = (AppTransfer){0};
}

const char *app_transfer_script(const AppTransfer *transfer) {
    return app_json_get_text(transfer->header, "script");
}

bool app_transfer_check(AppCharacters *characters, const AppTransfer *transfer, ScriptError *out_error) {
    SimIssue issue;
    ScriptCharacter *script = load(characters, transfer, out_error);
    if (!script) return false;
    if (characters->count + characters->spawn_request_count >= characters->most) {
        script_error_set(out_error, APP_CHARACTERS_FULL, characters->most);
        return false;
    }
    const SimRigId rig = script_character_info(script)->rig;
    if (sim_rig_accepts_state(characters->world, rig, transfer->state, transfer->state_size, &issue))
        return true;
    script_error_set(out_error, "the script is another one there: %s%s%s", issue.path,
                     issue.path[0] ? ": " : "", issue.message);
    return false;
}

AppCharacter *app_transfer_create(AppCharacters *characters, const AppTransfer *transfer, const char *name,
                                  uint64_t most_late, ScriptError *out_error) {
    ScriptCharacter *script = load(characters, transfer, out_error);
    AppCharacter *character = script ? spawn(characters, script, transfer, name, out_error) : NULL;
    if (!character || restore(characters, character, transfer, most_late, out_error)) return character;
    app_characters_remove(characters, character);
    return NULL;
}

static void write_header(AppCharacters *characters, const AppCharacter *character, AppJson *json,
                         cJSON *header) {
    const SimTransform root = sim_character_root(characters->world, character->id);
    const ScriptParams *params = script_instance_params(character->instance);
    const ScriptRandomState random = script_instance_random(character->instance);
    app_json_string(json, header, "script", app_character_script(character)->script);
    app_json_integer(json, header, "tick", sim_world_tick(characters->world));
    app_json_integer(json, header, "revision", character->revision);
    app_json_integer(json, header, "level", (uint64_t)character->levels[APP_LEVEL_ASKED]);
    app_json_vector(json, header, "position", root.position, 3);
    app_json_vector(json, header, "rotation", root.rotation, 4);
    if (params) app_json_item(json, header, "params", app_value_to_json(script_params_value(params)));
    cJSON *words = app_json_list(json, header, "random");
    for (int i = 0; i < 4; i++) {
        char text[20];
        snprintf(text, sizeof text, "%llx", (unsigned long long)random.words[i]);
        app_json_string(json, words, NULL, text);
    }
    app_fabrics_put_overrides(json, header, characters, character);
}

static ScriptCharacter *load(AppCharacters *characters, const AppTransfer *transfer, ScriptError *out_error) {
    ScriptFindings findings = {0};
    ScriptCharacter *script =
        script_character_load(characters->host, app_transfer_script(transfer), &findings);
    *out_error = (ScriptError){0};
    if (!script) script_error_set(out_error, "%s does not load there", app_transfer_script(transfer));
    script_findings_finish(&findings);
    return script;
}

// on_spawn runs as it does where a script is reloaded: what it asks for is there already.
static AppCharacter *spawn(AppCharacters *characters, ScriptCharacter *script, const AppTransfer *transfer,
                           const char *name, ScriptError *out_error) {
    const cJSON *given = cJSON_GetObjectItemCaseSensitive(transfer->header, "params");
    ScriptSpawn wanted = {
        .script = app_transfer_script(transfer), .name = name, .root_world = SIM_TRANSFORM_IDENTITY};
    ScriptValue value = SCRIPT_NULL;
    app_json_get_vector(transfer->header, "position", wanted.root_world.position, 3);
    app_json_get_vector(transfer->header, "rotation", wanted.root_world.rotation, 4);
    if (given && (!app_value_from_json(&value, given) || !(wanted.params = script_params_create(value)))) {
        script_error_set(out_error, "out of memory");
        return NULL;
    }
    characters->reloading = true;
    AppCharacter *character = app_characters_spawn(characters, script, &wanted, out_error);
    const bool is_restored = character && restore_script(character, transfer, out_error);
    characters->reloading = false;
    script_params_release(wanted.params);
    if (character && !is_restored) app_characters_remove(characters, character);
    return is_restored ? character : NULL;
}

static bool restore_script(const AppCharacter *character, const AppTransfer *transfer,
                           ScriptError *out_error) {
    const cJSON *saved = cJSON_GetObjectItemCaseSensitive(transfer->header, "saved");
    ScriptValue value;
    if (!saved) return true;
    if (!app_value_from_json(&value, saved)) {
        script_error_set(out_error, "out of memory");
        return false;
    }
    const bool is_restored = script_instance_restore(character->instance, &value, out_error);
    script_value_finish(&value);
    return is_restored;
}

static bool restore(AppCharacters *characters, AppCharacter *character, const AppTransfer *transfer,
                    uint64_t most_late, ScriptError *out_error) {
    SimIssue issue;
    SimWorld *world = characters->world;
    const uint64_t level = app_json_get_integer(transfer->header, "level");
    const uint64_t now = sim_world_tick(world);
    if (!sim_character_restore(world, character->id, transfer->state, transfer->state_size, &issue)) {
        script_error_set(out_error, "%s: %s", issue.path, issue.message);
        return false;
    }
    character->revision = (uint32_t)app_json_get_integer(transfer->header, "revision");
    if (level < SIM_LEVELS) character->levels[APP_LEVEL_ASKED] = (SimLevel)level;
    restore_overrides(characters, character, transfer);
    restore_random(character, transfer);
    const uint64_t late = now > transfer->tick ? now - transfer->tick : 0;
    if (late == 0 || late > most_late) return true;
    Late catching_up = {character->instance, transfer->tick + 1, characters->tick_rate};
    characters->reloading = true;
    const bool caught_up = sim_character_catch_up(world, character->id, (int)late, transfer->air,
                                                  transfer->air_size, run_late_tick, &catching_up, &issue);
    characters->reloading = false;
    if (!caught_up) script_error_set(out_error, "%s: %s", issue.path, issue.message);
    return caught_up;
}

static void restore_overrides(const AppCharacters *characters, AppCharacter *character,
                              const AppTransfer *transfer) {
    const cJSON *garment;
    cJSON_ArrayForEach(garment, cJSON_GetObjectItemCaseSensitive(transfer->header, "garments")) {
        ProtocolError error;
        const int index = app_character_garment(characters, character, garment->string);
        if (index >= 0 && !app_fabrics_read(garment, &character->overrides[index], &error))
            character->overrides[index] = (AppOverride){0};
    }
}

static void restore_random(const AppCharacter *character, const AppTransfer *transfer) {
    const cJSON *words = cJSON_GetObjectItemCaseSensitive(transfer->header, "random");
    ScriptRandomState random;
    for (int i = 0; i < 4; i++) {
        const char *text = cJSON_GetStringValue(cJSON_GetArrayItem(words, i));
        if (!text) return;
        random.words[i] = strtoull(text, NULL, 16);
    }
    script_instance_set_random(character->instance, &random);
}

static void run_late_tick(void *context, int tick) {
    const Late *late = context;
    script_instance_run_late_tick(late->instance, (double)(late->tick + (uint64_t)tick) * (1.0 / late->rate));
}
