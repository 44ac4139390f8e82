// The host's fabrics.
#pragma once

#include "data/strings.h"
#include "script/fabrics.h"
#include "script/findings.h"

#include <stdbool.h>

typedef struct ScriptFabricSet {
    ScriptFabric *items; // [count], sorted by name
    char **files;        // [count], as authors see them
    int count;
    ScriptStringList read; // all files that loading them has read, modules included
} ScriptFabricSet;

// Loads all files below the folders' own folder "fabrics" but those that were loaded before; the set then has
// their fabrics too. All are loaded together, so that each may be the base of any. False, with findings and
// the set as it was, for a mistake in any of them.
bool script_fabrics_load(ScriptHost *host, const char *const *folders, int folder_count,
                         ScriptFindings *findings);
// The same for one file, whatever folder it lies in.
bool script_fabrics_load_file(ScriptHost *host, const char *file, ScriptFindings *findings);
bool script_fabric_set_copy(ScriptFabricSet *out_set, const ScriptFabricSet *set);
void script_fabric_set_finish(ScriptFabricSet *set);
