// The wind: a mean velocity, gusts that swell over seconds, eddies of a metre or two. All of it drifts along
// with the mean wind, so what passes one character reaches the next.
#pragma once

#include "sim/world.h"

typedef struct SimWindField {
    SimWind wind;
    uint64_t seed;
    double drift_world[3]; // m, how far the air has moved since the start
} SimWindField;

void sim_wind_advance(SimWindField *field, float dt);

// Velocity of the air at a point, in m/s.
void sim_wind_at(const SimWindField *field, const vec3 point_world, vec3 out_velocity_world);
