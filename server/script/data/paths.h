// A list of paths.
#pragma once

#include <stdbool.h>

#define SCRIPT_PATH_SIZE 4096

typedef struct ScriptPaths {
    char **items; // [count]
    int count;
} ScriptPaths;

bool script_paths_add(ScriptPaths *paths, const char *path, bool in_front); // copies
// At the end, unless it is there.
bool script_paths_add_new(ScriptPaths *paths, const char *path);
void script_paths_finish(ScriptPaths *paths);
