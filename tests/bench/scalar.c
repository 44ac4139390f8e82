// One particle, one link at a time.
#include "scalar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Particle {
    float x[3], v[3], predicted[3];
    float inverse_mass;
} Particle;

typedef struct Scalar {
    Grid grid;
    int garments, particles;
    Particle *all; // [garments][particles]
} Scalar;

static const float softness[GRID_KINDS] = {1.0f / (15000.0f * GRID_STEP * GRID_STEP),
                                           1.0f / (35.0f * GRID_STEP * GRID_STEP),
                                           1.0f / (5.0f * GRID_STEP * GRID_STEP)};

void *scalar_create(const void *setting_) {
    const ScalarSetting *setting = setting_;
    Scalar *scalar = calloc(1, sizeof *scalar);
    if (!scalar || !grid_init(&scalar->grid, setting->rows, setting->columns)) return NULL;
    scalar->garments = setting->garments;
    scalar->particles = setting->rows * setting->columns;
    scalar->all = calloc((size_t)(scalar->garments * scalar->particles), sizeof *scalar->all);
    if (!scalar->all) return NULL;
    for (int i = 0; i < scalar->garments * scalar->particles; i++) {
        int p = i % scalar->particles;
        grid_position(&scalar->grid, p, scalar->all[i].x);
        bool pinned = grid_is_pinned(&scalar->grid, p);
        scalar->all[i].inverse_mass = pinned ? 0.0f : 1.0f / (0.4f * GRID_CELL * GRID_CELL);
    }
    return scalar;
}

static void integrate(Particle *particle) {
    for (int k = 0; k < 3; k++) {
        if (particle->inverse_mass > 0.0f) {
            particle->v[k] = 0.99f * particle->v[k] - (k == 1 ? 9.81f * GRID_STEP : 0.0f);
            particle->x[k] += particle->v[k] * GRID_STEP;
        }
        particle->predicted[k] = particle->x[k];
    }
}

static void solve(const GridLink *link, Particle *a, Particle *b) {
    float d[3];
    for (int k = 0; k < 3; k++) d[k] = b->x[k] - a->x[k];
    float length = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    float s = (length - link->length) / (length * (a->inverse_mass + b->inverse_mass + softness[link->kind]));
    for (int k = 0; k < 3; k++) {
        a->x[k] += a->inverse_mass * s * d[k];
        b->x[k] -= b->inverse_mass * s * d[k];
    }
}

static void step(const Grid *grid, Particle *particles, int count) {
    for (int p = 0; p < count; p++) integrate(&particles[p]);
    for (int iteration = 0; iteration < GRID_ITERATIONS; iteration++)
        for (int i = 0; i < grid->link_count; i++)
            solve(&grid->links[i], &particles[grid->links[i].a], &particles[grid->links[i].b]);
    for (int p = 0; p < count; p++)
        for (int k = 0; k < 3; k++)
            particles[p].v[k] += (particles[p].x[k] - particles[p].predicted[k]) / GRID_STEP;
}

void scalar_steps(void *scalar_, int count) {
    Scalar *scalar = scalar_;
    for (int i = 0; i < count; i++)
        for (int g = 0; g < scalar->garments; g++)
            step(&scalar->grid, scalar->all + g * scalar->particles, scalar->particles);
}

void scalar_destroy(void *scalar_) {
    Scalar *scalar = scalar_;
    grid_finish(&scalar->grid);
    free(scalar->all);
    free(scalar);
}
