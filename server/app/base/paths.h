// Where scripts and assets are looked for, and the file that tells the ports.
#pragma once

#include "base/log.h"
#include "base/options.h"

// Lists for script and asset: those of the command line first, then tweed's own where they exist.
typedef struct AppPaths {
    const char **scripts; // [script_count]
    int script_count;
    const char **assets; // [asset_count]
    int asset_count;
    char own_scripts[4096 + 64]; // "" where tweed's own folder was not found
} AppPaths;

// False: out of memory, nothing to finish.
bool app_paths_init(AppPaths *paths, const AppOptions *options);
void app_paths_finish(AppPaths *paths);

// Warns of each folder of --scripts and --assets that is none.
void app_paths_check(const AppOptions *options, AppLog *log);

// Writes the file of --port-file, if the options name one: {"tcp":PORT}, with "unix":PATH where they name a
// socket. False: `out_message`.
bool app_port_file_write(const AppOptions *options, uint16_t port, char *out_message, size_t capacity);
