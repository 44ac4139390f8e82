// Checking files in a world of their own.
#include "script/check.h"

#include "host/fabric_set.h"
#include "host/host.h"
#include "host/lookup.h"
#include "load/load.h"
#include "load/trial.h"
#include "script/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool check_as_fabric(ScriptHost *host, const char *file, ScriptFindings *findings);
static void check_scene(ScriptHost *host, const char *file, ScriptFindings *findings);
static void check_fabric(ScriptHost *host, const char *file, ScriptFindings *findings);
static bool folder_of_fabrics(const char *file, char out_folder[SCRIPT_PATH_SIZE]);
static void add_new(ScriptFindings *findings, const ScriptFindings *from);
static bool is_known(const ScriptFindings *findings, const ScriptFinding *finding);

bool script_check(const ScriptHostDef *def, const char *const *files, int file_count,
                  ScriptFindings *findings) {
    const size_t errors = findings->error_count;
    for (int i = 0; i < file_count; i++) {
        ScriptFindings found = {0};
        ScriptHost *host = script_host_make(def, true, &found); // anew: no file is to help another
        char file[SCRIPT_PATH_SIZE];
        if (host && script_display_path(host, files[i], file)) {
            if (!check_as_fabric(host, file, &found)) check_scene(host, file, &found);
        } else if (host) {
            script_findings_add(&found, SCRIPT_SEVERITY_ERROR, files[i], 0, "", "no such file");
        }
        script_host_destroy(host);
        add_new(findings, &found);
        script_findings_finish(&found);
    }
    return findings->error_count == errors;
}

// True for a fabric's file, which is not to be run a second time for its kind.
static bool check_as_fabric(ScriptHost *host, const char *file, ScriptFindings *findings) {
    ScriptLoad load;
    ScriptFindings ignored = {0};
    script_load_begin(&load, host, file, &ignored);
    const bool is_fabric = strcmp(script_load_kind(&load), "fabric") == 0;
    script_load_end(&load, NULL);
    script_findings_finish(&ignored);
    if (is_fabric) check_fabric(host, file, findings);
    return is_fabric;
}

// Together with those beside it, which may be its base.
static void check_fabric(ScriptHost *host, const char *file, ScriptFindings *findings) {
    char folder[SCRIPT_PATH_SIZE];
    const char *const folders[] = {folder};
    if (folder_of_fabrics(file, folder))
        script_fabrics_load(host, folders, 1, findings);
    else
        script_fabrics_load_file(host, file, findings);
}

// The folder that the file's folder "fabrics" lies in. False: it lies in none.
static bool folder_of_fabrics(const char *file, char out_folder[SCRIPT_PATH_SIZE]) {
    char *real = realpath(file, NULL), *last = NULL;
    for (char *next = real; next && (next = strstr(next, "/fabrics/")); next++) last = next;
    if (last) snprintf(out_folder, SCRIPT_PATH_SIZE, "%.*s", last == real ? 1 : (int)(last - real), real);
    free(real);
    return last != NULL;
}

static void check_scene(ScriptHost *host, const char *file, ScriptFindings *findings) {
    ScriptScene *scene = script_scene_load(host, file, findings);
    if (scene) script_trial_run(host, scene, findings);
    script_scene_destroy(scene);
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

// A finding that was told already, of a file that several use.
static bool is_known(const ScriptFindings *findings, const ScriptFinding *finding) {
    for (size_t i = 0; i < findings->count; i++) {
        const ScriptFinding *other = &findings->items[i];
        if (other->line == finding->line && strcmp(other->file, finding->file) == 0 &&
            strcmp(other->path, finding->path) == 0 && strcmp(other->message, finding->message) == 0)
            return true;
    }
    return false;
}
