// Copied and formatted strings, and lists of them.
#include "data/strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/array.h>

bool script_string_list_add(ScriptStringList *paths, const char *path, bool in_front) {
    char *copy = TEXT_ARRAY_EXTEND(paths->items, paths->count) ? strdup(path) : NULL;
    if (!copy) return false;
    if (in_front) memmove(paths->items + 1, paths->items, (size_t)paths->count * sizeof *paths->items);
    paths->items[in_front ? 0 : paths->count] = copy;
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

char *script_format(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = script_format_list(format, arguments);
    va_end(arguments);
    return text;
}

char *script_format_list(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0) return NULL;
    char *text = malloc((size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}
