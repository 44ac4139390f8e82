// script.*
#include "reload/reloadables.h"

#include <stdlib.h>
#include <string.h>

// One entry of script.list.
typedef struct Entry {
    const char *kind;
    bool loaded;
    size_t characters, memory_bytes;
    const ScriptError *suspension, *failure; // NULL: none
} Entry;

static void fail_not_loaded(ProtocolError *error, const char *script, const char *const *loaded,
                            size_t count);
static bool list_names(const AppReload *reload, ScriptValue *out_names);
static bool add_name(ScriptValue *names, const char *script);
static Entry entry_of(const AppReload *reload, const char *script);
static void put_entry(AppCall *call, const char *script);

void app_handle_script_list(AppCall *call) {
    ScriptValue names;
    if (!list_names(call->context, &names)) {
        app_call_fail_memory(call);
        return;
    }
    call->result = app_json_root_list(&call->json);
    for (size_t i = 0; i < names.count; i++) put_entry(call, names.items[i].string);
    script_value_finish(&names);
}

void app_handle_script_reload(AppCall *call) {
    const bool any = !protocol_param_given(call->params, "script");
    const char *script = any ? NULL : protocol_param_string(call->params, "script");
    if (app_reload_request(call->context, call, script)) return;
    ScriptValue names;
    if (!list_names(call->context, &names)) {
        app_call_fail_memory(call);
        return;
    }
    const char **known = calloc(names.count + 1, sizeof *known);
    size_t count = 0;
    for (size_t i = 0; known && i < names.count; i++)
        if (entry_of(call->context, names.items[i].string).loaded) known[count++] = names.items[i].string;
    fail_not_loaded(&call->error, script, known, count);
    free(known);
    script_value_finish(&names);
}

// With the nearest name, or where none is near, those in the same folder: "; loaded: characters/wake".
static void fail_not_loaded(ProtocolError *error, const char *script, const char *const *loaded,
                            size_t count) {
    const TextNearest nearest = text_nearest_of(script, loaded, count);
    protocol_error_not_found(error, "params.script", "loaded script", &nearest);
    if (nearest.best) return;
    const char *slash = strrchr(script, '/');
    const size_t folder = slash ? (size_t)(slash - script) + 1 : 0;
    TextBuffer names = {0};
    for (size_t i = 0; i < count; i++) {
        if (strncmp(loaded[i], script, folder) != 0) continue;
        text_buffer_append_string(&names, names.length ? ", " : "; loaded: ");
        text_buffer_append_string(&names, loaded[i]);
    }
    protocol_error_set(error, PROTOCOL_NOT_FOUND, "params.script", "no loaded script \"%s\"%s", script,
                       text_buffer_string(&names));
    text_buffer_finish(&names);
}

// The sorted names of scripts in the script folders, and of those loaded from elsewhere.
static bool list_names(const AppReload *reload, ScriptValue *out_names) {
    int count;
    const ScriptFabric *fabrics = script_fabrics(reload->characters->host, &count);
    bool listed = script_host_list(reload->characters->host, out_names);
    for (int i = 0; listed && i < count; i++) listed = add_name(out_names, fabrics[i].script);
    for (size_t i = 1; listed && i < reload->count; i++)
        listed = add_name(out_names, reload->items[i].script);
    if (!listed) script_value_finish(out_names);
    return listed;
}

static bool add_name(ScriptValue *names, const char *script) {
    size_t place = 0;
    while (place < names->count && strcmp(names->items[place].string, script) < 0) place++;
    if (place < names->count && strcmp(names->items[place].string, script) == 0) return true;
    ScriptValue name;
    if (!script_value_string(&name, script, strlen(script)) || !script_value_append(names, name))
        return false;
    for (size_t i = names->count - 1; i > place; i--) names->items[i] = names->items[i - 1];
    names->items[place] = name;
    return true;
}

static void fill_in_fabric(const AppReload *reload, const char *script, Entry *entry) {
    int count;
    const ScriptFabric *fabrics = script_fabrics(reload->characters->host, &count);
    for (int i = 0; i < count; i++) entry->loaded |= strcmp(fabrics[i].script, script) == 0;
    const AppReloadable *item = &reload->items[0];
    if (item->failure.message && strcmp(item->failed_script, script) == 0) entry->failure = &item->failure;
}

static void fill_in_item(const AppReload *reload, const AppReloadable *item, Entry *entry) {
    entry->loaded = item->kind == SCRIPT_SCENE || app_reloadable_character(reload, item);
    if (item->failure.message) entry->failure = &item->failure;
    if (item->kind == SCRIPT_SCENE) {
        ScriptScene **scene = app_reloadable_scene(reload, item);
        if (!scene) return;
        entry->memory_bytes = script_scene_memory(*scene);
        entry->suspension = script_scene_suspension(*scene);
        return;
    }
    const ScriptCharacter *character = app_reloadable_character(reload, item);
    if (!character) return;
    entry->memory_bytes = script_character_memory(character);
    entry->suspension = script_character_suspension(character);
    for (size_t i = 0; i < reload->characters->count; i++)
        entry->characters += reload->characters->items[i]->script == character;
}

static Entry entry_of(const AppReload *reload, const char *script) {
    static const char *const kinds[] = {
        [SCRIPT_CHARACTER] = "character", [SCRIPT_FABRIC] = "fabric", [SCRIPT_SCENE] = "scene"};
    const AppReloadable *item = app_reloadables_find_script(reload, script);
    Entry entry = {.kind = strncmp(script, "fabrics/", 8) == 0  ? "fabric"
                           : strncmp(script, "scenes/", 7) == 0 ? "scene"
                                                                : "character"};
    if (item) {
        entry.kind = kinds[item->kind];
        fill_in_item(reload, item, &entry);
    } else {
        fill_in_fabric(reload, script, &entry);
    }
    return entry;
}

static void put_entry(AppCall *call, const char *script) {
    const Entry entry = entry_of(call->context, script);
    const ScriptError *error = entry.suspension ? entry.suspension : entry.failure;
    AppJson *json = &call->json;
    cJSON *item = app_json_object(json, call->result, NULL);
    app_json_string(json, item, "script", script);
    app_json_string(json, item, "kind", entry.kind);
    app_json_bool(json, item, "loaded", entry.loaded);
    app_json_integer(json, item, "characters", entry.characters);
    app_json_integer(json, item, "memory_bytes", entry.memory_bytes);
    app_json_bool(json, item, "suspended", entry.suspension != NULL);
    if (error) app_json_string(json, item, "message", error->message);
    if (error && error->traceback) app_json_string(json, item, "traceback", error->traceback);
}
