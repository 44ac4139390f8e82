// The schema of materials, which fabrics and render meshes have.
#pragma once

#include "schema/schema.h"
#include "sim/render_mesh.h"

// What is not given is NAN or -1.
typedef struct ScriptMaterial {
    float color[3], roughness;
    int pattern; // a SimPattern
} ScriptMaterial;

extern const ScriptSchema *const script_material_schemas[]; // one

ScriptMaterial script_material_none(void);
// `base` with what is given over it.
SimMaterial script_material_over(SimMaterial base, const ScriptMaterial *given);
