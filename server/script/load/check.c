// Checks files, each with a host and world of its own.
#include "script/check.h"

#include "host/host.h"
#include "host/lookup.h"
#include "load/load.h"
#include "script/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// The file that is checked. Each log line is passed on once, although a file is loaded more than once, and by
// several files.
typedef struct Check {
    const ScriptHostDef *def;
    ScriptHost *host;
    const char *path;
    char file[SCRIPT_PATH_SIZE]; // for display
    bool in_folder;              // one of several files, any of which may be a helper of the others
    bool prints_own, prints_others;
    ScriptFindings findings;
} Check;

static int check_folder(const ScriptHostDef *def, const char *folder, ScriptFindings *findings);
static bool is_below_directory(const ScriptHostDef *def, const char *folder);
static void check_file(const ScriptHostDef *def, const char *path, bool in_folder, ScriptFindings *findings);
static void print(void *context, TextLogLevel level, const char *file, const char *character,
                  const char *message);
static void report(void *context, const char *file, const char *message);
static void check_by_kind(Check *check);
static void check_fabric(Check *check);
static bool folder_of_fabrics(const char *file, char out_folder[SCRIPT_PATH_SIZE]);
static void add_new(ScriptFindings *findings, const ScriptFindings *from);
static bool is_known(const ScriptFindings *findings, const ScriptFinding *finding);
static void check_scene(Check *check);

int script_check(const ScriptHostDef *def, const char *path, ScriptFindings *findings) {
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) return check_folder(def, path, findings);
    check_file(def, path, false, findings);
    return 1;
}

// With the folder as a script directory, so that its modules are found.
static int check_folder(const ScriptHostDef *def, const char *folder, ScriptFindings *findings) {
    ScriptStringList files;
    ScriptHostDef own = *def;
    const size_t count = (size_t)def->script_directory_count;
    const char **directories = calloc(count + 1, sizeof *directories);
    const bool listed = directories && script_list_files(folder, &files);
    if (listed && !is_below_directory(def, folder)) {
        directories[0] = folder;
        for (size_t i = 0; i < count; i++) directories[i + 1] = def->script_directories[i];
        own.script_directories = directories;
        own.script_directory_count++;
    }
    for (int i = 0; listed && i < files.count; i++) check_file(&own, files.items[i], true, findings);
    const int file_count = listed ? files.count : 0;
    if (file_count == 0)
        script_findings_add(findings, SCRIPT_SEVERITY_ERROR, folder, 0, "",
                            listed ? "no .lua file in this folder" : "out of memory");
    if (listed) script_string_list_finish(&files);
    free(directories);
    return file_count;
}

static bool is_below_directory(const ScriptHostDef *def, const char *folder) {
    char *real = realpath(folder, NULL);
    bool is_below = false;
    for (int i = 0; real && !is_below && i < def->script_directory_count; i++) {
        char *directory = realpath(def->script_directories[i], NULL);
        const size_t length = directory ? strlen(directory) : 0;
        is_below = length && strncmp(real, directory, length) == 0 && (real[length] == '/' || !real[length]);
        free(directory);
    }
    free(real);
    return is_below;
}

// In a host of its own, so that no file helps another.
static void check_file(const ScriptHostDef *def, const char *path, bool in_folder, ScriptFindings *findings) {
    Check check = {.def = def, .path = path, .in_folder = in_folder};
    ScriptHostDef own = *def;
    own.callbacks = (ScriptCallbacks){.context = &check, .log = print, .report = report};
    check.host = script_host_make(&own, true, &check.findings);
    if (check.host && script_display_path(check.host, path, check.file))
        check_by_kind(&check);
    else if (check.host)
        script_findings_add(&check.findings, SCRIPT_SEVERITY_ERROR, path, 0, "", "no such file");
    script_host_destroy(check.host);
    add_new(findings, &check.findings);
    script_findings_finish(&check.findings);
}

static void print(void *context, TextLogLevel level, const char *file, const char *character,
                  const char *message) {
    const Check *check = context;
    const ScriptCallbacks *to = &check->def->callbacks;
    const bool is_own = strcmp(file, check->file) == 0;
    if (to->log && (is_own ? check->prints_own : check->prints_others))
        to->log(to->context, level, file, character, message);
}

// Rigs are made once only.
static void report(void *context, const char *file, const char *message) {
    const Check *check = context;
    const ScriptCallbacks *to = &check->def->callbacks;
    if (to->report && (!check->in_folder || strcmp(file, check->file) == 0))
        to->report(to->context, file, message);
}

// Loads the file to find out its kind, then loads it as that kind. A helper is not loaded again.
static void check_by_kind(Check *check) {
    ScriptLoad load;
    ScriptFindings found = {0};
    check->prints_own = true;
    script_load_begin(&load, check->host, check->file, &found);
    const char *kind = script_load_kind(&load);
    const bool is_fabric = strcmp(kind, "fabric") == 0;
    const bool is_helper = check->in_folder && strcmp(kind, "scene") != 0 && strcmp(kind, "character") != 0;
    script_load_end(&load, NULL);
    check->prints_own = false; // the next load would print the same lines
    check->prints_others = !check->in_folder;
    if (is_fabric)
        check_fabric(check);
    else if (is_helper)
        add_new(&check->findings, &found);
    else
        check_scene(check);
    script_findings_finish(&found);
}

// Checks a fabric together with the files beside it, which may be its base.
static void check_fabric(Check *check) {
    char folder[SCRIPT_PATH_SIZE];
    const char *const folders[] = {folder};
    if (folder_of_fabrics(check->file, folder))
        script_fabrics_load(check->host, folders, 1, &check->findings);
    else
        script_fabrics_load_file(check->host, check->file, &check->findings);
}

// The folder that holds the folder "fabrics" with the file. False if there is none.
static bool folder_of_fabrics(const char *file, char out_folder[SCRIPT_PATH_SIZE]) {
    char *real = realpath(file, NULL), *last = NULL;
    for (char *next = real; next && (next = strstr(next, "/fabrics/")); next++) last = next;
    if (last) snprintf(out_folder, SCRIPT_PATH_SIZE, "%.*s", last == real ? 1 : (int)(last - real), real);
    free(real);
    return last != NULL;
}

static void add_new(ScriptFindings *findings, const ScriptFindings *from) {
    for (size_t i = 0; i < from->count; i++) {
        const ScriptFinding *finding = &from->items[i];
        if (!is_known(findings, finding))
            script_findings_add(findings, finding->severity, finding->file, finding->line, finding->path,
                                "%s", finding->message);
    }
    if (from->error_count && !findings->error_count) findings->error_count = from->error_count;
}

// A mistake in a file that several use is found by each of them, with other calls below the first line.
static bool is_known(const ScriptFindings *findings, const ScriptFinding *finding) {
    const size_t length = strcspn(finding->message, "\n");
    for (size_t i = 0; i < findings->count; i++) {
        const ScriptFinding *other = &findings->items[i];
        if (other->line == finding->line && strcmp(other->file, finding->file) == 0 &&
            strcmp(other->path, finding->path) == 0 && strcspn(other->message, "\n") == length &&
            strncmp(other->message, finding->message, length) == 0)
            return true;
    }
    return false;
}

static void check_scene(Check *check) {
    ScriptScene *scene = script_scene_load(check->host, check->file, &check->findings);
    check->prints_own = true;
    if (scene) script_dry_run(check->host, scene, &check->findings);
    script_scene_destroy(scene);
}
