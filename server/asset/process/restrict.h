// Takes rights from a process before it reads what it does not trust.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// Afterwards the process has so much address space and processor time, leaves no core dump, reads only files
// beside `path` and beside what it links to, writes only to what is open (files 0 to `last_file`; others are
// closed), can neither open sockets nor start processes, and ends with its parent, the process `parent`.
// Where the kernel knows no Landlock (before 5.13), it may read what its user may. False: a limit could not
// be set.
bool restrict_process(const char *path, int last_file, size_t memory, unsigned seconds, pid_t parent);
