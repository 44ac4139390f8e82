// Advances wind and tornadoes and prepares them for the kernel.
#include "motion/weather.h"

#include "core/lane.h"

#include <cglm/cglm.h>
#include <math.h>
#include <string.h>

#define GUST_SIZE 8.0 // m
#define EDDY_SIZE 1.5 // m

// Greatest value of (1 - e^(-s^2)) / s, at s = 1.1209: what a Lamb-Oseen vortex reaches of its G / (2 pi rc).
#define LAMB_OSEEN_PEAK 0.638173f

static SimTornadoState *add_tornado(SimAir *air, const char *name);
static void remove_tornado(SimAir *air, int index);
static void advance_wind(SimAir *air, float dt);
static float ramp(float *left, float dt);
static float towards(float from, float to, float share);
static void advance_tornado(SimTornadoState *state, float dt);
static bool tornado_is_steady(const SimTornadoState *state);
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

SimTornadoState *sim_air_find(SimAir *air, const char *name) {
    for (int i = 0; i < air->tornado_count; i++)
        if (!air->tornados[i].ends && strcmp(air->tornados[i].name, name) == 0) return &air->tornados[i];
    return NULL;
}

bool sim_air_set_tornado(SimAir *air, const char *name, const SimTornado *tornado, bool at_once) {
    SimTornadoState *state = sim_air_find(air, name);
    if (!state) {
        state = add_tornado(air, name);
        if (!state) return false;
        state->radius = tornado->radius;
    }
    state->tornado = *tornado;
    state->left = at_once ? 0.0f : SIM_AIR_RAMP_SECONDS;
    for (int i = 0; i < 3; i++) state->position_world[i] = (double)tornado->position_world[i];
    if (!at_once) return true;
    state->strength = tornado->strength;
    state->lift = tornado->lift;
    state->radius = tornado->radius;
    return true;
}

void sim_air_end_tornado(SimAir *air, SimTornadoState *state, bool at_once) {
    state->ends = true;
    state->tornado.strength = state->tornado.lift = 0.0f;
    state->left = SIM_AIR_RAMP_SECONDS;
    if (at_once) remove_tornado(air, (int)(state - air->tornados));
}

void sim_air_advance(SimAir *air, float dt) {
    advance_wind(air, dt);
    for (int i = air->tornado_count - 1; i >= 0; i--) {
        advance_tornado(&air->tornados[i], dt);
        if (air->tornados[i].ends && air->tornados[i].left <= 0.0f) remove_tornado(air, i);
    }
}

// Swirl and inflow fall off as 1 / r from their greatest values near the core, and at every r the updraft is
// less than what is counted for it here.
bool sim_tornado_reaches(const SimTornadoState *state, const vec3 point_world) {
    const float felt = 0.02f; // m/s; it accelerates a veil by 0.007 m/s^2
    const SimTornado *to = &state->tornado;
    float strength = fmaxf(fabsf(state->strength), fabsf(to->strength)) / LAMB_OSEEN_PEAK;
    float lift = fmaxf(fabsf(state->lift), fabsf(to->lift));
    float x = point_world[0] - to->position_world[0], z = point_world[2] - to->position_world[2];
    return (strength + lift) * fmaxf(state->radius, to->radius) > felt * sqrtf(x * x + z * z);
}

bool sim_air_is_steady(const SimAir *air, const vec3 point_world) {
    for (int i = 0; i < air->tornado_count; i++)
        if (!tornado_is_steady(&air->tornados[i]) && sim_tornado_reaches(&air->tornados[i], point_world))
            return false;
    return wind_is_steady(air);
}

bool sim_air_is_steady_everywhere(const SimAir *air) {
    for (int i = 0; i < air->tornado_count; i++)
        if (!tornado_is_steady(&air->tornados[i])) return false;
    return wind_is_steady(air);
}

