// Other forms in which a fabric's values may be given: a trail angle for world_motion, the article's factors
// for stiffness and damping. They are converted as they are read; what is kept, shown and inherited is the
// value.
#pragma once

#include "schema/schema.h"
#include "sim/fabric.h"

// What was not given is NAN.
typedef struct ScriptFabricForms {
    struct {
        float angle, speed; // degrees, m/s
    } trail;
    struct {
        int iterations;
        float cell;
        float stretch, shear, bend, damping; // 0..1
    } article;
} ScriptFabricForms;

// Fields "trail" and "article" of a structure that has forms at that offset, with room for
// SCRIPT_FABRIC_FORMS fields; their count.
enum { SCRIPT_FABRIC_FORMS = 2 };
int script_fabric_form_fields(size_t offset, ScriptSchemaField *out_fields);

// Nothing given.
ScriptFabricForms script_fabric_clear_forms(void);

// Converts what was given into values; findings where it stands beside the value that it makes, or makes one
// out of range. The reader is at the fabric, whose node is its root.
void script_fabric_convert_forms(ScriptReader *reader, const ScriptFabricForms *forms, SimFabric *values);
