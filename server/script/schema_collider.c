// The schemas of colliders.
#include "definition.h"

#define REACH .minimum = -100.0, .maximum = 100.0, .unit = "m"
#define SIZE  .minimum = 0.001, .maximum = 10.0, .unit = "m"

static const ScriptSchemaField named_fields[] = {
    {SCRIPT_FIELD(ScriptColliderDef, name, NAME), .required = true,
     .help = "Unique among the character's colliders."},
};
static const ScriptSchema named_schema = {.size = sizeof(ScriptColliderDef), SCRIPT_FIELDS(named_fields)};

static const ScriptSchemaField carried_fields[] = {
    {SCRIPT_FIELD(ScriptColliderDef, bone, NAME), .required = true, .help = "The bone that carries it."},
};
static const ScriptSchema carried_schema = {
    .size = sizeof(ScriptColliderDef), SCRIPT_FIELDS(carried_fields), .base = &named_schema};

static const ScriptSchemaField ellipsoid_fields[] = {
    {SCRIPT_FIELD(ScriptColliderDef, center, VECTOR), REACH, .help = "In the bone's space."},
    {SCRIPT_FIELD(ScriptColliderDef, rotation, ROTATION), .vector = {0.0f, 0.0f, 0.0f, 1.0f},
     .help = "Of its axes in the bone's space."},
    {SCRIPT_FIELD(ScriptColliderDef, radii, VECTOR), SIZE, .required = true,
     .help = "Along its own x, y and z."},
    {SCRIPT_FIELD(ScriptColliderDef, split, BOOLEAN),
     .help = "If its longest radius is over 2.5 times the middle one, make it two rounder ones, <name>_a and "
             "<name>_b, which differ from it by a tenth of the middle radius at most."},
};
const ScriptSchema script_ellipsoid_schema = {.constructor = "ellipsoid",
                                              .size = sizeof(ScriptColliderDef),
                                              SCRIPT_FIELDS(ellipsoid_fields),
                                              .base = &carried_schema,
                                              .help = "An ellipsoid that cloth stays out of."};

static const ScriptSchemaField sphere_fields[] = {
    {SCRIPT_FIELD(ScriptColliderDef, center, VECTOR), REACH, .help = "In the bone's space."},
    {SCRIPT_FIELD(ScriptColliderDef, radius, NUMBER), SIZE, .required = true, .help = "The radius."},
};
const ScriptSchema script_sphere_schema = {.constructor = "sphere",
                                           .size = sizeof(ScriptColliderDef),
                                           SCRIPT_FIELDS(sphere_fields),
                                           .base = &carried_schema,
                                           .help = "A sphere that cloth stays out of."};

static const ScriptSchemaField capsule_fields[] = {
    {SCRIPT_FIELD(ScriptColliderDef, from, VECTOR), REACH,
     .help = "The one sphere's centre, in the bone's space."},
    {SCRIPT_FIELD(ScriptColliderDef, to, VECTOR), REACH, .required = true,
     .help = "The other sphere's centre, in the bone's space."},
    {SCRIPT_FIELD(ScriptColliderDef, radius, NUMBER), SIZE, .required = true, .help = "At from."},
    {SCRIPT_FIELD(ScriptColliderDef, radius_end, NUMBER), SIZE, .number = -1.0, .otherwise = "as radius",
     .help = "At to."},
};
const ScriptSchema script_capsule_schema = {.constructor = "capsule",
                                            .size = sizeof(ScriptColliderDef),
                                            SCRIPT_FIELDS(capsule_fields),
                                            .base = &carried_schema,
                                            .help = "The hull of two spheres, that cloth stays out of."};

static const ScriptSchemaField plane_fields[] = {
    {SCRIPT_FIELD(ScriptColliderDef, normal, AXIS), .vector = {0.0f, 1.0f, 0.0f},
     .help = "In the world; cloth stays on the side that it points to."},
    {SCRIPT_FIELD(ScriptColliderDef, offset, NUMBER), .minimum = -1000.0, .maximum = 1000.0, .unit = "m",
     .help = "From the world's origin, along the normal."},
};
const ScriptSchema script_plane_schema = {.constructor = "plane",
                                          .size = sizeof(ScriptColliderDef),
                                          SCRIPT_FIELDS(plane_fields),
                                          .base = &named_schema,
                                          .help = "A plane of the world that cloth stays above."};
