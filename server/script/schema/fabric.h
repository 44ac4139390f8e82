// The schema of fabrics, made of sim's table of fields.
#pragma once

#include "schema/fabric_forms.h"
#include "schema/schema.h"
#include "sim/fabric.h"

typedef struct ScriptFabricDef {
    const char *name, *base; // base: NULL for none
    SimFabric values;
    ScriptFabricForms forms;
} ScriptFabricDef;

// Without its fields, which are sim's.
extern const ScriptSchema script_fabric_schema;
// With them; NULL for want of memory.
const ScriptSchema *script_fabric_schema_make(ScriptArena *arena);

// Name and base of what the reader's root returned. False, with a finding, if it is no fabric or has no name.
bool script_fabric_read_names(ScriptReader *reader, ScriptFabricDef *out_def);
// The rest, over the values that def has.
void script_fabric_read_values(ScriptReader *reader, ScriptFabricDef *def);
