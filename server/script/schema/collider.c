// The schemas of colliders.
#include "schema/definition.h"

#define REACH .minimum = -100.0, .maximum = 100.0, .unit = "m"
#define SIZE  .minimum = 0.001, .maximum = 10.0, .unit = "m"

static const ScriptSchemaField named_fields[] = {
    {SCRIPT_FIELD(ScriptColliderDef, name, NAME), .required = true,
     .help = "Unique among the character's colliders."},
};
static const ScriptSchema named_schema = {.size = sizeof(ScriptColliderDef), SCRIPT_FIELDS(named_fields)};

static const ScriptSchemaField carried_fields[] = {
    {SCRIPT_FIELD(ScriptColliderDef, bone, NAME), .required = true,
     .help = "The bone to which the collider is fixed."},
};
static const ScriptSchema carried_schema = {
    .size = sizeof(ScriptColliderDef), SCRIPT_FIELDS(carried_fields), .base = &named_schema};

static const ScriptSchemaField ellipsoid_fields[] = {
    {SCRIPT_FIELD(ScriptColliderDef, center, VECTOR), REACH, .help = "The centre, in the bone's space."},
    {SCRIPT_FIELD(ScriptColliderDef, rotation, ROTATION), .vector = {0.0f, 0.0f, 0.0f, 1.0f},
     .help = "The rotation of its axes, in the bone's space."},
    {SCRIPT_FIELD(ScriptColliderDef, radii, VECTOR), SIZE, .required = true,
     .help = "The radii along its own x, y and z."},
    {SCRIPT_FIELD(ScriptColliderDef, split, BOOLEAN),
     .help = "Whether an ellipsoid with a longest radius of over 2.5 times the middle one is replaced by two "
             "rounder ones, named with _a and _b at the end. They differ from it by at most a tenth of the "
             "middle radius."},
};
const ScriptSchema script_ellipsoid_schema = {.constructor = "ellipsoid",
                                              .size = sizeof(ScriptColliderDef),
                                              SCRIPT_FIELDS(ellipsoid_fields),
                                              .base = &carried_schema,
                                              .help = "An ellipsoid, for chests, hips and heads.",
                                              .example =
                                                  "tweed.ellipsoid { name = \"chest\", bone = \"Spine\", "
                                                  "center = { 0, .12, 0 }, radii = { .16, .2, .11 } }"};

static const ScriptSchemaField sphere_fields[] = {
    {SCRIPT_FIELD(ScriptColliderDef, center, VECTOR), REACH, .help = "The centre, in the bone's space."},
    {SCRIPT_FIELD(ScriptColliderDef, radius, NUMBER), SIZE, .required = true, .help = "The radius."},
};
const ScriptSchema script_sphere_schema = {
    .constructor = "sphere",
    .size = sizeof(ScriptColliderDef),
    SCRIPT_FIELDS(sphere_fields),
    .base = &carried_schema,
    .help = "A sphere.",
    .example = "tweed.sphere { name = \"head\", bone = \"Spine\", center = { 0, .5, 0 }, radius = .12 }"};

static const ScriptSchemaField capsule_fields[] = {
    {SCRIPT_FIELD(ScriptColliderDef, from, VECTOR), REACH,
     .help = "The centre of one end, in the bone's space."},
    {SCRIPT_FIELD(ScriptColliderDef, to, VECTOR), REACH, .required = true,
     .help = "The centre of the other end, in the bone's space."},
    {SCRIPT_FIELD(ScriptColliderDef, radius, NUMBER), SIZE, .required = true, .help = "The radius at from."},
    {SCRIPT_FIELD(ScriptColliderDef, radius_end, NUMBER), SIZE, .number = -1.0, .otherwise = "as radius",
     .help = "The radius at to."},
};
const ScriptSchema script_capsule_schema = {
    .constructor = "capsule",
    .size = sizeof(ScriptColliderDef),
    SCRIPT_FIELDS(capsule_fields),
    .base = &carried_schema,
    .help = "A capsule, for limbs. Its ends may differ in size.",
    .example = "tweed.capsule { name = \"upper_arm\", bone = \"LeftArm\", to = { .28, 0, 0 }, radius = .05, "
               "radius_end = .04 }"};

static const ScriptSchemaField plane_fields[] = {
    {SCRIPT_FIELD(ScriptColliderDef, normal, AXIS), .vector = {0.0f, 1.0f, 0.0f},
     .help = "The normal in the world; cloth stays on the side to which it points."},
    {SCRIPT_FIELD(ScriptColliderDef, offset, NUMBER), .minimum = -1000.0, .maximum = 1000.0, .unit = "m",
     .help = "The distance from the world's origin, along the normal."},
};
const ScriptSchema script_plane_schema = {
    .constructor = "plane",
    .size = sizeof(ScriptColliderDef),
    SCRIPT_FIELDS(plane_fields),
    .base = &named_schema,
    .help = "A fixed plane in the world, such as a floor or a wall.",
    .example = "tweed.plane { name = \"wall\", normal = \"z\", offset = -1.5 }"};
