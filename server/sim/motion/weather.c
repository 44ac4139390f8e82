// Advances wind and tornadoes and prepares them for the kernel.
#include "motion/weather.h"

#include "core/lane.h"

#include <cglm/cglm.h>
#include <math.h>
#include <string.h>

#define GUST_SIZE 8.0 // m
#define EDDY_SIZE 1.5 // m

#define MOST_STEPS 1000 // that are skipped one by one, which gives the same bits

// Greatest value of (1 - e^(-s^2)) / s, at s = 1.1209: what a Lamb-Oseen vortex reaches of its G / (2 pi rc).
#define LAMB_OSEEN_PEAK 0.638173f

static SimTornadoState *add_tornado(SimWeather *weather, const char *name);
static void remove_tornado(SimWeather *weather, int index);
static void advance_wind(SimWeather *weather, float dt);
static float ramp(float *left, float dt);
static float towards(float from, float to, float share);
static void advance_tornado(SimTornadoState *state, float dt);
static bool tornado_is_steady(const SimTornadoState *state);
static bool wind_is_steady(const SimWeather *weather);
static void lattice_to_lane(const double carried[3], double size, SimLane out_lattice);

void sim_weather_init(SimWeather *weather, const SimWind *wind, uint64_t seed) {
    *weather = (SimWeather){.seed = seed, .wind = *wind, .wind_to = *wind};
}

void sim_weather_set_wind(SimWeather *weather, const SimWind *wind, bool at_once) {
    weather->wind_to = *wind;
    weather->left = at_once ? 0.0f : SIM_WEATHER_RAMP_SECONDS;
    if (at_once) weather->wind = *wind;
}

SimTornadoState *sim_weather_find(SimWeather *weather, const char *name) {
    for (int i = 0; i < weather->tornado_count; i++)
        if (!weather->tornados[i].ends && strcmp(weather->tornados[i].name, name) == 0)
            return &weather->tornados[i];
    return NULL;
}

bool sim_weather_set_tornado(SimWeather *weather, const char *name, const SimTornado *tornado, bool at_once) {
    SimTornadoState *state = sim_weather_find(weather, name);
    if (!state) {
        state = add_tornado(weather, name);
        if (!state) return false;
        state->radius = tornado->radius;
    }
    state->tornado = *tornado;
    state->left = at_once ? 0.0f : SIM_WEATHER_RAMP_SECONDS;
    for (int i = 0; i < 3; i++) state->position_world[i] = (double)tornado->position_world[i];
    if (!at_once) return true;
    state->strength = tornado->strength;
    state->lift = tornado->lift;
    state->radius = tornado->radius;
    return true;
}

void sim_weather_end_tornado(SimWeather *weather, SimTornadoState *state, bool at_once) {
    state->ends = true;
    state->tornado.strength = state->tornado.lift = 0.0f;
    state->left = SIM_WEATHER_RAMP_SECONDS;
    if (at_once) remove_tornado(weather, (int)(state - weather->tornados));
}

void sim_weather_advance(SimWeather *weather, float dt) {
    advance_wind(weather, dt);
    for (int i = weather->tornado_count - 1; i >= 0; i--) {
        advance_tornado(&weather->tornados[i], dt);
        if (weather->tornados[i].ends && weather->tornados[i].left <= 0.0f) remove_tornado(weather, i);
    }
}

void sim_weather_skip(SimWeather *weather, float dt, int64_t ticks) {
    sim_weather_skip_wind(weather, dt, ticks);
    for (int i = weather->tornado_count - 1; i >= 0; i--) {
        sim_tornado_skip(&weather->tornados[i], dt, ticks);
        if (weather->tornados[i].ends && weather->tornados[i].left <= 0.0f) remove_tornado(weather, i);
    }
}

void sim_weather_skip_wind(SimWeather *weather, float dt, int64_t ticks) {
    for (; ticks > 0 && (weather->left > 0.0f || ticks <= MOST_STEPS); ticks--) advance_wind(weather, dt);
    for (int i = 0; i < 3; i++)
        weather->drift_world[i] += (double)weather->wind.velocity_world[i] * (double)dt * (double)ticks;
}

void sim_tornado_skip(SimTornadoState *state, float dt, int64_t ticks) {
    for (; ticks > 0 && (state->left > 0.0f || ticks <= MOST_STEPS); ticks--) advance_tornado(state, dt);
    for (int i = 0; i < 3; i++) {
        state->position_world[i] += (double)state->tornado.velocity_world[i] * (double)dt * (double)ticks;
        state->tornado.position_world[i] = (float)state->position_world[i];
    }
}

// Swirl and inflow fall off as 1 / r from their greatest values near the core. The updraft is overestimated
// at every r.
bool sim_tornado_reaches(const SimTornadoState *state, const vec3 point_world) {
    const float felt = 0.02f; // m/s; it accelerates a veil by 0.007 m/s^2
    const SimTornado *to = &state->tornado;
    float strength = fmaxf(fabsf(state->strength), fabsf(to->strength)) / LAMB_OSEEN_PEAK;
    float lift = fmaxf(fabsf(state->lift), fabsf(to->lift));
    float x = point_world[0] - to->position_world[0], z = point_world[2] - to->position_world[2];
    return (strength + lift) * fmaxf(state->radius, to->radius) > felt * sqrtf(x * x + z * z);
}

