// Globs: * any text, ? one character, [abc] [a-z] [!a-z] one of (or none of) these.
#pragma once

#include <stdbool.h>

// Whether the pattern matches the whole name. Case-sensitive.
bool text_glob_match(const char *pattern, const char *name);

// Whether each [ has its ] and something in between.
bool text_glob_is_valid(const char *pattern);
