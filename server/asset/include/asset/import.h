// How files are imported: in a child process, since what the library does with a broken file may end a
// process or never end.
//
// The child is the same program. It has limits on memory and time, reads below the folder of its file alone,
// and can neither write files nor open sockets nor start programs. What it sends is checked like any input.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct AssetImport {
    const char *program; // whose main calls asset_import_main, such as "/proc/self/exe"; NULL: no child, this
                         // process reads the file, without limits
    size_t memory;       // bytes of the child's address space
    double seconds;      // that are left for reading; each file takes from them
    const atomic_bool *cancelled; // NULL: never. True, set by any thread: imports end with an error
} AssetImport;

// Call first in main. True: this process was started as a child and has done its work; return the status.
bool asset_import_main(int argc, char **argv, int *out_status);
