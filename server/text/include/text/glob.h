// Names, and globs that match them: * any text, ? one character, [abc] [a-z] [!a-z] one of (or none of)
// these.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { TEXT_NAME_BYTES = 64 };

// Whether the text may name a character, bone, garment, fabric or clip: UTF-8 of 1 to 64 bytes without * ? [.
bool text_is_name(const char *text, size_t length);

// Whether the pattern matches the whole name. Case-sensitive.
bool text_glob_match(const char *pattern, const char *name);

// Whether each [ has its ] with something between them.
bool text_glob_is_valid(const char *pattern);
