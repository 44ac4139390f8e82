// The list, and what marks its entries dirty.
#include "reload/reloadables.h"

#include "session/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <text/array.h>

static AppReloadable *add(AppReload *reload, ScriptKind kind, const char *script, const char *file);
static bool is_fabric_file(AppReload *reload, const char *path);
static bool is_folder(const char *path);
static const char *const *files_of(const AppReload *reload, const AppReloadable *item, int *out_count);
static bool is_inside(const AppReload *reload, const AppReloadable *item);
static bool reads(AppReload *reload, const AppReloadable *item, const char *path);
static void watch_all(AppReload *reload);
static void watch(AppReload *reload, int error, const char *path);

bool app_reloadables_update(AppReload *reload, bool with_events) {
    const ScriptHost *host = reload->characters->host;
    bool added = reload->count || add(reload, SCRIPT_FABRIC, "", NULL);
    for (size_t i = 0; added && i < reload->characters->scene_count; i++) {
        const ScriptScene *scene = reload->characters->scenes[i];
        const char *file = script_scene_file(scene);
        if (file && !app_reloadables_find(reload, SCRIPT_SCENE, file))
            added = add(reload, SCRIPT_SCENE, script_scene_info(scene)->script, file) != NULL;
    }
    for (const ScriptCharacter *character = script_character_next(host, NULL); added && character;
         character = script_character_next(host, character)) {
        const char *file = script_character_file(character);
        const char *script = script_character_info(character)->script;
        if (app_reloadables_find(reload, SCRIPT_CHARACTER, file)) continue;
        added = add(reload, SCRIPT_CHARACTER, script, file) != NULL;
        if (with_events) app_event_script_loaded(reload->sessions, script);
    }
    watch_all(reload);
    return added;
}

void app_reloadables_finish(AppReload *reload) {
    for (size_t i = 0; i < reload->count; i++) {
        AppReloadable *item = &reload->items[i];
        app_reloadable_set_failed_files(item, NULL);
        script_error_finish(&item->failure);
        free(item->failed_script);
        free(item->script);
        free(item->file);
    }
    free(reload->items);
    app_script_names_finish(&reload->changed_fabrics);
}

AppReloadable *app_reloadables_find(const AppReload *reload, ScriptKind kind, const char *file) {
    for (size_t i = 0; i < reload->count; i++)
        if (reload->items[i].kind == kind && (!file || strcmp(reload->items[i].file, file) == 0))
            return &reload->items[i];
    return NULL;
}

AppReloadable *app_reloadables_find_script(const AppReload *reload, const char *script) {
    for (size_t i = 0; i < reload->count; i++)
        if (strcmp(reload->items[i].script, script) == 0) return &reload->items[i];
    return NULL;
}

void app_reloadables_add_failed(AppReload *reload, const AppLoad *load, const ScriptError *error) {
    AppReloadable *item = app_reloadables_find(reload, SCRIPT_CHARACTER, load->file);
    if (!item) item = add(reload, SCRIPT_CHARACTER, load->script, load->file);
    if (!item) return;
    app_reloadable_set_failed_files(item, load);
    script_error_finish(&item->failure);
    script_error_copy(&item->failure, error);
}

AppReloadable *app_reloadables_find_failed(const AppReload *reload, const char *file) {
    AppReloadable *item = app_reloadables_find(reload, SCRIPT_CHARACTER, file);
    return item && !app_reloadable_character(reload, item) ? item : NULL;
}

void app_reloadables_retry_failed(AppReload *reload) {
    for (size_t i = 0; i < reload->count; i++)
        reload->items[i].dirty |= reload->items[i].kind != SCRIPT_FABRIC && reload->items[i].failure.message;
}

bool app_reloadables_note_change(AppReload *reload, const char *path) {
    bool any = false;
    for (size_t i = 0; i < reload->count; i++) {
        AppReloadable *item = &reload->items[i];
        const bool is_read = reads(reload, item, path);
        item->dirty |= is_read;
        any |= is_read;
    }
    const char *script = script_fabric_script(reload->characters->host, path);
    if (script) app_script_names_add(&reload->changed_fabrics, script);
    return any;
}

