// State of a world's wind and tornadoes: a mean wind with gusts that swell over seconds and eddies of a metre
// or two. These drift with the wind, so a gust that passes one character reaches the next. Tornadoes move.
// The air's velocity is computed in kernel/air.h.
#pragma once

#include "core/kernel.h"
#include "sim/world.h"

#define SIM_WEATHER_RAMP_SECONDS 0.2f // duration of a change of wind and of a tornado's beginning and end

typedef struct SimTornadoState {
    char name[SIM_TORNADO_NAME_BYTES + 1];
    SimTornado tornado;           // as set, at its present position
    double position_world[3];     // m, foot of the axis
    float strength, lift, radius; // present values; they ramp to the tornado's
    float left;                   // s of the ramp
    bool ends;                    // fades; no longer one of the world's tornadoes
} SimTornadoState;

typedef struct SimWeather {
    uint64_t seed;
    SimWind wind, wind_to;                         // present wind; end of its ramp
    float left;                                    // s of the wind's ramp
    double drift_world[3];                         // m, distance that the air has moved since the start
    SimTornadoState tornados[SIM_KERNEL_TORNADOS]; // [tornado_count] in order of their beginning
    int tornado_count;
} SimWeather;

void sim_weather_init(SimWeather *weather, const SimWind *wind, uint64_t seed);
// Sets the wind at once, or within SIM_WEATHER_RAMP_SECONDS.
void sim_weather_set_wind(SimWeather *weather, const SimWind *wind, bool at_once);
// Returns NULL when no tornado of that name blows, or it is ending.
SimTornadoState *sim_weather_find(SimWeather *weather, const char *name);
// Returns false when SIM_MAX_TORNADOS others blow.
bool sim_weather_set_tornado(SimWeather *weather, const char *name, const SimTornado *tornado, bool at_once);
void sim_weather_end_tornado(SimWeather *weather, SimTornadoState *state, bool at_once);

// True where the air's velocity is constant until the next command: no gusts or eddies, no ramp under way,
// and no moving tornado that is near enough to be felt.
bool sim_weather_is_steady(const SimWeather *weather, const vec3 point_world);
bool sim_weather_is_steady_everywhere(const SimWeather *weather);
// True when its air at the point is faster than 0.02 m/s, now or after its ramp.
bool sim_tornado_reaches(const SimTornadoState *state, const vec3 point_world);

void sim_weather_advance(SimWeather *weather, float dt);
// The same so many times, in a time that does not depend on the number. Negative: back, without the ramps.
void sim_weather_skip(SimWeather *weather, float dt, int64_t ticks);
// The same of the wind, and of a tornado, alone.
void sim_weather_skip_wind(SimWeather *weather, float dt, int64_t ticks);
void sim_tornado_skip(SimTornadoState *state, float dt, int64_t ticks);

// The kernel's inputs: shared by all lanes, and those that depend on the root.
void sim_weather_for_kernel(const SimWeather *weather, SimKernelAir *out_air);
void sim_weather_to_lane(const SimWeather *weather, const SimTransform *root_world,
                         SimLane out_air); // SimLaneAir
