// The fabrics that scripts have defined, by name.
#pragma once

#include "script/host.h"
#include "sim/fabric.h"

typedef struct ScriptFabric {
    const char *name;
    const char *base;   // NULL where it has none
    const char *script; // "fabrics/tweed"
    SimFabric values;   // complete, those of the base included; as they are now
    SimFabric defined;  // the same, as the files have them
} ScriptFabric;

// Sorted by name. Pointers live until the next loading of a scene, or of the fabrics anew.
const ScriptFabric *script_fabrics(const ScriptHost *host, int *out_count);
// NULL if there is none of that name.
const ScriptFabric *script_fabric_find(const ScriptHost *host, const char *name);
// The known name that was probably meant, or NULL.
const char *script_fabric_nearest(const ScriptHost *host, const char *name);
// New values for those that ask from now on; they last until the fabric is loaded again. False for an unknown
// name. The caller has validated the values.
bool script_fabric_set(ScriptHost *host, const char *name, const SimFabric *values);
