// tweed's own scripts lie beside the binary where it is installed, else in the source tree.
#include "base/paths.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <uv.h>

static void check_folders(const char *option, const AppNames *names, AppLog *log);
static const char **copy(const AppNames *names, const char *last);
static void find_own_scripts(char *out_path, size_t capacity);
static bool is_directory(const char *path);

bool app_paths_init(AppPaths *paths, const AppOptions *options) {
    *paths = (AppPaths){0};
    find_own_scripts(paths->own_scripts, sizeof paths->own_scripts);
    paths->scripts = copy(&options->scripts, paths->own_scripts);
    paths->assets = copy(&options->assets, "");
    paths->script_count = (int)options->scripts.count + (paths->own_scripts[0] ? 1 : 0);
    paths->asset_count = (int)options->assets.count;
    if (paths->scripts && paths->assets) return true;
    app_paths_finish(paths);
    return false;
}

void app_paths_finish(AppPaths *paths) {
    free(paths->scripts);
    free(paths->assets);
    *paths = (AppPaths){0};
}

void app_paths_check(const AppOptions *options, AppLog *log) {
    check_folders("--scripts", &options->scripts, log);
    check_folders("--assets", &options->assets, log);
}

static void check_folders(const char *option, const AppNames *names, AppLog *log) {
    struct stat found;
    for (size_t i = 0; i < names->count; i++) {
        if (stat(names->names[i], &found) != 0)
            app_log(log, TEXT_LOG_WARNING, "%s %s: %s", option, names->names[i],
                    errno == ENOENT ? "there is no such folder" : strerror(errno));
        else if (!S_ISDIR(found.st_mode))
            app_log(log, TEXT_LOG_WARNING, "%s %s: expected a folder, found a file", option, names->names[i]);
    }
}

static const char **copy(const AppNames *names, const char *last) {
    const char **list = calloc(names->count + 1, sizeof *list);
    if (!list) return NULL;
    for (size_t i = 0; i < names->count; i++) list[i] = names->names[i];
    list[names->count] = last;
    return list;
}

// <prefix>/bin/tweed has <prefix>/share/tweed/scripts.
static void find_own_scripts(char *out_path, size_t capacity) {
    char prefix[PATH_MAX];
    size_t length = sizeof prefix;
    bool found = uv_exepath(prefix, &length) == 0;
    for (int up = 0; found && up < 2; up++) {
        char *slash = strrchr(prefix, '/');
        found = slash != NULL;
        if (found) *slash = '\0';
    }
    if (found) snprintf(out_path, capacity, "%s/share/tweed/scripts", prefix);
    if (!found || !is_directory(out_path)) snprintf(out_path, capacity, "%s", APP_SOURCE_SCRIPTS);
    if (!is_directory(out_path)) out_path[0] = '\0';
}

static bool is_directory(const char *path) {
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}
