// The fields of a fabric: names, units, ranges and defaults; and conversion of the Alan Wake article's
// factors.
#include "core/exact_math.h"
#include "sim/fabric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIELD(group, name, unit, minimum, maximum, default_value, member, help)                              \
    { group, name, unit, minimum, maximum, default_value, offsetof(SimFabric, member), help }

// The defaults are those of a mid-weight wool.
static const SimFabricField fields[] = {
    FIELD("", "density", "kg/m^2", 0.005f, 20.0f, 0.40f, density, "mass of a square metre"),
    FIELD("", "stretch", "N/m", 1.0f, 1e6f, 15000.0f, stretch,
          "membrane stiffness: force per width and strain; along the columns only where limit is not 0"),
    FIELD("", "stretch_weft", "N/m", 0.0f, 1e6f, 0.0f, stretch_weft,
          "membrane stiffness along the rows; 0: as stretch"),
    FIELD("", "shear", "N/m", 0.0f, 1e6f, 35.0f, shear, "stiffness against shearing"),
    FIELD("", "drape", "m", 0.0f, 1.0f, 0.03f, drape,
          "drape length: how far a strip stands out before it hangs"),
    FIELD("", "damping", "1/s", 0.0f, 100.0f, 3.0f, damping,
          "rate at which motion relative to the character dies away"),
    FIELD("", "contact_damping", "1/s", 0.0f, 500.0f, 25.0f, contact_damping,
          "added to damping where the cloth touches a collider"),
    FIELD("", "friction", "", 0.0f, 10.0f, 0.0f, friction,
          "Coulomb's coefficient: the share of the force along the normal that friction holds"),
    FIELD("", "internal_friction", "m/s^2", 0.0f, 100.0f, 0.0f, internal_friction,
          "dry friction of bending: how fast folds that move come to rest; 0: none"),
    FIELD("", "thickness", "m", 0.0f, 0.1f, 0.002f, thickness, "how far the cloth keeps off colliders"),
    FIELD("", "world_motion", "", 0.0f, 1.0f, 0.20f, world_motion,
          "share of the root's motion that the cloth feels"),
    FIELD("", "world_angular", "", -1.0f, 1.0f, -1.0f, world_angular,
          "share of the root's turns that the cloth feels; below 0: as world_motion"),
    FIELD("", "world_centrifugal", "", -1.0f, 1.0f, -1.0f, world_centrifugal,
          "share of the root's rate of turning at which the cloth flies out; below 0: as world_angular"),
    FIELD("", "world_speed", "m/s", 0.0f, SIM_TELEPORT_SPEED, SIM_TELEPORT_SPEED, world_speed,
          "fastest motion of the root that the cloth feels"),
    FIELD("", "world_spin", "rad/s", 0.0f, SIM_TELEPORT_SPIN, SIM_TELEPORT_SPIN, world_spin,
          "fastest turn of the root that the cloth feels"),
    FIELD("", "world_acceleration", "m/s^2", 0.0f, 1e5f, 1e5f, world_acceleration,
          "how fast the motion that the cloth feels follows the root's"),
    FIELD("", "world_spin_acceleration", "rad/s^2", 0.0f, 1e5f, 1e5f, world_spin_acceleration,
          "how fast the turn that the cloth feels follows the root's"),
    FIELD("", "max_distance", "m", 0.0f, 10.0f, 0.40f, max_distance,
          "how far the lowest row may leave the place that skinning gives it"),
    FIELD(
        "", "pose", "", 0.0f, 10.0f, 1.0f, pose,
        "factor on the garment's pose_stiffness: how strongly it is drawn to the places that skinning gives "
        "it"),
    FIELD("", "wind", "", 0.0f, 10.0f, 1.0f, wind, "factor on the force of the air"),
    FIELD("", "limit", "", 0.0f, 0.5f, 0.0f, limit, "how far vertical links may stretch; 0 keeps them exact"),
    FIELD("edge", "damping", "", 0.0f, 10.0f, 0.6f, edge.damping, "factor on damping at the edges"),
    FIELD("edge", "wind", "", 0.0f, 10.0f, 1.8f, edge.wind, "factor on wind at the edges"),
    FIELD("edge", "world_motion", "", 0.0f, 10.0f, 1.4f, edge.world_motion,
          "factor on the shares of the root's motion at the edges"),
    FIELD("edge", "max_distance", "", 0.0f, 10.0f, 1.25f, edge.max_distance,
          "factor on max_distance at the edges"),
    FIELD("spring", "structural", "N/m", 0.0f, 1e6f, 200.0f, spring.structural,
          "stiffness of springs between direct neighbours"),
    FIELD("spring", "shear", "N/m", 0.0f, 1e6f, 60.0f, spring.shear,
          "stiffness of springs along the diagonals"),
    FIELD("spring", "flexion", "N/m", 0.0f, 1e6f, 20.0f, spring.flexion,
          "stiffness of springs between second neighbours"),
    FIELD("spring", "damping", "N s/m", 0.0f, 100.0f, 0.02f, spring.damping, "damping along each spring"),
    FIELD("spring", "limit", "", 0.0f, 1.0f, 0.1f, spring.limit,
          "largest elongation of structural and shear springs; 1 is hardly a limit"),
};

