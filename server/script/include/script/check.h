// What `tweed check` tells about files, without starting anything.
#pragma once

#include "script/host.h"

// Checks character, scene and fabric files: all that loading would find, and the linter's advice. def: the
// directories are used, world and callbacks are not. False if there is an error among the findings.
bool script_check(const ScriptHostDef *def, const char *const *files, int file_count,
                  ScriptFindings *findings);
