// A list of paths.
#pragma once

#include <stdbool.h>

#define SCRIPT_PATH_SIZE 4096

typedef struct ScriptStringList {
    char **items; // [count]
    int count;
} ScriptStringList;

bool script_string_list_add(ScriptStringList *paths, const char *path, bool in_front); // copies
// At the end, unless it is there.
bool script_string_list_add_new(ScriptStringList *paths, const char *path);
void script_string_list_finish(ScriptStringList *paths);
