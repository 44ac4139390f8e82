// Wind and tornadoes as they change over time, and in the form that the kernel samples.
#include "motion/air.h"

#include "core/lane.h"

#include <cglm/cglm.h>
#include <math.h>
#include <string.h>

#define GUST_SIZE 8.0 // m
#define EDDY_SIZE 1.5 // m

// Greatest value of (1 - e^(-s^2)) / s, at s = 1.1209: what a Lamb-Oseen vortex reaches of its G / (2 pi rc).
#define LAMB_OSEEN_PEAK 0.638173f

static SimStorm *add_storm(SimAir *air, const char *name);
static void drop_storm(SimAir *air, int index);
static void advance_wind(SimAir *air, float dt);
static float ramp(float *left, float dt);
static float towards(float from, float to, float share);
static void advance_storm(SimStorm *storm, float dt);
static bool storm_is_steady(const SimStorm *storm);
static bool wind_is_steady(const SimAir *air);
static void lattice_to_lane(const double carried[3], double size, SimLane out_lattice);

void sim_air_init(SimAir *air, const SimWind *wind, uint64_t seed) {
    *air = (SimAir){.seed = seed, .wind = *wind, .wind_to = *wind};
}

void sim_air_set_wind(SimAir *air, const SimWind *wind, bool at_once) {
    air->wind_to = *wind;
    air->left = at_once ? 0.0f : SIM_AIR_RAMP_SECONDS;
    if (at_once) air->wind = *wind;
}

SimStorm *sim_air_find(SimAir *air, const char *name) {
    for (int i = 0; i < air->storm_count; i++)
        if (!air->storms[i].ends && strcmp(air->storms[i].name, name) == 0) return &air->storms[i];
    return NULL;
}

bool sim_air_set_tornado(SimAir *air, const char *name, const SimTornado *tornado, bool at_once) {
    SimStorm *storm = sim_air_find(air, name);
    if (!storm) {
        storm = add_storm(air, name);
        if (!storm) return false;
        storm->radius = tornado->radius;
    }
    storm->tornado = *tornado;
    storm->left = at_once ? 0.0f : SIM_AIR_RAMP_SECONDS;
    for (int i = 0; i < 3; i++) storm->position_world[i] = (double)tornado->position_world[i];
    if (!at_once) return true;
    storm->strength = tornado->strength;
    storm->lift = tornado->lift;
    storm->radius = tornado->radius;
    return true;
}

void sim_air_end_tornado(SimAir *air, SimStorm *storm, bool at_once) {
    storm->ends = true;
    storm->tornado.strength = storm->tornado.lift = 0.0f;
    storm->left = SIM_AIR_RAMP_SECONDS;
    if (at_once) drop_storm(air, (int)(storm - air->storms));
}

void sim_air_advance(SimAir *air, float dt) {
    advance_wind(air, dt);
    for (int i = air->storm_count - 1; i >= 0; i--) {
        advance_storm(&air->storms[i], dt);
        if (air->storms[i].ends && air->storms[i].left <= 0.0f) drop_storm(air, i);
    }
}

// Swirl and inflow fall off as 1 / r from their greatest values near the core, and at every r the updraft is
// less than what is counted for it here.
bool sim_storm_reaches(const SimStorm *storm, const vec3 point_world) {
    const float felt = 0.02f; // m/s; it accelerates a veil by 0.007 m/s^2
    const SimTornado *to = &storm->tornado;
    float strength = fmaxf(fabsf(storm->strength), fabsf(to->strength)) / LAMB_OSEEN_PEAK;
    float lift = fmaxf(fabsf(storm->lift), fabsf(to->lift));
    float x = point_world[0] - to->position_world[0], z = point_world[2] - to->position_world[2];
    return (strength + lift) * fmaxf(storm->radius, to->radius) > felt * sqrtf(x * x + z * z);
}

bool sim_air_is_steady(const SimAir *air, const vec3 point_world) {
    for (int i = 0; i < air->storm_count; i++)
        if (!storm_is_steady(&air->storms[i]) && sim_storm_reaches(&air->storms[i], point_world))
            return false;
    return wind_is_steady(air);
}

bool sim_air_is_steady_everywhere(const SimAir *air) {
    for (int i = 0; i < air->storm_count; i++)
        if (!storm_is_steady(&air->storms[i])) return false;
    return wind_is_steady(air);
}

void sim_air_for_kernel(const SimAir *air, SimKernelAir *out_air) {
    const SimWind *wind = &air->wind;
    float speed = glm_vec3_norm((float *)wind->velocity_world);
    *out_air = (SimKernelAir){.still = speed <= 0.0f && air->storm_count == 0,
                              .gust = speed > 0.0f ? wind->gust : 0.0f,
                              .eddy = speed * wind->turbulence,
                              .gust_scale = (float)(1.0 / GUST_SIZE),
                              .eddy_scale = (float)(1.0 / EDDY_SIZE),
                              .seed = (uint32_t)(air->seed ^ air->seed >> 32),
                              .tornado_count = air->storm_count};
    glm_vec3_copy((float *)wind->velocity_world, out_air->velocity);
    for (int i = 0; i < air->storm_count; i++) {
        const SimStorm *storm = &air->storms[i];
        // G / (2 pi rc^2); the inflow feeds an updraft of lift e^(-r^2/rc^2) over a layer one core radius
        // deep.
        out_air->tornados[i] =
            (SimKernelTornado){.inverse_radius = 1.0f / storm->radius,
                               .swirl = storm->strength / (LAMB_OSEEN_PEAK * storm->radius),
                               .inflow = 0.5f * storm->lift / storm->radius,
                               .lift = storm->lift};
    }
}

