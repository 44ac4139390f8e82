// Reading a file's text.
#pragma once

#include <stddef.h>

// The whole file with a zero byte behind, on the heap. NULL with errno set: not readable, no regular file, or
// larger than 16 MiB (EFBIG).
char *script_read_file(const char *path, size_t *out_length);
