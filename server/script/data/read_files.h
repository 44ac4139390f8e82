// The files that a load reads, and what each was when it was read.
#pragma once

#include "data/strings.h"

typedef struct ScriptFileStamp ScriptFileStamp;

typedef struct ScriptReadFiles {
    ScriptStringList paths;
    ScriptFileStamp *stamps; // [paths.count]
} ScriptReadFiles;

void script_read_files_finish(ScriptReadFiles *files);

// Call before the file is read; it may be missing. Returns false when memory runs out.
bool script_read_files_add(ScriptReadFiles *files, const char *path);
// The next file that is another one by now, or has other text, from *place on, which moves behind it. NULL:
// there is none.
const char *script_read_files_next_changed(const ScriptReadFiles *files, int *place);
