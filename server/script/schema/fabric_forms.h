// Other forms of a fabric's values: a trail angle for world_motion, and the factors of stiffness and damping
// of H. Enqvist, "The Secrets of Cloth Simulation in Alan Wake" (Gamasutra, 2010). They are converted when
// read; the value is kept, shown and inherited.
#pragma once

#include "schema/schema.h"
#include "sim/fabric.h"

// Values that are not given are NAN.
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

// Writes the fields "trail" and "article" of a structure with forms at that offset; returns their count,
// SCRIPT_FABRIC_FORMS.
enum { SCRIPT_FABRIC_FORMS = 2 };
int script_fabric_form_fields(size_t offset, ScriptSchemaField *out_fields);

// No values given.
ScriptFabricForms script_fabric_clear_forms(void);

// Converts the given forms into values. Adds findings if the value is given as well or would be out of range.
// The reader is at the fabric, its root.
void script_fabric_convert_forms(ScriptReader *reader, const ScriptFabricForms *forms, SimFabric *values);
