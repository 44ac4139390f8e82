// The schemas of colliders.
#include "definition.h"

#define COUNT(fields) (int)(sizeof fields / sizeof *fields)
#define REACH         .minimum = -100.0, .maximum = 100.0, .unit = "m"
#define SIZE          .minimum = 0.001, .maximum = 10.0, .unit = "m"

#define NAME                                                                                                 \
    {                                                                                                        \
        SCRIPT_FIELD(ScriptColliderDef, name, NAME), .required = true,                                       \
                                                     .help = "Unique among the character's colliders."       \
    }
#define BONE                                                                                                 \
    { SCRIPT_FIELD(ScriptColliderDef, bone, NAME), .required = true, .help = "The bone that carries it." }

static const ScriptSchemaField ellipsoid_fields[] = {
    NAME,
    BONE,
    {SCRIPT_FIELD(ScriptColliderDef, center, VECTOR), REACH, .help = "In the bone's space."},
    {SCRIPT_FIELD(ScriptColliderDef, rotation, ROTATION), .vector = {0.0f, 0.0f, 0.0f, 1.0f},
     .help = "Of its axes in the bone's space."},
    {SCRIPT_FIELD(ScriptColliderDef, radii, VECTOR), SIZE, .required = true,
     .help = "Along its own x, y and z."},
};
const ScriptSchema script_ellipsoid_schema = {"ellipsoid", sizeof(ScriptColliderDef), ellipsoid_fields,
                                              COUNT(ellipsoid_fields),
                                              "An ellipsoid that cloth stays out of."};

static const ScriptSchemaField sphere_fields[] = {
    NAME,
    BONE,
    {SCRIPT_FIELD(ScriptColliderDef, center, VECTOR), REACH, .help = "In the bone's space."},
    {SCRIPT_FIELD(ScriptColliderDef, radius, NUMBER), SIZE, .required = true, .help = "The radius."},
};
const ScriptSchema script_sphere_schema = {"sphere", sizeof(ScriptColliderDef), sphere_fields,
                                           COUNT(sphere_fields), "A sphere that cloth stays out of."};

static const ScriptSchemaField capsule_fields[] = {
    NAME,
    BONE,
    {SCRIPT_FIELD(ScriptColliderDef, from, VECTOR), REACH,
     .help = "The one sphere's centre, in the bone's space."},
    {SCRIPT_FIELD(ScriptColliderDef, to, VECTOR), REACH, .required = true,
     .help = "The other sphere's centre, in the bone's space."},
    {SCRIPT_FIELD(ScriptColliderDef, radius, NUMBER), SIZE, .required = true, .help = "At from."},
    {SCRIPT_FIELD(ScriptColliderDef, radius_end, NUMBER), SIZE, .number = -1.0, .otherwise = "as radius",
     .help = "At to."},
};
const ScriptSchema script_capsule_schema = {"capsule", sizeof(ScriptColliderDef), capsule_fields,
                                            COUNT(capsule_fields),
                                            "The hull of two spheres, that cloth stays out of."};

static const ScriptSchemaField plane_fields[] = {
    NAME,
    {SCRIPT_FIELD(ScriptColliderDef, normal, AXIS), .vector = {0.0f, 1.0f, 0.0f},
     .help = "In the world; cloth stays on the side that it points to."},
    {SCRIPT_FIELD(ScriptColliderDef, offset, NUMBER), .minimum = -1000.0, .maximum = 1000.0, .unit = "m",
     .help = "From the world's origin, along the normal."},
};
const ScriptSchema script_plane_schema = {"plane", sizeof(ScriptColliderDef), plane_fields,
                                          COUNT(plane_fields),
                                          "A plane of the world that cloth stays above."};
