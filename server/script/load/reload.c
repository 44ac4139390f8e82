// Loads with a host and a world of its own: nothing is shared with the host in use until the loaded script is
// moved there.
#include "script/reload.h"

#include "host/host.h"
#include "host/lookup.h"
#include "load/load.h"

#include <stdlib.h>
#include <string.h>
#include <text/array.h>

// A line of tweed.log or print.
typedef struct LogLine {
    TextLogLevel level;
    char *script, *message;
} LogLine;

struct ScriptReload {
    ScriptHost *host; // its own
    ScriptKind kind;
    char *file; // NULL: fabrics
    ScriptFindings findings;
    ScriptScene *scene; // loaded, not yet moved
    bool loaded;
    ScriptReadFiles files;
    LogLine *log_lines; // [log_line_count]
    size_t log_line_count;
};

static void record_log(void *context, TextLogLevel level, const char *script, const char *character,
                       const char *message);
static void record_report(void *context, const char *script, const char *message);
static bool load(ScriptReload *reload);
static bool load_fabrics(ScriptReload *reload);
static void add_lines(ScriptError *error, const char *lines);
static bool check_fabrics(const ScriptFabricRegistry *registry, const ScriptCharacter *character,
                          ScriptError *out_error);
static const char *missing_fabric(const ScriptFabricRegistry *registry, const ScriptCharacter *character);
static bool has_same_values(const SimFabric *a, const SimFabric *b);
static bool is_named(const char *script, const char *const *scripts, int count);

ScriptReload *script_reload_create(const ScriptHost *host, ScriptKind kind, const char *file) {
    ScriptReload *reload = calloc(1, sizeof *reload);
    if (!reload) return NULL;
    reload->kind = kind;
    reload->host = script_host_copy(host, kind != SCRIPT_FABRIC);
    reload->file = file ? strdup(file) : NULL;
    if (reload->host && (reload->file || !file)) {
        reload->host->callbacks =
            (ScriptCallbacks){.context = reload, .log = record_log, .report = record_report};
        return reload;
    }
    script_reload_destroy(reload);
    return NULL;
}

void script_reload_destroy(ScriptReload *reload) {
    if (!reload) return;
    script_scene_destroy(reload->scene);
    script_host_destroy(reload->host);
    script_findings_finish(&reload->findings);
    for (size_t i = 0; i < reload->log_line_count; i++) {
        free(reload->log_lines[i].script);
        free(reload->log_lines[i].message);
    }
    free(reload->log_lines);
    script_read_files_finish(&reload->files);
    free(reload->file);
    free(reload);
}

void script_reload_run(ScriptReload *reload) {
    ScriptHost *host = reload->host;
    host->read = &reload->files;
    host->cpu_timer = script_cpu_timer_create();
    reload->loaded = host->cpu_timer && load(reload);
    if (!host->cpu_timer)
        script_findings_add(&reload->findings, SCRIPT_SEVERITY_ERROR, reload->file ? reload->file : ".", 0,
                            "", "cannot create the CPU timer");
    script_cpu_timer_destroy(host->cpu_timer);
    host->cpu_timer = NULL;
}

bool script_reload_succeeded(const ScriptReload *reload) {
    return reload->loaded;
}

char *script_reload_failed_script(const ScriptReload *reload) {
    char name[SCRIPT_PATH_SIZE];
    for (size_t i = 0; i < reload->findings.count; i++) {
        if (reload->findings.items[i].severity != SCRIPT_SEVERITY_ERROR) continue;
        script_name_of(reload->host, reload->findings.items[i].file, name);
        return strdup(name);
    }
    return NULL;
}

void script_reload_error(const ScriptReload *reload, ScriptError *out_error) {
    *out_error = (ScriptError){0};
    for (size_t i = 0; i < reload->findings.count; i++) {
        const ScriptFinding *finding = &reload->findings.items[i];
        if (finding->severity != SCRIPT_SEVERITY_ERROR) continue;
        char *line = script_finding_text(finding, false);
        if (!line) break;
        add_lines(out_error, line);
        free(line);
    }
    if (!out_error->message) out_error->message = strdup("out of memory");
}

const char *const *script_reload_files(const ScriptReload *reload, int *out_count) {
    *out_count = reload->files.paths.count;
    return (const char *const *)reload->files.paths.items;
}

bool script_reload_is_stale(const ScriptReload *reload) {
    int place = 0;
    return script_read_files_next_changed(&reload->files, &place) != NULL;
}

void script_reload_report_log(const ScriptReload *reload, const ScriptHost *host) {
    const ScriptCallbacks *callbacks = &host->callbacks;
    for (size_t i = 0; callbacks->log && i < reload->log_line_count; i++) {
        const LogLine *line = &reload->log_lines[i];
        if (line->script && line->message) // otherwise memory ran out
            callbacks->log(callbacks->context, line->level, line->script, NULL, line->message);
    }
}

ScriptCharacter *script_reload_move_character(ScriptReload *reload, ScriptHost *host) {
    ScriptCharacter *character = reload->host->characters;
    if (!reload->loaded || !character) return NULL;
    const SimRigId rig = sim_rig_move(host->world, reload->host->world, character->info.rig);
    if (!rig.index) return NULL;
    reload->host->characters = character->next;
    character->next = NULL;
    character->info.rig = rig;
    character->host = host;
    character->state->provisional = true;
    script_state_move(character->state, host);
    return character;
}

void script_character_replace(ScriptCharacter *old, ScriptCharacter *fresh) {
    ScriptCharacter **link = &fresh->host->characters;
    while (*link != old) link = &(*link)->next;
    *link = fresh;
    fresh->next = old->next;
    fresh->info.revision = old->info.revision + 1;
    fresh->state->provisional = false;
    script_character_discard(old);
}

