// The registry of the host's fabrics.
#pragma once

#include "data/strings.h"
#include "script/fabrics.h"

#include <stdbool.h>

typedef struct ScriptFabricRegistry {
    ScriptFabric *items; // [count], sorted by name
    char **files;        // [count], as shown to authors
    int count;
    ScriptStringList read; // all files read to load them, modules included
} ScriptFabricRegistry;

ScriptFabric *script_fabric_registry_find(const ScriptFabricRegistry *registry,
                                          const char *name); // NULL: none
// Copies the texts. False, and the registry is unchanged, when memory runs out.
bool script_fabric_registry_add(ScriptFabricRegistry *registry, const ScriptFabric *fabric, const char *file);
void script_fabric_registry_remove_file(ScriptFabricRegistry *registry, const char *file);
bool script_fabric_registry_copy(ScriptFabricRegistry *out_registry, const ScriptFabricRegistry *registry);
void script_fabric_registry_finish(ScriptFabricRegistry *registry);
