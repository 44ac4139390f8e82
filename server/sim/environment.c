// What acts on all characters of a world: gravity, ground, wind, tornadoes.
#include "sleep.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Only what has not begun to move may change at a stroke.
static bool at_once(const SimWorld *world) {
    return world->tick == 0;
}

// Not for NaN.
static bool within(float value, float least, float most, const char *path, const char *unit,
                   SimIssue *out_issue) {
    if (value >= least && value <= most) return true;
    snprintf(out_issue->path, sizeof out_issue->path, "%s", path);
    snprintf(out_issue->message, sizeof out_issue->message, "expected %.7g to %.7g%s%s, found %g",
             (double)least, (double)most, *unit ? " " : "", unit, (double)value);
    return false;
}

static bool all_within(const vec3 vector, float most, const char *path, const char *unit,
                       SimIssue *out_issue) {
    for (int i = 0; i < 3; i++)
        if (!within(vector[i], -most, most, path, unit, out_issue)) return false;
    return true;
}

bool sim_validate_environment(const SimEnvironment *environment, SimIssue *out_issue) {
    const SimWind *wind = &environment->wind;
    return all_within(environment->gravity_world, 1000.0f, "gravity", "m/s^2", out_issue) &&
           all_within(wind->velocity_world, 300.0f, "wind.velocity", "m/s", out_issue) &&
           within(wind->turbulence, 0.0f, 2.0f, "wind.turbulence", "", out_issue) &&
           within(wind->gust, 0.0f, 2.0f, "wind.gust", "", out_issue) &&
           (!environment->has_ground || within(environment->ground, -1e6f, 1e6f, "ground", "m", out_issue));
}

const SimEnvironment *sim_world_environment(const SimWorld *world) {
    return &world->environment;
}

void sim_world_set_environment(SimWorld *world, const SimEnvironment *environment) {
    // The wind changes over time, and wakes whom it reaches by itself.
    const SimEnvironment *before = &world->environment;
    if (memcmp(before->gravity_world, environment->gravity_world, sizeof(vec3)) != 0 ||
        before->has_ground != environment->has_ground || before->ground != environment->ground)
        sim_sleep_wake_all(world);
    world->environment = *environment;
    sim_air_set_wind(&world->air, &environment->wind, at_once(world));
}

// Tornadoes
// ---------------------------------------------------------------------------------------------------------

bool sim_validate_tornado(const SimTornado *tornado, SimIssue *out_issue) {
    return all_within(tornado->position_world, 1e6f, "position", "m", out_issue) &&
           within(tornado->radius, 0.05f, 1000.0f, "radius", "m", out_issue) &&
           within(tornado->strength, -150.0f, 150.0f, "strength", "m/s", out_issue) &&
           within(tornado->lift, -150.0f, 150.0f, "lift", "m/s", out_issue) &&
           all_within(tornado->velocity_world, 300.0f, "velocity", "m/s", out_issue);
}

bool sim_world_set_tornado(SimWorld *world, const char *name, const SimTornado *tornado) {
    SIM_ASSERT(*name && strlen(name) <= SIM_TORNADO_NAME_BYTES);
    const SimStorm *storm = sim_air_find(&world->air, name);
    if (storm) sim_sleep_wake_near(world, storm); // where it is now; where it will be, the tick does
    return sim_air_set_tornado(&world->air, name, tornado, at_once(world));
}

bool sim_world_calm(SimWorld *world, const char *name) {
    SimStorm *storm = sim_air_find(&world->air, name);
    if (storm) sim_air_end_tornado(&world->air, storm, at_once(world));
    return storm != NULL;
}

int sim_world_tornado_names(const SimWorld *world, const char *out_names[SIM_MAX_TORNADOS]) {
    int count = 0;
    for (int i = 0; i < world->air.storm_count; i++)
        if (!world->air.storms[i].ends) out_names[count++] = world->air.storms[i].name;
    return count;
}

bool sim_world_tornado(const SimWorld *world, const char *name, SimTornado *out_tornado) {
    const SimStorm *storm = sim_air_find((SimAir *)&world->air, name);
    if (storm) *out_tornado = storm->tornado;
    return storm != NULL;
}

void sim_world_air(const SimWorld *world, const vec3 point_world, vec3 out_velocity_world) {
    float lane[SIM_NUMBERS(SimLaneAir)] = {0}, point[3] = {0}, velocity[3];
    SimKernelAir air;
    SimTransform place = SIM_TRANSFORM_IDENTITY;
    glm_vec3_copy((float *)point_world, place.position);
    sim_air_for_kernel(&world->air, &air);
    sim_air_to_lane(&world->air, &place, (SimLane){lane, 1});
    sim_kernel_scalar.air(&air, (const SimLaneAir *)(const void *)lane,
                          (const SimLanes3 *)(const void *)point, (SimLanes3 *)(void *)velocity);
    glm_vec3_copy(velocity, out_velocity_world);
}