bool script_character_accept(ScriptCharacter *fresh, ScriptError *out_error) {
    ScriptHost *host = fresh->host;
    if (!check_fabrics(&host->fabrics, fresh, out_error)) {
        script_character_discard(fresh);
        return false;
    }
    fresh->state->provisional = false;
    fresh->next = host->characters;
    host->characters = fresh;
    return true;
}

ScriptScene *script_reload_move_scene(ScriptReload *reload, ScriptHost *host) {
    ScriptScene *scene = reload->scene;
    reload->scene = NULL;
    if (!scene || !scene->state) return scene;
    scene->state->provisional = true;
    script_state_move(scene->state, host);
    return scene;
}

void script_scene_accept(ScriptScene *fresh) {
    if (fresh->state) fresh->state->provisional = false;
}

bool script_reload_commit_fabrics(ScriptReload *reload, ScriptHost *host, const char *const *scripts,
                                  int script_count, ScriptFabricLoaded loaded, void *context,
                                  ScriptError *out_error) {
    *out_error = (ScriptError){0};
    for (const ScriptCharacter *user = host->characters; user; user = user->next)
        if (!check_fabrics(&reload->host->fabrics, user, out_error)) return false;
    ScriptFabricRegistry before = host->fabrics;
    host->fabrics = reload->host->fabrics;
    reload->host->fabrics = (ScriptFabricRegistry){0};
    for (int i = 0; i < host->fabrics.count; i++) {
        ScriptFabric *fabric = &host->fabrics.items[i];
        const ScriptFabric *old = script_fabric_registry_find(&before, fabric->name);
        if (old && has_same_values(&old->defined, &fabric->defined) &&
            sim_materials_are_equal(&old->material, &fabric->material) &&
            !is_named(fabric->script, scripts, script_count))
            fabric->values = old->values;
        else
            loaded(context, fabric, old);
    }
    script_fabric_registry_finish(&before);
    return true;
}

const char *const *script_fabric_files(const ScriptHost *host, int *out_count) {
    *out_count = host->fabrics.read.count;
    return (const char *const *)host->fabrics.read.items;
}

const char *const *script_fabric_folders(const ScriptHost *host, int *out_count) {
    const int count = host->directories.count + host->folders.count;
    const char **folders = calloc((size_t)count + 1, sizeof *folders);
    *out_count = folders ? count : 0;
    for (int i = 0; i < *out_count; i++)
        folders[i] = i < host->directories.count ? host->directories.items[i]
                                                 : host->folders.items[i - host->directories.count];
    return folders;
}

const char *script_fabric_script(const ScriptHost *host, const char *file) {
    for (int i = 0; i < host->fabrics.count; i++)
        if (strcmp(host->fabrics.files[i], file) == 0) return host->fabrics.items[i].script;
    return NULL;
}

static void record_log(void *context, TextLogLevel level, const char *script, const char *character,
                       const char *message) {
    (void)character;
    ScriptReload *reload = context;
    if (TEXT_ARRAY_EXTEND(reload->log_lines, reload->log_line_count))
        reload->log_lines[reload->log_line_count++] = (LogLine){level, strdup(script), strdup(message)};
}

static void record_report(void *context, const char *script, const char *message) {
    record_log(context, TEXT_LOG_INFO, script, NULL, message);
}

static bool load(ScriptReload *reload) {
    switch (reload->kind) {
    case SCRIPT_CHARACTER:
        return script_character_of_file(reload->host, reload->file, &reload->findings) != NULL;
    case SCRIPT_FABRIC:
        return load_fabrics(reload);
    default:
        reload->scene = script_scene_load(reload->host, reload->file, &reload->findings);
        return reload->scene != NULL;
    }
}

static bool load_fabrics(ScriptReload *reload) {
    ScriptStringList folders = {0};
    const ScriptStringList *const lists[] = {&reload->host->directories, &reload->host->folders};
    bool loaded = true;
    for (int list = 0; list < 2; list++)
        for (int i = 0; i < lists[list]->count; i++)
            loaded = script_string_list_add_new(&folders, lists[list]->items[i]) && loaded;
    loaded = loaded && script_fabrics_load(reload->host, (const char *const *)folders.items, folders.count,
                                           &reload->findings);
    script_string_list_finish(&folders);
    return loaded;
}

// The first line is the message, all others are the traceback.
static void add_lines(ScriptError *error, const char *lines) {
    if (!error->message) {
        const size_t length = strcspn(lines, "\n");
        error->message = script_format("%.*s", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
    if (!*lines) return;
    char *before = error->traceback;
    error->traceback = script_format("%s%s%s", before ? before : "", before ? "\n" : "", lines);
    free(before);
}

static bool check_fabrics(const ScriptFabricRegistry *registry, const ScriptCharacter *character,
                          ScriptError *out_error) {
    const char *missing = missing_fabric(registry, character);
    *out_error = (ScriptError){0};
    if (missing)
        out_error->message =
            script_format("fabric \"%s\" was removed, but %s needs it", missing, character->info.script);
    return !missing;
}

// The first fabric of the character that is missing, or NULL.
static const char *missing_fabric(const ScriptFabricRegistry *registry, const ScriptCharacter *character) {
    for (int i = 0; i < character->info.garment_count; i++)
        if (!script_fabric_registry_find(registry, character->info.garments[i].fabric))
            return character->info.garments[i].fabric;
    return NULL;
}

static bool has_same_values(const SimFabric *a, const SimFabric *b) {
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    for (int i = 0; i < count; i++)
        if (sim_fabric_get(a, &fields[i]) != sim_fabric_get(b, &fields[i])) return false;
    return true;
}

static bool is_named(const char *script, const char *const *scripts, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(scripts[i], script) == 0) return true;
    return false;
}
