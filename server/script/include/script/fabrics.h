// The fabrics that scripts have defined, by name.
#pragma once

#include "script/host.h"
#include "sim/fabric.h"
#include "sim/render_mesh.h"

#include <text/nearest.h>

typedef struct ScriptFabric {
    const char *name;
    const char *base;   // NULL where it has none
    const char *script; // "fabrics/tweed"
    SimFabric values;   // complete, with the base's; current
    SimFabric defined;  // the same, as the files define them
    SimMaterial material;
} ScriptFabric;

// Sorted by name. Pointers are valid until a scene or fabric is loaded.
const ScriptFabric *script_fabrics(const ScriptHost *host, int *out_count);
// NULL if there is none of that name.
const ScriptFabric *script_fabric_find(const ScriptHost *host, const char *name);
// The file that defines it: below the working directory, or absolute.
const char *script_fabric_file(const ScriptHost *host, const ScriptFabric *fabric);
// The file that a new fabric would have: fabrics/NAME.lua in the first script directory, which the caller
// frees. NULL: there is no directory, the name is not of letters, digits, "_" and "-", or memory runs out.
char *script_fabric_new_file(const ScriptHost *host, const char *name);
// Which known name `name` most likely stands for.
TextNearest script_fabric_nearest(const ScriptHost *host, const char *name);
// Sets the values for garments made from now on, until the fabric is loaded again. False for an unknown name.
// The caller has validated the values.
bool script_fabric_set(ScriptHost *host, const char *name, const SimFabric *values);
