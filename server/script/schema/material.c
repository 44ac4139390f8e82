// Colour, roughness and pattern.
#include "schema/material.h"

#include <math.h>
#include <string.h>

static const ScriptSchemaField fields[] = {
    {SCRIPT_FIELD(ScriptMaterial, color, VECTOR), .minimum = 0.0, .maximum = 1.0, .vector = {NAN, NAN, NAN},
     .expects = "{red, green, blue}, each%s", .lua = "number[]", .otherwise = "inherited, or {0.5, 0.5, 0.5}",
     .help = "The colour, in sRGB."},
    {SCRIPT_FIELD(ScriptMaterial, roughness, NUMBER), .minimum = 0.0, .maximum = 1.0, .number = (double)NAN,
     .otherwise = "inherited, or 0.9", .help = "How dull the surface is; 0 is a mirror."},
    {SCRIPT_FIELD(ScriptMaterial, pattern, CHOICE), .choices = sim_pattern_names, .number = -1.0,
     .otherwise = "inherited, or \"plain\"",
     .help = "The surface's fine structure, which viewers draw in true size where the mesh has uvs in m."},
};
static const ScriptSchema schema = {
    .name = "Material", .size = sizeof(ScriptMaterial), SCRIPT_FIELDS(fields)};
const ScriptSchema *const script_material_schemas[] = {&schema, NULL};

ScriptMaterial script_material_none(void) {
    return (ScriptMaterial){.color = {NAN, NAN, NAN}, .roughness = NAN, .pattern = -1};
}

SimMaterial script_material_over(SimMaterial base, const ScriptMaterial *given) {
    if (!isnan(given->color[0])) memcpy(base.color, given->color, sizeof base.color);
    if (!isnan(given->roughness)) base.roughness = given->roughness;
    if (given->pattern >= 0) base.pattern = (SimPattern)given->pattern;
    return base;
}