bool sim_weather_is_steady(const SimWeather *weather, const vec3 point_world) {
    for (int i = 0; i < weather->tornado_count; i++)
        if (!tornado_is_steady(&weather->tornados[i]) &&
            sim_tornado_reaches(&weather->tornados[i], point_world))
            return false;
    return wind_is_steady(weather);
}

bool sim_weather_is_steady_everywhere(const SimWeather *weather) {
    for (int i = 0; i < weather->tornado_count; i++)
        if (!tornado_is_steady(&weather->tornados[i])) return false;
    return wind_is_steady(weather);
}

void sim_weather_for_kernel(const SimWeather *weather, SimKernelAir *out_air) {
    const SimWind *wind = &weather->wind;
    float speed = glm_vec3_norm((float *)wind->velocity_world);
    *out_air = (SimKernelAir){.still = speed <= 0.0f && weather->tornado_count == 0,
                              .gust = speed > 0.0f ? wind->gust : 0.0f,
                              .eddy = speed * wind->turbulence,
                              .gust_scale = (float)(1.0 / GUST_SIZE),
                              .eddy_scale = (float)(1.0 / EDDY_SIZE),
                              .seed = (uint32_t)(weather->seed ^ weather->seed >> 32),
                              .tornado_count = weather->tornado_count};
    glm_vec3_copy((float *)wind->velocity_world, out_air->velocity);
    for (int i = 0; i < weather->tornado_count; i++) {
        const SimTornadoState *state = &weather->tornados[i];
        // G / (2 pi rc^2); the inflow feeds an updraft of lift e^(-r^2/rc^2) over a layer one core radius
        // deep.
        out_air->tornados[i] =
            (SimKernelTornado){.inverse_radius = 1.0f / state->radius,
                               .swirl = state->strength / (LAMB_OSEEN_PEAK * state->radius),
                               .inflow = 0.5f * state->lift / state->radius,
                               .lift = state->lift};
    }
}

void sim_weather_to_lane(const SimWeather *weather, const SimTransform *root_world, SimLane out_air) {
    double carried[3];
    for (int i = 0; i < 3; i++) carried[i] = (double)root_world->position[i] - weather->drift_world[i];
    lattice_to_lane(carried, GUST_SIZE, sim_lane_at(out_air, SIM_NUMBER(SimLaneAir, gusts)));
    lattice_to_lane(carried, EDDY_SIZE, sim_lane_at(out_air, SIM_NUMBER(SimLaneAir, eddies)));
    for (int i = 0; i < weather->tornado_count; i++) {
        vec3 offset;
        for (int axis = 0; axis < 3; axis++)
            offset[axis] =
                (float)((double)root_world->position[axis] - weather->tornados[i].position_world[axis]);
        sim_vector_to_lane(offset,
                           sim_lane_at(out_air, SIM_NUMBER(SimLaneAir, from_tornado[0]) + 3 * (size_t)i));
    }
    SimTransform turn = SIM_TRANSFORM_IDENTITY;
    glm_vec4_copy((float *)root_world->rotation, turn.rotation);
    sim_pose_to_lane(&turn, sim_lane_at(out_air, SIM_NUMBER(SimLaneAir, root)));
}

// Returns NULL when SIM_MAX_TORNADOS blow. The oldest one that is ending makes room.
static SimTornadoState *add_tornado(SimWeather *weather, const char *name) {
    int blowing = 0, ending = -1;
    for (int i = weather->tornado_count - 1; i >= 0; i--) {
        if (weather->tornados[i].ends)
            ending = i;
        else
            blowing++;
    }
    if (blowing == SIM_MAX_TORNADOS) return NULL;
    if (weather->tornado_count == SIM_KERNEL_TORNADOS) remove_tornado(weather, ending);
    SimTornadoState *state = &weather->tornados[weather->tornado_count++];
    memset(state, 0, sizeof *state);
    memcpy(state->name, name, strlen(name) + 1);
    return state;
}

static void remove_tornado(SimWeather *weather, int index) {
    size_t after = (size_t)(--weather->tornado_count - index);
    memmove(&weather->tornados[index], &weather->tornados[index + 1], after * sizeof weather->tornados[0]);
}

static void advance_wind(SimWeather *weather, float dt) {
    if (weather->left > 0.0f) {
        float share = ramp(&weather->left, dt);
        for (int i = 0; i < 3; i++)
            weather->wind.velocity_world[i] =
                towards(weather->wind.velocity_world[i], weather->wind_to.velocity_world[i], share);
        weather->wind.turbulence = towards(weather->wind.turbulence, weather->wind_to.turbulence, share);
        weather->wind.gust = towards(weather->wind.gust, weather->wind_to.gust, share);
    }
    for (int i = 0; i < 3; i++)
        weather->drift_world[i] += (double)weather->wind.velocity_world[i] * (double)dt;
}

// The share of a ramp's remaining time that dt covers; 1 at its end.
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

static bool wind_is_steady(const SimWeather *weather) {
    if (weather->left > 0.0f && memcmp(&weather->wind, &weather->wind_to, sizeof weather->wind) != 0)
        return false;
    bool blows = glm_vec3_norm((float *)weather->wind.velocity_world) > 0.0f;
    return !blows || (weather->wind.gust <= 0.0f && weather->wind.turbulence <= 0.0f);
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
