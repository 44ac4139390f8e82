// Gusts and eddies as value noise on a lattice that the mean wind carries along.
#include "wind.h"

#include <cglm/cglm.h>
#include <math.h>

#define GUST_SIZE 8.0 // m
#define EDDY_SIZE 1.5 // m

static uint64_t scramble(uint64_t value) { // the finaliser of splitmix64
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

// -1..1 at a lattice point.
static float lattice(uint64_t seed, int64_t x, int64_t y, int64_t z) {
    uint64_t hash = scramble(seed + 0x9e3779b97f4a7c15u * (uint64_t)x);
    hash = scramble(hash + 0x9e3779b97f4a7c15u * (uint64_t)y);
    hash = scramble(hash + 0x9e3779b97f4a7c15u * (uint64_t)z);
    return (float)(hash >> 40) * (2.0f / 16777215.0f) - 1.0f;
}

static float noise(uint64_t seed, const double point[3]) {
    int64_t cell[3];
    float f[3];
    for (int i = 0; i < 3; i++) {
        double below = floor(point[i]);
        cell[i] = (int64_t)below;
        f[i] = glm_smoothstep(0.0f, 1.0f, (float)(point[i] - below));
    }
    float value = 0.0f;
    for (int corner = 0; corner < 8; corner++) {
        int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;
        float share = (dx ? f[0] : 1.0f - f[0]) * (dy ? f[1] : 1.0f - f[1]) * (dz ? f[2] : 1.0f - f[2]);
        value += share * lattice(seed, cell[0] + dx, cell[1] + dy, cell[2] + dz);
    }
    return value;
}

void sim_wind_advance(SimWindField *field, float dt) {
    for (int i = 0; i < 3; i++) field->drift_world[i] += (double)field->wind.velocity_world[i] * (double)dt;
}

void sim_wind_at(const SimWindField *field, const vec3 point_world, vec3 out_velocity_world) {
    const SimWind *wind = &field->wind;
    float speed = glm_vec3_norm((float *)wind->velocity_world);
    glm_vec3_copy((float *)wind->velocity_world, out_velocity_world);
    if (speed <= 0.0f || (wind->gust <= 0.0f && wind->turbulence <= 0.0f)) return;
    double gust_point[3], eddy_point[3];
    for (int i = 0; i < 3; i++) {
        double carried = (double)point_world[i] - field->drift_world[i];
        gust_point[i] = carried / GUST_SIZE;
        eddy_point[i] = carried / EDDY_SIZE;
    }
    float swell = 1.0f + wind->gust * noise(field->seed, gust_point);
    for (int i = 0; i < 3; i++) {
        float eddy = wind->turbulence * speed * noise(field->seed + 1 + (uint64_t)i, eddy_point);
        out_velocity_world[i] = out_velocity_world[i] * swell + eddy;
    }
}