void app_reloadables_note_all(AppReload *reload) {
    int fabric_count;
    const ScriptFabric *fabrics = script_fabrics(reload->characters->host, &fabric_count);
    for (int i = 0; i < fabric_count; i++) app_script_names_add(&reload->changed_fabrics, fabrics[i].script);
    for (size_t i = 0; i < reload->count; i++) reload->items[i].dirty = true;
}

bool app_reloadables_request(AppReload *reload, const char *script) {
    int fabric_count;
    bool any = false, is_fabric = false;
    const ScriptFabric *fabrics = script_fabrics(reload->characters->host, &fabric_count);
    for (int i = 0; i < fabric_count; i++) {
        if (script && strcmp(fabrics[i].script, script) != 0) continue;
        app_script_names_add(&reload->changed_fabrics, fabrics[i].script);
        is_fabric = true;
    }
    if (script && reload->items[0].failed_script && strcmp(reload->items[0].failed_script, script) == 0)
        is_fabric = true; // a new file whose load has failed
    for (size_t i = 0; i < reload->count; i++) {
        AppReloadable *item = &reload->items[i];
        const bool is_meant =
            item->kind == SCRIPT_FABRIC ? is_fabric : !script || strcmp(item->script, script) == 0;
        item->dirty |= is_meant;
        item->requested |= is_meant;
        any |= is_meant;
    }
    return any || !script;
}

ScriptCharacter *app_reloadable_character(const AppReload *reload, const AppReloadable *item) {
    const ScriptHost *host = reload->characters->host;
    ScriptCharacter *character = script_character_next(host, NULL);
    while (character && strcmp(script_character_file(character), item->file) != 0)
        character = script_character_next(host, character);
    return character;
}

ScriptScene **app_reloadable_scene(const AppReload *reload, const AppReloadable *item) {
    for (size_t i = 0; i < reload->characters->scene_count; i++) {
        const char *file = script_scene_file(reload->characters->scenes[i]);
        if (file && strcmp(file, item->file) == 0) return &reload->characters->scenes[i];
    }
    return NULL;
}

bool app_reloadable_leads_out(const AppReload *reload, const AppReloadable *item) {
    struct stat status;
    return item->is_inside && stat(item->file, &status) == 0 && S_ISREG(status.st_mode) &&
           !is_inside(reload, item);
}

bool app_reloadable_is_loading(const AppReload *reload, const AppReloadable *item) {
    return item->dirty || app_load_queue_find(&reload->loads, APP_RELOAD, item->kind, item->file);
}

void app_reloadable_clear_failure(AppReload *reload, AppReloadable *item) {
    app_reloadable_set_failed_files(item, NULL);
    script_error_finish(&item->failure);
    app_event_script_loaded(reload->sessions, item->script);
}

void app_reloadable_set_failed_files(AppReloadable *item, const AppLoad *failed) {
    for (size_t i = 0; i < item->failed_file_count; i++) free(item->failed_files[i]);
    free(item->failed_files);
    item->failed_files = NULL;
    item->failed_file_count = 0;
    if (!failed || !failed->job) return;
    int count;
    const char *const *files = script_reload_files(failed->job, &count);
    item->failed_files = calloc((size_t)count + 1, sizeof *item->failed_files);
    for (int i = 0; item->failed_files && i < count; i++) {
        item->failed_files[item->failed_file_count] = strdup(files[i]);
        if (item->failed_files[item->failed_file_count]) item->failed_file_count++;
    }
}

void app_reloadable_set_failed_script(AppReloadable *item, const AppLoad *failed) {
    free(item->failed_script);
    const bool is_fabric = item->kind == SCRIPT_FABRIC;
    char *name = is_fabric && failed->job ? script_reload_failed_script(failed->job) : NULL;
    item->failed_script = name ? name : strdup(is_fabric ? "fabrics" : item->script);
}

void app_reload_watch(AppReload *reload, const char *file) {
    watch(reload, app_file_watch_folder_of(&reload->watch, file), file);
}

