// `tweed check`: the findings about files, without a server.
#pragma once

#include "script/host.h"

// Checks a character, scene or fabric file, or all scripts below a folder, where a file that returns
// something else is a helper and only loaded. Adds the findings of loading, the linter's advice, and the
// errors of on_spawn, on_start and one tick. def: `world` is not used, of `callbacks` only `log`, which gets
// a file in place of a script's name. Returns the number of files.
int script_check(const ScriptHostDef *def, const char *path, ScriptFindings *findings);