#define RATE 60.0f // Hz

static float rate_squared(const SimAlanWakeGrid *grid, float factor);

const SimFabricField *sim_fabric_fields(int *out_count) {
    *out_count = (int)(sizeof fields / sizeof fields[0]);
    return fields;
}

float sim_fabric_stretch_weft(const SimFabric *fabric) {
    return fabric->stretch_weft > 0.0f ? fabric->stretch_weft : fabric->stretch;
}

SimFabric sim_default_fabric(void) {
    SimFabric fabric = {0};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        sim_fabric_set(&fabric, &fields[i], fields[i].default_value);
    return fabric;
}

float sim_fabric_get(const SimFabric *fabric, const SimFabricField *field) {
    float value;
    memcpy(&value, (const char *)fabric + field->offset, sizeof value);
    return value;
}

void sim_fabric_set(SimFabric *fabric, const SimFabricField *field, float value) {
    memcpy((char *)fabric + field->offset, &value, sizeof value);
}

bool sim_validate_fabric(const SimFabric *fabric, SimIssue *out_issue) {
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const SimFabricField *field = &fields[i];
        float value = sim_fabric_get(fabric, field);
        if (value >= field->minimum && value <= field->maximum) continue; // false for NaN
        snprintf(out_issue->path, sizeof out_issue->path, "%s%s%s", field->group, field->group[0] ? "." : "",
                 field->name);
        snprintf(out_issue->message, sizeof out_issue->message, "expected %g to %g%s%s, found %g",
                 (double)field->minimum, (double)field->maximum, field->unit[0] ? " " : "", field->unit,
                 (double)value);
        return false;
    }
    return true;
}

// A link across a square cell has a compliance of 1 / K, and w0 + w1 = 2 / (density cell^2).
float sim_alan_wake_stiffness(const SimAlanWakeGrid *grid, float factor) {
    return 0.5f * grid->density * grid->cell * grid->cell * rate_squared(grid, factor);
}

// The same of a link whose compliance is cell^2 / B, B = density g drape^3.
float sim_alan_wake_drape(const SimAlanWakeGrid *grid, float factor) {
    float cell = grid->cell;
    return cbrtf(0.5f * cell * cell * cell * cell * rate_squared(grid, factor) / (float)SIM_STANDARD_GRAVITY);
}

float sim_alan_wake_damping(float factor) {
    return -RATE * log1pf(-factor);
}

// (1 - R) / (dt^2 R) of a factor: the stiffness, over the mass that the link moves.
static float rate_squared(const SimAlanWakeGrid *grid, float factor) {
    if (isnan(factor)) return factor; // none was given
    float rest = sim_pow(1.0f - factor, (float)grid->iterations);
    return RATE * RATE * (1.0f - rest) / rest;
}
