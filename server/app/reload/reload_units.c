// The list of units.
#include "reload/reload_units.h"

#include "server/app.h"
#include "session/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static AppUnit *add(AppReload *reload, ScriptKind kind, const char *script, const char *file);
static AppUnit *find(const AppReload *reload, ScriptKind kind, const char *file);
static bool is_fabric_file(App *app, const char *path);
static bool is_folder(const char *path);
static const char *const *files_of(const App *app, const AppUnit *unit, int *out_count);
static bool reads(App *app, const AppUnit *unit, const char *path);
static void note_fabric(AppReload *reload, const char *script);
static void watch_all(App *app);
static void watch(App *app, int error, const char *path);

bool app_units_update(App *app, void (*loaded)(App *app, const char *script)) {
    AppReload *reload = &app->reload;
    const ScriptHost *host = app->characters.host;
    bool added = reload->count || add(reload, SCRIPT_FABRIC, "", NULL);
    for (size_t i = 0; added && i < app->characters.scene_count; i++) {
        const ScriptScene *scene = app->characters.scenes[i];
        const char *file = script_scene_file(scene);
        if (file && !find(reload, SCRIPT_SCENE, file))
            added = add(reload, SCRIPT_SCENE, script_scene_info(scene)->script, file) != NULL;
    }
    for (const ScriptCharacter *character = script_character_next(host, NULL); added && character;
         character = script_character_next(host, character)) {
        const char *file = script_character_file(character);
        const char *script = script_character_info(character)->script;
        if (find(reload, SCRIPT_CHARACTER, file)) continue;
        added = add(reload, SCRIPT_CHARACTER, script, file) != NULL;
        if (loaded) loaded(app, script);
    }
    watch_all(app);
    return added;
}

void app_units_finish(AppReload *reload) {
    for (size_t i = 0; i < reload->count; i++) {
        AppUnit *unit = &reload->units[i];
        app_unit_set_tried(unit, NULL);
        script_error_finish(&unit->failure);
        free(unit->failed_script);
        free(unit->script);
        free(unit->file);
    }
    free(reload->units);
    app_units_forget_fabrics(reload);
}

static AppUnit *add(AppReload *reload, ScriptKind kind, const char *script, const char *file) {
    if (reload->count == reload->capacity) {
        const size_t capacity = reload->capacity ? 2 * reload->capacity : 8;
        AppUnit *grown = realloc(reload->units, capacity * sizeof *grown);
        if (!grown) return NULL;
        reload->units = grown;
        reload->capacity = capacity;
    }
    AppUnit *unit = &reload->units[reload->count];
    *unit = (AppUnit){.kind = kind, .script = strdup(script), .file = file ? strdup(file) : NULL};
    if (unit->script && (unit->file || !file)) {
        reload->count++;
        return unit;
    }
    free(unit->script);
    free(unit->file);
    return NULL;
}

static AppUnit *find(const AppReload *reload, ScriptKind kind, const char *file) {
    for (size_t i = 0; i < reload->count; i++)
        if (reload->units[i].kind == kind && reload->units[i].file &&
            strcmp(reload->units[i].file, file) == 0)
            return &reload->units[i];
    return NULL;
}

// Scripts that never came
// ------------------------------------------------------------------------------------------------------------

void app_units_note_failure(App *app, const AppFirstLoad *load, const ScriptError *error) {
    AppUnit *unit = find(&app->reload, SCRIPT_CHARACTER, load->file);
    if (!unit) unit = add(&app->reload, SCRIPT_CHARACTER, load->script, load->file);
    if (!unit) return;
    app_unit_set_tried(unit, load->job);
    script_error_finish(&unit->failure);
    script_error_copy(&unit->failure, error);
}

AppUnit *app_units_failed(const App *app, const char *file) {
    AppUnit *unit = find(&app->reload, SCRIPT_CHARACTER, file);
    return unit && !app_unit_character(app, unit) ? unit : NULL;
}

void app_units_retry(AppReload *reload) {
    for (size_t i = 0; i < reload->count; i++)
        reload->units[i].due |= reload->units[i].kind != SCRIPT_FABRIC && reload->units[i].failure.message;
}

