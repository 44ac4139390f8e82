// The host's fabrics.
#pragma once

#include "data/strings.h"
#include "script/fabrics.h"
#include "script/findings.h"

#include <stdbool.h>

typedef struct ScriptFabricSet {
    ScriptFabric *items; // [count], sorted by name
    char **files;        // [count], as shown to authors
    int count;
    ScriptStringList read; // all files read to load them, modules included
} ScriptFabricSet;

ScriptFabric *script_fabric_set_find(const ScriptFabricSet *set, const char *name); // NULL: none
// Copies the texts. False, and the set is unchanged, when memory runs out.
bool script_fabric_set_add(ScriptFabricSet *set, const ScriptFabric *fabric, const char *file);
void script_fabric_set_remove_file(ScriptFabricSet *set, const char *file);
bool script_fabric_set_copy(ScriptFabricSet *out_set, const ScriptFabricSet *set);
void script_fabric_set_finish(ScriptFabricSet *set);
