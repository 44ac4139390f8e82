// The schema of fabrics, made of sim's table of fields.
#pragma once

#include "schema/fabric_forms.h"
#include "schema/material.h"
#include "schema/schema.h"
#include "sim/fabric.h"

typedef struct ScriptFabricDef {
    const char *name, *base; // base: NULL for none
    SimFabric values;
    ScriptFabricForms forms;
    ScriptMaterial material;
} ScriptFabricDef;

// Without the fields that come from sim.
extern const ScriptSchema script_fabric_schema;
// With them; NULL when memory runs out.
const ScriptSchema *script_fabric_schema_make(ScriptArena *arena);

// Reads name and base of the reader's root. False with a finding if it is no fabric or has no name.
bool script_fabric_read_names(ScriptReader *reader, ScriptFabricDef *out_def);
// Reads the rest over the values and the material in def.
void script_fabric_read_values(ScriptReader *reader, ScriptFabricDef *def);