// Changes
// -----------------------------------------------------------------------------------------------------------

bool app_units_note_change(App *app, const char *path) {
    bool any = false;
    for (size_t i = 0; i < app->reload.count; i++) {
        AppUnit *unit = &app->reload.units[i];
        const bool is_read = reads(app, unit, path);
        unit->due |= is_read;
        any |= is_read;
    }
    const char *script = script_fabric_script(app->characters.host, path);
    if (script) note_fabric(&app->reload, script);
    return any;
}

static bool reads(App *app, const AppUnit *unit, const char *path) {
    int count;
    const char *const *files = files_of(app, unit, &count);
    for (int i = 0; i < count; i++)
        if (app_file_watch_is_within(files[i], path)) return true;
    for (size_t i = 0; i < unit->tried_count; i++)
        if (app_file_watch_is_within(unit->tried[i], path)) return true;
    return unit->kind == SCRIPT_FABRIC && is_fabric_file(app, path);
}

// One that is new, too, or a folder of some.
static bool is_fabric_file(App *app, const char *path) {
    const char *name = strrchr(path, '/');
    const size_t length = strlen(path);
    const bool is_lua = length > 4 && strcmp(path + length - 4, ".lua") == 0;
    bool found = false;
    int count;
    const char *const *folders = script_fabric_folders(app->characters.host, &count);
    for (int i = 0; i < count && !found; i++) {
        char folder[4096 + 16];
        snprintf(folder, sizeof folder, "%s/fabrics", folders[i]);
        const bool below = app_file_watch_is_within(path, folder) && !(name && name[1] == '.');
        found = app_file_watch_is_within(folder, path) || (below && (is_lua || is_folder(path)));
        if (below && !is_lua && found) watch(app, app_file_watch_folder(&app->reload.watch, path), path);
    }
    free((void *)folders);
    return found;
}

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static const char *const *files_of(const App *app, const AppUnit *unit, int *out_count) {
    *out_count = 0;
    if (unit->kind == SCRIPT_FABRIC) return script_fabric_files(app->characters.host, out_count);
    if (unit->kind == SCRIPT_SCENE) {
        ScriptScene **scene = app_unit_scene(app, unit);
        return scene ? script_scene_files(*scene, out_count) : NULL;
    }
    const ScriptCharacter *character = app_unit_character(app, unit);
    return character ? script_character_files(character, out_count) : NULL;
}

bool app_units_ask(App *app, const char *script) {
    AppReload *reload = &app->reload;
    int fabric_count;
    bool any = false, is_fabric = false;
    const ScriptFabric *fabrics = script_fabrics(app->characters.host, &fabric_count);
    for (int i = 0; i < fabric_count; i++) {
        if (script && strcmp(fabrics[i].script, script) != 0) continue;
        note_fabric(reload, fabrics[i].script);
        is_fabric = true;
    }
    if (script && reload->units[0].failed_script && strcmp(reload->units[0].failed_script, script) == 0)
        is_fabric = true; // a new file that has not come in yet
    for (size_t i = 0; i < reload->count; i++) {
        AppUnit *unit = &reload->units[i];
        const bool is_meant =
            unit->kind == SCRIPT_FABRIC ? is_fabric : !script || strcmp(unit->script, script) == 0;
        unit->due |= is_meant;
        unit->asked |= is_meant;
        any |= is_meant;
    }
    return any || !script;
}

static void note_fabric(AppReload *reload, const char *script) {
    for (size_t i = 0; i < reload->fabric_count; i++)
        if (strcmp(reload->fabrics[i], script) == 0) return;
    char **grown = realloc(reload->fabrics, (reload->fabric_count + 1) * sizeof *grown);
    if (!grown) return;
    reload->fabrics = grown;
    grown[reload->fabric_count] = strdup(script);
    if (grown[reload->fabric_count]) reload->fabric_count++;
}

void app_units_forget_fabrics(AppReload *reload) {
    for (size_t i = 0; i < reload->fabric_count; i++) free(reload->fabrics[i]);
    free(reload->fabrics);
    reload->fabrics = NULL;
    reload->fabric_count = 0;
}

