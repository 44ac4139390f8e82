// An input as a file, for readers that take a path.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Makes a folder of this process's own the working folder; it goes with the process.
void fuzz_enter_folder(void);

// Writes a file there, over the last one of that name. Without the folder, the process ends.
void fuzz_write_file(const char *name, const uint8_t *data, size_t size);
