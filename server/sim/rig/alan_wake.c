// Factors at 60 Hz as stiffness, drape length and damping.
#include "sim/alan_wake.h"

#include "core/exact_math.h"

#include <math.h>

#define RATE    60.0f // Hz
#define GRAVITY 9.81f // m/s^2, as in B = density g drape^3

// (1 - R) / (dt^2 R) of a factor: the stiffness, over the mass that the link moves.
static float rate_squared(const SimArticleGrid *grid, float factor) {
    if (isnan(factor)) return factor; // none was given
    float rest = sim_pow(1.0f - factor, (float)grid->iterations);
    return RATE * RATE * (1.0f - rest) / rest;
}

// A link across a square cell has a compliance of 1 / K, and w0 + w1 = 2 / (density cell^2).
float sim_article_stiffness(const SimArticleGrid *grid, float factor) {
    return 0.5f * grid->density * grid->cell * grid->cell * rate_squared(grid, factor);
}

// The same of a link whose compliance is cell^2 / B, B = density g drape^3.
float sim_article_drape(const SimArticleGrid *grid, float factor) {
    float cell = grid->cell;
    return cbrtf(0.5f * cell * cell * cell * cell * rate_squared(grid, factor) / GRAVITY);
}

float sim_article_damping(float factor) {
    return -RATE * log1pf(-factor);
}