static AppReloadable *add(AppReload *reload, ScriptKind kind, const char *script, const char *file) {
    if (!TEXT_ARRAY_GROW(reload->items, reload->count, reload->capacity)) return NULL;
    AppReloadable *item = &reload->items[reload->count];
    *item = (AppReloadable){.kind = kind, .script = strdup(script), .file = file ? strdup(file) : NULL};
    if (item->script && (item->file || !file)) {
        item->is_inside = file && is_inside(reload, item);
        reload->count++;
        return item;
    }
    free(item->script);
    free(item->file);
    return NULL;
}

// A scene's file may lie anywhere; where its name finds it, it lies below a folder of scripts.
static bool is_inside(const AppReload *reload, const AppReloadable *item) {
    char *file = NULL, message[SCRIPT_REQUEST_MESSAGE_SIZE];
    const bool found =
        script_host_find(reload->characters->host, item->script, &file, message) == SCRIPT_FOUND;
    free(file);
    return found;
}

static bool reads(AppReload *reload, const AppReloadable *item, const char *path) {
    int count;
    const char *const *files = files_of(reload, item, &count);
    for (int i = 0; i < count; i++)
        if (app_file_watch_is_within(files[i], path)) return true;
    for (size_t i = 0; i < item->failed_file_count; i++)
        if (app_file_watch_is_within(item->failed_files[i], path)) return true;
    return item->kind == SCRIPT_FABRIC && is_fabric_file(reload, path);
}

// Also of a new fabric, or a new folder of fabrics.
static bool is_fabric_file(AppReload *reload, const char *path) {
    const char *name = strrchr(path, '/');
    const size_t length = strlen(path);
    const bool is_lua = length > 4 && strcmp(path + length - 4, ".lua") == 0;
    bool found = false;
    int count;
    const char *const *folders = script_fabric_folders(reload->characters->host, &count);
    for (int i = 0; i < count && !found; i++) {
        char folder[4096 + 16];
        snprintf(folder, sizeof folder, "%s/fabrics", folders[i]);
        const bool below = app_file_watch_is_within(path, folder) && !(name && name[1] == '.');
        found = app_file_watch_is_within(folder, path) || (below && (is_lua || is_folder(path)));
        if (below && !is_lua && found) watch(reload, app_file_watch_folder(&reload->watch, path), path);
    }
    free((void *)folders);
    return found;
}

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static const char *const *files_of(const AppReload *reload, const AppReloadable *item, int *out_count) {
    *out_count = 0;
    if (item->kind == SCRIPT_FABRIC) return script_fabric_files(reload->characters->host, out_count);
    if (item->kind == SCRIPT_SCENE) {
        ScriptScene **scene = app_reloadable_scene(reload, item);
        return scene ? script_scene_files(*scene, out_count) : NULL;
    }
    const ScriptCharacter *character = app_reloadable_character(reload, item);
    return character ? script_character_files(character, out_count) : NULL;
}

static void watch_all(AppReload *reload) {
    AppFileWatch *watches = &reload->watch;
    app_file_watch_begin_round(watches);
    for (size_t i = 0; i < reload->count; i++) {
        const AppReloadable *item = &reload->items[i];
        int count;
        const char *const *files = files_of(reload, item, &count);
        for (int file = 0; file < count; file++) app_reload_watch(reload, files[file]);
        for (size_t file = 0; file < item->failed_file_count; file++)
            app_reload_watch(reload, item->failed_files[file]);
    }
    int count;
    const char *const *folders = script_fabric_folders(reload->characters->host, &count);
    for (int i = 0; i < count; i++) {
        char path[4096 + 16];
        snprintf(path, sizeof path, "%s/fabrics", folders[i]);
        watch(reload, app_file_watch_folder(watches, path), path);
    }
    free((void *)folders);
    app_file_watch_end_round(watches);
}

static void watch(AppReload *reload, int error, const char *path) {
    if (!error || error == UV_ENOENT || reload->warned) return;
    reload->warned = true;
    app_log(reload->sessions->log, TEXT_LOG_WARNING, "cannot watch %s: %s; use script.reload after a change",
            path, uv_strerror(error));
}
