// Stability of springs. With damping c and the largest eigenvalue w^2 of M^-1 K, semi-implicit Euler is
// stable for steps h of up to (sqrt(c^2 + 4 w^2) - c) / w^2, that is for h^2 w^2 + 2 h c <= 4. Power
// iteration finds w^2, at the rest shape, for mixes of the kinds of springs. w^2 is a convex function of
// their stiffnesses, so that between the mixes linear interpolation is on the safe side.
#include "topology/springs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LONGEST_STEP 1.0f // s; without stiffness any step is stable
#define MARGIN       0.8f // of the longest stable step
#define ITERATIONS   100
#define CONVERGED    1e-4 // relative change of the eigenvalue in an iteration

static float stiffest_mode(const SimSpringModes *modes, const float stiffness[SIM_LINK_KINDS]);
static float find_stiffest_mode(const SimTopology *topology, const float stiffness[SIM_LINK_KINDS]);
static void begin(const SimTopology *topology, double (*x)[3]);
static double iterate(const SimTopology *topology, const float stiffness[SIM_LINK_KINDS], double (*x)[3],
                      double (*y)[3]);

bool sim_springs_rate(const SimTopology *topology, SimSpringModes *out_modes) {
    const float part = 1.0f / SIM_SPRING_MIXES;
    for (int a = 0; a <= SIM_SPRING_MIXES; a++)
        for (int b = 0; a + b <= SIM_SPRING_MIXES; b++) {
            const float stiffness[SIM_LINK_KINDS] = {part * (float)a, part * (float)b,
                                                     part * (float)(SIM_SPRING_MIXES - a - b)};
            out_modes->mode[a][b] = find_stiffest_mode(topology, stiffness);
            if (out_modes->mode[a][b] < 0.0f) return false;
        }
    return true;
}

float sim_springs_elongation(const SimTopology *topology, SimLane positions) {
    const SimLinks *springs = &topology->springs;
    float most = 0.0f;
    for (int i = 0; i < springs->count; i++) {
        if (springs->kind[i] == SIM_LINK_BEND) continue;
        float square = 0.0f;
        for (int k = 0; k < 3; k++) {
            float way = positions.first[(3 * springs->ends[i][1] + k) * positions.width] -
                        positions.first[(3 * springs->ends[i][0] + k) * positions.width];
            square += way * way;
        }
        most = fmaxf(most, sqrtf(square) / springs->length[i] - 1.0f);
    }
    return most;
}

SimSpringPlan sim_spring_plan(const SimSpringModes *modes, const SimFabric *fabric, float h) {
    const SimFabricSpring *spring = &fabric->spring;
    const float alike[SIM_LINK_KINDS] = {spring->damping, spring->damping, spring->damping};
    const float stiffness[SIM_LINK_KINDS] = {spring->structural, spring->shear, spring->flexion};
    const float square = stiffest_mode(modes, stiffness) / fabric->density;
    const float damping = stiffest_mode(modes, alike) / fabric->density;
    SimSpringPlan plan = {1, 1.0f, LONGEST_STEP};
    if (square + damping <= 0.0f) return plan;
    plan.stable_step = fminf(LONGEST_STEP, 4.0f / (damping + sqrtf(damping * damping + 4.0f * square)));
    float steps = ceilf(h / (MARGIN * plan.stable_step));
    plan.steps = steps < SIM_SPRING_STEPS ? (int)steps : SIM_SPRING_STEPS;
    if (steps <= SIM_SPRING_STEPS) return plan;
    const float least = h / (MARGIN * SIM_SPRING_STEPS); // h^2 s w^2 + 2 h s c = 4
    plan.share = 4.0f / (least * least * square + 2.0f * least * damping);
    return plan;
}

bool sim_spring_warning(const SimFabric *fabric, const SimSpringPlan *plan,
                        char out_text[SIM_SPRING_WARNING_SIZE]) {
    const SimFabricSpring *spring = &fabric->spring;
    const double share = (double)plan->share, step = 1e3 * (double)plan->stable_step;
    if (plan->share >= 1.0f) return false;
    snprintf(
        out_text, SIM_SPRING_WARNING_SIZE,
        "springs too stiff for %d steps in 1/60 s (they are stable in steps of up to %.3g ms): structural "
        "%.4g is simulated as %.4g, shear %.4g as %.4g, flexion %.4g as %.4g N/m, damping %.4g as %.4g N s/m",
        4 * SIM_SPRING_STEPS, step, (double)spring->structural, share * (double)spring->structural,
        (double)spring->shear, share * (double)spring->shear, (double)spring->flexion,
        share * (double)spring->flexion, (double)spring->damping, share * (double)spring->damping);
    return true;
}

