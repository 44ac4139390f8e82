// A growing list of texts.
#include "data/string_list.h"

#include "data/findings.h"

#include <stdlib.h>
#include <string.h>

bool script_string_list_add(ScriptStringList *paths, const char *path, bool in_front) {
    char **items = realloc(paths->items, ((size_t)paths->count + 1) * sizeof *items);
    if (items) paths->items = items;
    char *copy = items ? script_copy_text(path) : NULL;
    if (!copy) return false;
    if (in_front) memmove(items + 1, items, (size_t)paths->count * sizeof *items);
    items[in_front ? 0 : paths->count] = copy;
    paths->count++;
    return true;
}

void script_string_list_finish(ScriptStringList *paths) {
    for (int i = 0; i < paths->count; i++) free(paths->items[i]);
    free(paths->items);
    *paths = (ScriptStringList){0};
}

bool script_string_list_add_new(ScriptStringList *paths, const char *path) {
    for (int i = 0; i < paths->count; i++)
        if (strcmp(paths->items[i], path) == 0) return true;
    return script_string_list_add(paths, path, false);
}
