// Gravity, ground, wind and tornadoes of a world, and which sleeping characters they wake.
#include "sim/ranges.h"
#include "world/world.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// A row of sim/ranges.h in single precision.
typedef struct Range {
    const char *unit;
    float minimum, maximum;
} Range;

#define ROW(of, least, most, otherwise) ((Range){(of), (float)(least), (float)(most)})
#define RANGE(row)                      SIM_WITH_RANGE(ROW, row)

static bool all_within(const vec3 vector, Range range, const char *path, SimIssue *out_issue);
static bool within(float value, Range range, const char *path, SimIssue *out_issue);
static bool at_once(const SimWorld *world);
static void wake_where(SimWorld *world, bool (*reaches)(const void *what, const vec3 point_world),
                       const void *what);
static bool everywhere(const void *what, const vec3 point_world);
static bool tornado_reaches(const void *state, const vec3 point_world);
static bool weather_changes(const void *weather, const vec3 point_world);

bool sim_validate_environment(const SimEnvironment *environment, SimIssue *out_issue) {
    const SimWind *wind = &environment->wind;
    return all_within(environment->gravity_world, RANGE(SIM_RANGE_GRAVITY), "gravity", out_issue) &&
           all_within(wind->velocity_world, RANGE(SIM_RANGE_WIND_VELOCITY), "wind.velocity", out_issue) &&
           within(wind->turbulence, RANGE(SIM_RANGE_TURBULENCE), "wind.turbulence", out_issue) &&
           within(wind->gust, RANGE(SIM_RANGE_GUST), "wind.gust", out_issue) &&
           (!environment->has_ground ||
            within(environment->ground, RANGE(SIM_RANGE_GROUND), "ground", out_issue));
}

const SimEnvironment *sim_world_environment(const SimWorld *world) {
    return &world->environment;
}

void sim_world_set_environment(SimWorld *world, const SimEnvironment *environment) {
    // The wind ramps; the tick wakes the characters that it reaches.
    const SimEnvironment *before = &world->environment;
    if (memcmp(before->gravity_world, environment->gravity_world, sizeof(vec3)) != 0 ||
        before->has_ground != environment->has_ground || before->ground != environment->ground)
        wake_where(world, everywhere, NULL);
    world->environment = *environment;
    sim_weather_set_wind(&world->weather, &environment->wind, at_once(world));
}

bool sim_validate_tornado(const SimTornado *tornado, SimIssue *out_issue) {
    return all_within(tornado->position_world, RANGE(SIM_RANGE_POSITION), "position", out_issue) &&
           within(tornado->radius, RANGE(SIM_RANGE_TORNADO_RADIUS), "radius", out_issue) &&
           within(tornado->strength, RANGE(SIM_RANGE_TORNADO_STRENGTH), "strength", out_issue) &&
           within(tornado->lift, RANGE(SIM_RANGE_TORNADO_LIFT), "lift", out_issue) &&
           all_within(tornado->velocity_world, RANGE(SIM_RANGE_TORNADO_VELOCITY), "velocity", out_issue);
}

bool sim_world_set_tornado(SimWorld *world, const char *name, const SimTornado *tornado) {
    SIM_ASSERT(*name && strlen(name) <= SIM_TORNADO_NAME_BYTES);
    const SimTornadoState *state = sim_weather_find(&world->weather, name);
    if (state) wake_where(world, tornado_reaches, state); // where it is now; where it will be, the tick does
    return sim_weather_set_tornado(&world->weather, name, tornado, at_once(world));
}

bool sim_world_remove_tornado(SimWorld *world, const char *name) {
    SimTornadoState *state = sim_weather_find(&world->weather, name);
    if (state) sim_weather_end_tornado(&world->weather, state, at_once(world));
    return state != NULL;
}

int sim_world_tornado_names(const SimWorld *world, const char *out_names[SIM_MAX_TORNADOS]) {
    int count = 0;
    for (int i = 0; i < world->weather.tornado_count; i++)
        if (!world->weather.tornados[i].ends) out_names[count++] = world->weather.tornados[i].name;
    return count;
}

bool sim_world_tornado(const SimWorld *world, const char *name, SimTornado *out_tornado) {
    const SimTornadoState *state = sim_weather_find((SimWeather *)&world->weather, name);
    if (state) *out_tornado = state->tornado;
    return state != NULL;
}

