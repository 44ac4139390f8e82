// Text from outside on its way to a terminal or a log: names, messages, paths. Everything that is printed
// passes here.
//
// Unsafe are control characters (C0, DEL, C1), marks, embeddings, overrides and isolates of direction, line
// and paragraph separators, and bytes that are not UTF-8: they drive a terminal, or make text look like
// another. Lines of text have '?' in their place, JSON an escape of the same meaning.
#pragma once

#include <stddef.h>
#include <stdio.h>

// Prints one line without its end, `most_columns` characters at most. Returns how many were printed.
size_t app_print_safe(FILE *file, const char *text, size_t most_columns);

// Prints lines: line ends and tabs stay, and `indent` follows each line end.
void app_print_safe_lines(FILE *file, const char *text, const char *indent);

// Prints text as a JSON string, with its quotes.
void app_print_safe_string(FILE *file, const char *text);

// Prints a JSON text of one line, in which only strings have such characters.
void app_print_safe_json(FILE *file, const char *json);
