// Strings on the heap, and lists of them.
#pragma once

#include <stdarg.h>
#include <stdbool.h>

#define SCRIPT_PATH_SIZE 4096

typedef struct ScriptStringList {
    char **items; // [count]
    int count;
} ScriptStringList;

bool script_string_list_add(ScriptStringList *paths, const char *path, bool in_front); // copies
// Appends the path unless the list contains it.
bool script_string_list_add_new(ScriptStringList *paths, const char *path);
void script_string_list_finish(ScriptStringList *paths);

// Both return NULL when memory runs out; the caller frees the text.
__attribute__((format(printf, 1, 2))) char *script_format(const char *format, ...);
char *script_format_list(const char *format, va_list arguments);