void sim_world_air(const SimWorld *world, const vec3 point_world, vec3 out_velocity_world) {
    float lane[SIM_NUMBERS(SimLaneAir)] = {0}, point[3] = {0}, velocity[3];
    SimKernelAir air;
    SimTransform place = SIM_TRANSFORM_IDENTITY;
    glm_vec3_copy((float *)point_world, place.position);
    sim_weather_for_kernel(&world->weather, &air);
    sim_weather_to_lane(&world->weather, &place, (SimLane){lane, 1});
    sim_kernel_scalar.air(&air, (const SimLaneAir *)(const void *)lane,
                          (const SimLanes3 *)(const void *)point, (SimLanes3 *)(void *)velocity);
    glm_vec3_copy(velocity, out_velocity_world);
}

SimWindState sim_world_wind_state(const SimWorld *world) {
    const SimWeather *weather = &world->weather;
    SimWindState state = {.wind = weather->wind, .left = weather->left};
    memcpy(state.drift_world, weather->drift_world, sizeof state.drift_world);
    return state;
}

void sim_world_repeat_wind(SimWorld *world, const SimWindState *state, uint64_t ticks) {
    SimWeather *weather = &world->weather;
    weather->wind = state->wind;
    weather->left = state->left;
    memcpy(weather->drift_world, state->drift_world, sizeof weather->drift_world);
    sim_weather_skip_wind(weather, 1.0f / (float)world->tick_rate, (int64_t)ticks);
}

void sim_world_repeat_tornado(SimWorld *world, const char *name, uint64_t ticks) {
    SimTornadoState *state = sim_weather_find(&world->weather, name);
    if (state) sim_tornado_skip(state, 1.0f / (float)world->tick_rate, (int64_t)ticks);
}

void sim_world_set_tick(SimWorld *world, uint64_t tick) {
    const int64_t skipped = (int64_t)(tick - world->tick);
    sim_weather_skip(&world->weather, 1.0f / (float)world->tick_rate, skipped);
    for (uint32_t i = 0; i < world->characters.used; i++) {
        SimCharacter *character = world->characters.items[i];
        if (character && character->asleep) character->asleep_since += (uint64_t)skipped;
    }
    world->tick = tick;
}

void sim_environment_begin_tick(SimWorld *world) {
    if (!sim_weather_is_steady_everywhere(&world->weather))
        wake_where(world, weather_changes, &world->weather);
    sim_weather_advance(&world->weather, 1.0f / (float)world->tick_rate);
    sim_weather_for_kernel(&world->weather, &world->kernel_air);
}

void sim_environment_set_weather(SimWorld *world, const SimWeather *weather) {
    const SimWeather *before = &world->weather;
    const bool is_same = before->tornado_count + weather->tornado_count == 0 &&
                         memcmp(&before->wind, &weather->wind, sizeof before->wind) == 0 &&
                         memcmp(&before->wind_to, &weather->wind_to, sizeof before->wind) == 0;
    world->weather = *weather;
    world->environment.wind = weather->wind_to;
    if (!is_same) wake_where(world, everywhere, NULL); // else the tick does where the air changes
}

static bool all_within(const vec3 vector, Range range, const char *path, SimIssue *out_issue) {
    for (int i = 0; i < 3; i++)
        if (!within(vector[i], range, path, out_issue)) return false;
    return true;
}

// False for NaN.
static bool within(float value, Range range, const char *path, SimIssue *out_issue) {
    if (value >= range.minimum && value <= range.maximum) return true;
    snprintf(out_issue->path, sizeof out_issue->path, "%s", path);
    snprintf(out_issue->message, sizeof out_issue->message, "expected %.7g to %.7g%s%s, found %g",
             (double)range.minimum, (double)range.maximum, range.unit ? " " : "",
             range.unit ? range.unit : "", (double)value);
    return false;
}

// In a world that has not ticked, changes take place at once.
static bool at_once(const SimWorld *world) {
    return world->tick == 0;
}

static void wake_where(SimWorld *world, bool (*reaches)(const void *what, const vec3 point_world),
                       const void *what) {
    for (uint32_t i = 0; i < world->characters.used; i++) {
        SimCharacter *character = world->characters.items[i];
        bool rests = character && (character->asleep || character->unmoved > 0.0f);
        if (rests && reaches(what, character->root.position)) sim_world_wake(world, character);
    }
}

static bool everywhere(const void *what, const vec3 point_world) {
    (void)what, (void)point_world;
    return true;
}

static bool tornado_reaches(const void *state, const vec3 point_world) {
    return sim_tornado_reaches(state, point_world);
}

static bool weather_changes(const void *weather, const vec3 point_world) {
    return !sim_weather_is_steady(weather, point_world);
}