// One unit
// ----------------------------------------------------------------------------------------------------------

ScriptCharacter *app_unit_character(const App *app, const AppUnit *unit) {
    const ScriptHost *host = app->characters.host;
    ScriptCharacter *character = script_character_next(host, NULL);
    while (character && strcmp(script_character_file(character), unit->file) != 0)
        character = script_character_next(host, character);
    return character;
}

ScriptScene **app_unit_scene(const App *app, const AppUnit *unit) {
    for (size_t i = 0; i < app->characters.scene_count; i++) {
        const char *file = script_scene_file(app->characters.scenes[i]);
        if (file && strcmp(file, unit->file) == 0) return &app->characters.scenes[i];
    }
    return NULL;
}

bool app_unit_is_due(const App *app, const AppUnit *unit) {
    const AppReload *reload = &app->reload;
    return unit->due || (reload->job && unit == &reload->units[reload->unit]);
}

void app_unit_note_loaded(App *app, AppUnit *unit) {
    app_unit_set_tried(unit, NULL);
    script_error_finish(&unit->failure);
    app_event_script_loaded(app, unit->script);
}

void app_unit_set_tried(AppUnit *unit, const ScriptReload *failed) {
    for (size_t i = 0; i < unit->tried_count; i++) free(unit->tried[i]);
    free(unit->tried);
    unit->tried = NULL;
    unit->tried_count = 0;
    if (!failed) return;
    int count;
    const char *const *files = script_reload_files(failed, &count);
    unit->tried = calloc((size_t)count + 1, sizeof *unit->tried);
    for (int i = 0; unit->tried && i < count; i++) {
        unit->tried[unit->tried_count] = strdup(files[i]);
        if (unit->tried[unit->tried_count]) unit->tried_count++;
    }
}

void app_unit_name_failure(App *app, AppUnit *unit) {
    free(unit->failed_script);
    char *name = app->reload.job ? script_reload_failed_script(app->reload.job) : NULL;
    const bool named = unit->kind == SCRIPT_FABRIC && name;
    unit->failed_script = named ? name : strdup(unit->kind == SCRIPT_FABRIC ? "fabrics" : unit->script);
    if (!named) free(name);
}

bool app_units_same_environment(const SimEnvironment *a, const SimEnvironment *b) {
    return memcmp(a->gravity_world, b->gravity_world, sizeof a->gravity_world) == 0 &&
           memcmp(a->wind.velocity_world, b->wind.velocity_world, sizeof a->wind.velocity_world) == 0 &&
           a->wind.turbulence == b->wind.turbulence && a->wind.gust == b->wind.gust &&
           a->has_ground == b->has_ground && a->ground == b->ground;
}

// Watching
// ---------------------------------------------------------------------------------------------------------

static void watch_all(App *app) {
    AppFileWatch *watches = &app->reload.watch;
    for (size_t i = 0; i < app->reload.count; i++) {
        const AppUnit *unit = &app->reload.units[i];
        int count;
        const char *const *files = files_of(app, unit, &count);
        for (int file = 0; file < count; file++) app_units_watch(app, files[file]);
        for (size_t file = 0; file < unit->tried_count; file++) app_units_watch(app, unit->tried[file]);
    }
    int count;
    const char *const *folders = script_fabric_folders(app->characters.host, &count);
    for (int i = 0; i < count; i++) {
        char path[4096 + 16];
        snprintf(path, sizeof path, "%s/fabrics", folders[i]);
        watch(app, app_file_watch_folder(watches, path), path);
    }
    free((void *)folders);
}

void app_units_watch(App *app, const char *file) {
    watch(app, app_file_watch_folder_of(&app->reload.watch, file), file);
}

static void watch(App *app, int error, const char *path) {
    if (!error || error == UV_ENOENT || app->reload.warned) return;
    app->reload.warned = true;
    app_log(&app->log, TEXT_LOG_WARNING, "cannot watch %s: %s; changes are taken up by script.reload only",
            path, uv_strerror(error));
}
