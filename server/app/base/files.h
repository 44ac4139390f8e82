// Files that are written whole: a reader sees either nothing or the old text, or the new one.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <text/buffer.h>

// Each returns 0 or the errno, and then has changed nothing.

// Writes a file in place of another one, if there is one.
int app_file_replace(const char *path, const TextBuffer *text);

// Writes a file, and the folder that it is in if that is missing. EEXIST: there is one already.
int app_file_create(const char *path, const TextBuffer *text);

// Keeps what a file has under one more name: PATH.~N~, with the first N from 1 that is free. Where it fails
// out_kept is "".
int app_file_keep(const char *path, char *out_kept, size_t capacity);
