// tweed's own scripts and page lie beside the binary where it is installed, else in the source tree.
#include "base/paths.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

static void check_folders(const char *option, const AppNames *names, AppLog *log);
static const char **copy(const AppNames *names, const char *last);
static void find_own(const char *name, const char *source, char *out_path, size_t capacity);
static void find_cache(const char *given, char *out_path, size_t capacity);

bool app_paths_init(AppPaths *paths, const AppOptions *options) {
    *paths = (AppPaths){0};
    find_own("scripts", APP_SOURCE_SCRIPTS, paths->own_scripts, sizeof paths->own_scripts);
    find_cache(options->cache, paths->cache, sizeof paths->cache);
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
    const char *web = options->web;
    check_folders("--web", &(AppNames){&web, web != NULL}, log);
}

void app_paths_find_web(const AppOptions *options, char *out_path, size_t capacity) {
    if (options->web)
        snprintf(out_path, capacity, "%s", options->web);
    else
        find_own("web", APP_SOURCE_WEB, out_path, capacity);
}

void app_paths_find_openrpc(char *out_path, size_t capacity) {
    find_own("openrpc.json", APP_SOURCE_OPENRPC, out_path, capacity);
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

// <prefix>/bin/tweed has <prefix>/share/tweed/NAME.
static void find_own(const char *name, const char *source, char *out_path, size_t capacity) {
    char prefix[PATH_MAX];
    size_t length = sizeof prefix;
    bool found = uv_exepath(prefix, &length) == 0;
    for (int up = 0; found && up < 2; up++) {
        char *slash = strrchr(prefix, '/');
        found = slash != NULL;
        if (found) *slash = '\0';
    }
    if (found) snprintf(out_path, capacity, "%s/share/tweed/%s", prefix, name);
    if (!found || access(out_path, R_OK) != 0) snprintf(out_path, capacity, "%s", source);
    if (access(out_path, R_OK) != 0) out_path[0] = '\0';
}

// As the XDG base directory specification has it: a relative XDG_CACHE_HOME counts as none.
static void find_cache(const char *given, char *out_path, size_t capacity) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = 0;
    if (given)
        length = snprintf(out_path, capacity, "%s", given);
    else if (cache && cache[0] == '/')
        length = snprintf(out_path, capacity, "%s/tweed", cache);
    else if (home && home[0] == '/')
        length = snprintf(out_path, capacity, "%s/.cache/tweed", home);
    if (length <= 0 || (size_t)length >= capacity) out_path[0] = '\0';
}
