// The host: folders, fabrics, time.
#include "script/host.h"

#include "host/host.h"
#include "host/lookup.h"
#include "load/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool copy_paths(ScriptStringList *paths, const char *const *from, int count);
static bool load_fabrics(ScriptHost *host, ScriptFindings *findings);
static bool copy_all(ScriptStringList *paths, const ScriptStringList *from);

ScriptHost *script_host_make(const ScriptHostDef *def, bool checking, ScriptFindings *findings) {
    ScriptHost *host = calloc(1, sizeof *host);
    bool made = host != NULL;
    if (made) {
        SimIssue issue;
        const SimWorldDef world = sim_default_world_def();
        if (checking) host->own_world = sim_world_create(&world, &issue); // to create rigs in
        host->world = checking ? host->own_world : def->world;
        host->seed = def->seed;
        host->callbacks = def->callbacks;
        host->checking = checking;
        host->script_memory = def->script_memory ? def->script_memory : SCRIPT_DEFAULT_MEMORY;
        host->total_memory = def->total_memory ? def->total_memory : SCRIPT_DEFAULT_TOTAL;
        host->most_rig_ns = def->most_rig_ns;
        host->pass = 1;
        host->script_budget_ns = def->script_budget_ns ? def->script_budget_ns : SCRIPT_DEFAULT_BUDGET_NS;
        host->import = def->import;
        host->unhurried = def->unhurried;
        host->starting = true;
        host->read = &host->first_read;
        host->cpu_timer = script_cpu_timer_create();
        host->working_directory = getcwd(NULL, 0);
        host->cache = strdup(def->cache_directory ? def->cache_directory : "");
        made = host->working_directory && host->cache && host->cpu_timer &&
               copy_paths(&host->directories, def->script_directories, def->script_directory_count) &&
               copy_paths(&host->assets, def->asset_directories, def->asset_directory_count);
    }
    if (!made) script_findings_add(findings, SCRIPT_SEVERITY_ERROR, ".", 0, "", "out of memory");
    if (made && (load_fabrics(host, findings) || checking)) return host;
    script_host_destroy(host);
    return NULL;
}

ScriptHost *script_host_create(const ScriptHostDef *def, ScriptFindings *findings) {
    return script_host_make(def, false, findings);
}

ScriptHost *script_host_copy(const ScriptHost *from, bool with_fabrics) {
    SimIssue issue;
    const SimWorldDef world = sim_default_world_def();
    ScriptHost *host = calloc(1, sizeof *host);
    if (!host) return NULL;
    host->world = host->own_world = sim_world_create(&world, &issue);
    host->seed = from->seed;
    host->script_memory = from->script_memory;
    host->import = from->import;
    host->most_rig_ns = from->most_rig_ns;
    host->total_memory = from->total_memory;
    host->script_budget_ns = from->script_budget_ns;
    host->pass = 1;
    host->working_directory = strdup(from->working_directory);
    host->cache = strdup(from->cache);
    if (host->own_world && host->working_directory && host->cache &&
        copy_all(&host->folders, &from->folders) && copy_all(&host->directories, &from->directories) &&
        copy_all(&host->assets, &from->assets) &&
        (!with_fabrics || script_fabric_registry_copy(&host->fabrics, &from->fabrics)))
        return host;
    script_host_destroy(host);
    return NULL;
}

void script_host_destroy(ScriptHost *host) {
    if (!host) return;
    script_characters_destroy(host);
    script_cpu_timer_destroy(host->cpu_timer);
    sim_world_destroy(host->own_world);
    script_fabric_registry_finish(&host->fabrics);
    script_events_finish(&host->events);
    script_read_files_finish(&host->first_read);
    script_string_list_finish(&host->folders);
    script_string_list_finish(&host->directories);
    script_string_list_finish(&host->assets);
    free(host->working_directory);
    free(host->cache);
    free(host->bones);
    free(host);
}

void script_host_started(ScriptHost *host) {
    host->starting = false;
}

void script_host_report_changed(ScriptHost *host, bool (*changed)(void *context, const char *path),
                                void *context) {
    int place = 0;
    for (const char *path; (path = script_read_files_next_changed(&host->first_read, &place));)
        changed(context, path);
    script_read_files_finish(&host->first_read);
    host->read = NULL;
}

void script_host_begin_tick(ScriptHost *host, double time, double dt) {
    host->tick++;
    host->time = time;
    host->dt = dt;
    script_host_begin_interval(host);
}

void script_host_begin_interval(ScriptHost *host) {
    host->interval++;
    script_host_renew_time(host);
    if (host->interval >= host->window_interval + SCRIPT_WINDOW) {
        host->window_interval = host->interval;
        host->window_ns = 0;
    }
    if ((double)host->interval * host->dt >= (double)host->second + 1.0) host->second++;
}

size_t script_host_memory(const ScriptHost *host) {
    return host->bytes;
}

ScriptFound script_host_find(const ScriptHost *host, const char *script, char **out_file,
                             char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    char file[SCRIPT_PATH_SIZE];
    *out_file = NULL;
    const ScriptFound found = script_find_script(host, script, file, out_message);
    if (found != SCRIPT_FOUND) return found;
    *out_file = strdup(file);
    if (*out_file) return SCRIPT_FOUND;
    snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE, "out of memory");
    return SCRIPT_FOUND_NO_MEMORY;
}

static bool copy_paths(ScriptStringList *paths, const char *const *from, int count) {
    for (int i = 0; i < count; i++) {
        if (!from[i] || !from[i][0] || script_folder_is_among(paths, from[i])) continue;
        if (!script_string_list_add(paths, from[i], false)) return false;
    }
    return true;
}

static bool load_fabrics(ScriptHost *host, ScriptFindings *findings) {
    const ScriptStringList *folders = &host->directories;
    return script_fabrics_load(host, (const char *const *)folders->items, folders->count, findings);
}

static bool copy_all(ScriptStringList *paths, const ScriptStringList *from) {
    return copy_paths(paths, (const char *const *)from->items, from->count);
}