// Interpolates in the triangle of mixes about that of the stiffnesses: mixes have coordinates that sum to
// SIM_SPRING_MIXES, and those of the triangle's corners are one step apart along two of them.
static float stiffest_mode(const SimSpringModes *modes, const float stiffness[SIM_LINK_KINDS]) {
    const float sum = stiffness[0] + stiffness[1] + stiffness[2], tiny = 1e-6f;
    float past[SIM_LINK_KINDS], mode = 0.0f;
    int low[SIM_LINK_KINDS], left = SIM_SPRING_MIXES;
    if (sum <= 0.0f) return 0.0f;
    for (int kind = 0; kind < SIM_LINK_KINDS; kind++) {
        const float at = SIM_SPRING_MIXES * stiffness[kind] / sum;
        low[kind] = (int)(at + tiny);
        past[kind] = fmaxf(at - (float)low[kind], 0.0f);
        left -= low[kind];
    }
    if (left == 0) return sum * modes->mode[low[0]][low[1]];
    // With 1 left the corners are one step up along one coordinate, with 2 left along the two others.
    for (int kind = 0; kind < SIM_LINK_KINDS; kind++) {
        const int a = low[0] + ((kind == 0) == (left == 1)), b = low[1] + ((kind == 1) == (left == 1));
        mode += (left == 1 ? past[kind] : 1.0f - past[kind]) * modes->mode[a][b];
    }
    return sum * mode;
}

// The largest eigenvalue of M^-1 K for a density of 1, 1/s^2; -1 when memory runs out. Each spring resists
// changes of its length only.
static float find_stiffest_mode(const SimTopology *topology, const float stiffness[SIM_LINK_KINDS]) {
    const size_t count = (size_t)topology->particle_count;
    double(*x)[3] = calloc(2 * count, sizeof *x), value = 0.0;
    if (!x) return -1.0f;
    begin(topology, x);
    for (int i = 0; i < ITERATIONS; i++) {
        double before = value;
        value = iterate(topology, stiffness, x, x + count);
        if (value <= 0.0 || fabs(value - before) < CONVERGED * value) break;
    }
    free(x);
    return (float)value;
}

// Numbers without a pattern, so that every mode has a share.
static void begin(const SimTopology *topology, double (*x)[3]) {
    uint32_t seed = 1;
    for (int p = 0; p < topology->particle_count; p++)
        for (int k = 0; k < 3; k++) {
            seed = seed * 1664525u + 1013904223u;
            x[p][k] = topology->pinned[p] ? 0.0 : (double)(seed >> 8) / 8388608.0 - 1.0;
        }
}

// x <- M^-1 K x / |M^-1 K x| in the metric of M. Returns x.K x / x.M x of the new direction's origin.
static double iterate(const SimTopology *topology, const float stiffness[SIM_LINK_KINDS], double (*x)[3],
                      double (*y)[3]) {
    const SimLinks *springs = &topology->springs;
    double energy = 0.0, mass = 0.0, size = 0.0;
    for (int p = 0; p < topology->particle_count; p++) y[p][0] = y[p][1] = y[p][2] = 0.0;
    for (int i = 0; i < springs->count; i++) {
        const int a = springs->ends[i][0], b = springs->ends[i][1];
        double d[3], square = 0.0, along = 0.0;
        for (int k = 0; k < 3; k++) {
            d[k] = (double)topology->rest[b][k] - (double)topology->rest[a][k];
            square += d[k] * d[k];
            along += d[k] * (x[b][k] - x[a][k]);
        }
        if (square <= 0.0) continue;
        const double force = (double)(stiffness[springs->kind[i]] * springs->factor[i]) * along / square;
        energy += force * along;
        for (int k = 0; k < 3; k++) y[a][k] -= force * d[k], y[b][k] += force * d[k];
    }
    for (int p = 0; p < topology->particle_count; p++)
        for (int k = 0; k < 3; k++) {
            const double w = (double)topology->inverse_area[p];
            if (w > 0.0) mass += x[p][k] * x[p][k] / w;
            y[p][k] *= w;
            if (w > 0.0) size += y[p][k] * y[p][k] / w;
        }
    if (size <= 0.0 || mass <= 0.0) return 0.0;
    for (int p = 0; p < topology->particle_count; p++)
        for (int k = 0; k < 3; k++) x[p][k] = y[p][k] / sqrt(size);
    return energy / mass;
}