void sim_air_to_lane(const SimAir *air, const SimTransform *root_world, SimLane out_air) {
    double carried[3];
    for (int i = 0; i < 3; i++) carried[i] = (double)root_world->position[i] - air->drift_world[i];
    lattice_to_lane(carried, GUST_SIZE, sim_lane_at(out_air, SIM_NUMBER(SimLaneAir, gusts)));
    lattice_to_lane(carried, EDDY_SIZE, sim_lane_at(out_air, SIM_NUMBER(SimLaneAir, eddies)));
    for (int i = 0; i < air->storm_count; i++) {
        vec3 way;
        for (int axis = 0; axis < 3; axis++)
            way[axis] = (float)((double)root_world->position[axis] - air->storms[i].position_world[axis]);
        sim_vector_to_lane(way,
                           sim_lane_at(out_air, SIM_NUMBER(SimLaneAir, from_tornado[0]) + 3 * (size_t)i));
    }
    SimTransform turn = SIM_TRANSFORM_IDENTITY;
    glm_vec4_copy((float *)root_world->rotation, turn.rotation);
    sim_pose_to_lane(&turn, sim_lane_at(out_air, SIM_NUMBER(SimLaneAir, root)));
}

// NULL where the most there can be blow. Of those that die down the oldest makes room.
static SimStorm *add_storm(SimAir *air, const char *name) {
    int blowing = 0, ending = -1;
    for (int i = air->storm_count - 1; i >= 0; i--) {
        if (air->storms[i].ends)
            ending = i;
        else
            blowing++;
    }
    if (blowing == SIM_MAX_TORNADOS) return NULL;
    if (air->storm_count == SIM_KERNEL_TORNADOS) drop_storm(air, ending);
    SimStorm *storm = &air->storms[air->storm_count++];
    memset(storm, 0, sizeof *storm);
    memcpy(storm->name, name, strlen(name) + 1);
    return storm;
}

static void drop_storm(SimAir *air, int index) {
    size_t after = (size_t)(--air->storm_count - index);
    memmove(&air->storms[index], &air->storms[index + 1], after * sizeof air->storms[0]);
}

static void advance_wind(SimAir *air, float dt) {
    if (air->left > 0.0f) {
        float share = ramp(&air->left, dt);
        for (int i = 0; i < 3; i++)
            air->wind.velocity_world[i] =
                towards(air->wind.velocity_world[i], air->wind_to.velocity_world[i], share);
        air->wind.turbulence = towards(air->wind.turbulence, air->wind_to.turbulence, share);
        air->wind.gust = towards(air->wind.gust, air->wind_to.gust, share);
    }
    for (int i = 0; i < 3; i++) air->drift_world[i] += (double)air->wind.velocity_world[i] * (double)dt;
}

// The share of what is left of a ramp that dt goes through; 1 at its end.
static float ramp(float *left, float dt) {
    float share = *left > dt ? dt / *left : 1.0f;
    *left = *left > dt ? *left - dt : 0.0f;
    return share;
}

static float towards(float from, float to, float share) {
    return share < 1.0f ? from + (to - from) * share : to;
}

static void advance_storm(SimStorm *storm, float dt) {
    for (int i = 0; i < 3; i++) {
        storm->position_world[i] += (double)storm->tornado.velocity_world[i] * (double)dt;
        storm->tornado.position_world[i] = (float)storm->position_world[i];
    }
    if (storm->left <= 0.0f) return;
    float share = ramp(&storm->left, dt);
    storm->strength = towards(storm->strength, storm->tornado.strength, share);
    storm->lift = towards(storm->lift, storm->tornado.lift, share);
    storm->radius = towards(storm->radius, storm->tornado.radius, share);
}

static bool storm_is_steady(const SimStorm *storm) {
    return storm->left <= 0.0f && glm_vec3_norm((float *)storm->tornado.velocity_world) <= 0.0f;
}

static bool wind_is_steady(const SimAir *air) {
    if (air->left > 0.0f && memcmp(&air->wind, &air->wind_to, sizeof air->wind) != 0) return false;
    bool blows = glm_vec3_norm((float *)air->wind.velocity_world) > 0.0f;
    return !blows || (air->wind.gust <= 0.0f && air->wind.turbulence <= 0.0f);
}

static void lattice_to_lane(const double carried[3], double size, SimLane out_lattice) {
    vec3 cell, fraction;
    for (int i = 0; i < 3; i++) {
        double place = carried[i] / size, below = floor(place);
        fraction[i] = (float)(place - below);
        cell[i] = (float)(below - SIM_LATTICE_PERIOD * floor(below / SIM_LATTICE_PERIOD));
    }
    sim_vector_to_lane(cell, sim_lane_at(out_lattice, SIM_NUMBER(SimLattice, cell)));
    sim_vector_to_lane(fraction, sim_lane_at(out_lattice, SIM_NUMBER(SimLattice, fraction)));
}