void sim_air_for_kernel(const SimAir *air, SimKernelAir *out_air) {
    const SimWind *wind = &air->wind;
    float speed = glm_vec3_norm((float *)wind->velocity_world);
    *out_air = (SimKernelAir){.still = speed <= 0.0f && air->tornado_count == 0,
                              .gust = speed > 0.0f ? wind->gust : 0.0f,
                              .eddy = speed * wind->turbulence,
                              .gust_scale = (float)(1.0 / GUST_SIZE),
                              .eddy_scale = (float)(1.0 / EDDY_SIZE),
                              .seed = (uint32_t)(air->seed ^ air->seed >> 32),
                              .tornado_count = air->tornado_count};
    glm_vec3_copy((float *)wind->velocity_world, out_air->velocity);
    for (int i = 0; i < air->tornado_count; i++) {
        const SimTornadoState *state = &air->tornados[i];
        // G / (2 pi rc^2); the inflow feeds an updraft of lift e^(-r^2/rc^2) over a layer one core radius
        // deep.
        out_air->tornados[i] =
            (SimKernelTornado){.inverse_radius = 1.0f / state->radius,
                               .swirl = state->strength / (LAMB_OSEEN_PEAK * state->radius),
                               .inflow = 0.5f * state->lift / state->radius,
                               .lift = state->lift};
    }
}

void sim_air_to_lane(const SimAir *air, const SimTransform *root_world, SimLane out_air) {
    double carried[3];
    for (int i = 0; i < 3; i++) carried[i] = (double)root_world->position[i] - air->drift_world[i];
    lattice_to_lane(carried, GUST_SIZE, sim_lane_at(out_air, SIM_NUMBER(SimLaneAir, gusts)));
    lattice_to_lane(carried, EDDY_SIZE, sim_lane_at(out_air, SIM_NUMBER(SimLaneAir, eddies)));
    for (int i = 0; i < air->tornado_count; i++) {
        vec3 way;
        for (int axis = 0; axis < 3; axis++)
            way[axis] = (float)((double)root_world->position[axis] - air->tornados[i].position_world[axis]);
        sim_vector_to_lane(way,
                           sim_lane_at(out_air, SIM_NUMBER(SimLaneAir, from_tornado[0]) + 3 * (size_t)i));
    }
    SimTransform turn = SIM_TRANSFORM_IDENTITY;
    glm_vec4_copy((float *)root_world->rotation, turn.rotation);
    sim_pose_to_lane(&turn, sim_lane_at(out_air, SIM_NUMBER(SimLaneAir, root)));
}

// Returns NULL when SIM_MAX_TORNADOS blow. The oldest one that is ending makes room.
static SimTornadoState *add_tornado(SimAir *air, const char *name) {
    int blowing = 0, ending = -1;
    for (int i = air->tornado_count - 1; i >= 0; i--) {
        if (air->tornados[i].ends)
            ending = i;
        else
            blowing++;
    }
    if (blowing == SIM_MAX_TORNADOS) return NULL;
    if (air->tornado_count == SIM_KERNEL_TORNADOS) remove_tornado(air, ending);
    SimTornadoState *state = &air->tornados[air->tornado_count++];
    memset(state, 0, sizeof *state);
    memcpy(state->name, name, strlen(name) + 1);
    return state;
}

static void remove_tornado(SimAir *air, int index) {
    size_t after = (size_t)(--air->tornado_count - index);
    memmove(&air->tornados[index], &air->tornados[index + 1], after * sizeof air->tornados[0]);
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

static void advance_tornado(SimTornadoState *state, float dt) {
    for (int i = 0; i < 3; i++) {
        state->position_world[i] += (double)state->tornado.velocity_world[i] * (double)dt;
        state->tornado.position_world[i] = (float)state->position_world[i];
    }
    if (state->left <= 0.0f) return;
    float share = ramp(&state->left, dt);
    state->strength = towards(state->strength, state->tornado.strength, share);
    state->lift = towards(state->lift, state->tornado.lift, share);
    state->radius = towards(state->radius, state->tornado.radius, share);
}

static bool tornado_is_steady(const SimTornadoState *state) {
    return state->left <= 0.0f && glm_vec3_norm((float *)state->tornado.velocity_world) <= 0.0f;
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
