// Where scripts and assets are looked for.
#pragma once

#include "base/log.h"
#include "base/options.h"

#define APP_PATH_BYTES (4096 + 64)

// Lists for script and asset: those of the command line first, then tweed's own where they exist.
typedef struct AppPaths {
    const char **scripts; // [script_count]
    int script_count;
    const char **assets; // [asset_count]
    int asset_count;
    char own_scripts[APP_PATH_BYTES]; // "" where tweed's own folder was not found
    char cache[4096 + 64];            // of what takes long to compute; "": none
} AppPaths;

// Returns false when memory runs out; there is nothing to finish then.
bool app_paths_init(AppPaths *paths, const AppOptions *options);
void app_paths_finish(AppPaths *paths);

// The folder of the page: that of --web, else tweed's own; "" where there is none.
void app_paths_find_web(const AppOptions *options, char *out_path, size_t capacity);

// The file of the protocol for machines, openrpc.json.
void app_paths_find_openrpc(char *out_path, size_t capacity);

// Warns of each folder of --scripts and --assets that is none.
void app_paths_check(const AppOptions *options, AppLog *log);
