// A growing list of texts.
#include "data/paths.h"

#include "data/add_finding.h"

#include <stdlib.h>
#include <string.h>

bool script_paths_add(ScriptPaths *paths, const char *path, bool in_front) {
    char **items = realloc(paths->items, ((size_t)paths->count + 1) * sizeof *items);
    if (items) paths->items = items;
    char *copy = items ? script_copy_text(path) : NULL;
    if (!copy) return false;
    if (in_front) memmove(items + 1, items, (size_t)paths->count * sizeof *items);
    items[in_front ? 0 : paths->count] = copy;
    paths->count++;
    return true;
}

void script_paths_finish(ScriptPaths *paths) {
    for (int i = 0; i < paths->count; i++) free(paths->items[i]);
    free(paths->items);
    *paths = (ScriptPaths){0};
}

bool script_paths_add_new(ScriptPaths *paths, const char *path) {
    for (int i = 0; i < paths->count; i++)
        if (strcmp(paths->items[i], path) == 0) return true;
    return script_paths_add(paths, path, false);
}
