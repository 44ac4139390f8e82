// Interpolates a fabric's values.
#include "garment/fabric_ramp.h"

#include "core/exact_math.h"
#include "topology/springs.h"

#include <cglm/cglm.h>
#include <math.h>

typedef enum Interpolation {
    EVEN,       // interpolates the number
    RATIO,      // interpolates ratios
    COMPLIANCE, // 1 / sqrt(K): between strain (1 / K) and sag (1 / K^(1/3))
} Interpolation;

static const struct {
    size_t offset;
    Interpolation interpolation;
} interpolations[] = {
    {offsetof(SimFabric, density), RATIO},
    {offsetof(SimFabric, stretch), COMPLIANCE},
    {offsetof(SimFabric, shear), COMPLIANCE},
    {offsetof(SimFabric, drape), RATIO},
    {offsetof(SimFabric, spring.structural), COMPLIANCE},
    {offsetof(SimFabric, spring.shear), COMPLIANCE},
    {offsetof(SimFabric, spring.flexion), COMPLIANCE},
};

static float distance_in_use(const SimFabric *fabric, const SimTopology *topology, SimLane positions,
                             SimLane references, bool edge);
static float distance(SimLane a, int index_a, SimLane b, int index_b);
static float between(Interpolation interpolation, float from, float to, float share);
static void tighten(float *from, float to, float in_use);
static float strain_in_use(const SimTopology *topology, SimLane positions);
static Interpolation interpolation_of(const SimFabricField *field);
static void mix_shares(const float from[2], const float to[2], float share, float out[2]);

void sim_fabric_ramp_set(SimFabricRamp *ramp, const SimFabric *fabric) {
    SimRootShares shares = sim_root_shares(fabric);
    *ramp = (SimFabricRamp){*fabric, *fabric, *fabric, shares, shares, .changed = true};
}

void sim_fabric_ramp_start(SimFabricRamp *ramp, const SimFabric *fabric) {
    ramp->from = ramp->now;
    ramp->from_shares = ramp->shares;
    ramp->to = *fabric;
    ramp->left = SIM_RAMP_SECONDS;
    ramp->changed = true;
}

void sim_fabric_ramp_begin_at_use(SimFabricRamp *ramp, const SimTopology *topology, SimLane positions,
                                  SimLane references) {
    SimFabric *from = &ramp->from;
    float edge = distance_in_use(from, topology, positions, references, true);
    float inside = distance_in_use(from, topology, positions, references, false);
    tighten(&from->limit, ramp->to.limit, strain_in_use(topology, positions));
    tighten(&from->spring.limit, ramp->to.spring.limit, sim_springs_elongation(topology, positions));
    tighten(&from->max_distance, ramp->to.max_distance, fmaxf(inside, edge));
    if (from->max_distance > 0.0f)
        tighten(&from->edge.max_distance, ramp->to.edge.max_distance,
                from->edge.max_distance * edge / from->max_distance);
    ramp->now = ramp->left > 0.0f ? *from : ramp->now;
}

void sim_fabric_ramp_advance(SimFabricRamp *ramp, float dt) {
    if (ramp->left <= 0.0f) return;
    ramp->left -= dt;
    if (ramp->left < 0.5f * dt) ramp->left = 0.0f; // drops rounding residue
    ramp->changed = true;
    SimRootShares to = sim_root_shares(&ramp->to);
    if (ramp->left <= 0.0f) {
        ramp->now = ramp->to;
        ramp->shares = to;
        return;
    }
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    float share = 1.0f - ramp->left / SIM_RAMP_SECONDS;
    for (int i = 0; i < count; i++) {
        float from = sim_fabric_get(&ramp->from, &fields[i]), end = sim_fabric_get(&ramp->to, &fields[i]);
        sim_fabric_set(&ramp->now, &fields[i], between(interpolation_of(&fields[i]), from, end, share));
    }
    ramp->now.stretch_weft = between(COMPLIANCE, sim_fabric_stretch_weft(&ramp->from),
                                     sim_fabric_stretch_weft(&ramp->to), share); // 0 means stretch
    mix_shares(ramp->from_shares.linear, to.linear, share, ramp->shares.linear);
    mix_shares(ramp->from_shares.angular, to.angular, share, ramp->shares.angular);
    mix_shares(ramp->from_shares.centrifugal, to.centrifugal, share, ramp->shares.centrifugal);
}

// Returns the max_distance that the cloth uses now, at the edge or inside.
static float distance_in_use(const SimFabric *fabric, const SimTopology *topology, SimLane positions,
                             SimLane references, bool edge) {
    float most = 0.0f;
    for (int p = 0; p < topology->particle_count; p++) {
        float away = distance(positions, p, references, p), scaled = topology->max_distance_scaled[p];
        if (topology->pinned[p] || (bool)topology->edge[p] != edge || scaled <= 0.0f) continue;
        if (edge) away /= fmaxf(fabric->edge.max_distance, 1e-6f);
        most = fmaxf(most, (away - topology->max_distance_fixed[p]) / scaled);
    }
    return most;
}

static float distance(SimLane a, int index_a, SimLane b, int index_b) {
    vec3 between;
    for (int i = 0; i < 3; i++)
        between[i] = a.first[(3 * index_a + i) * a.width] - b.first[(3 * index_b + i) * b.width];
    return glm_vec3_norm(between);
}

static float between(Interpolation interpolation, float from, float to, float share) {
    const float least_ratio = 2e-2f, least_stiffness = 1.0f; // N/m; they keep 0 finite
    if (from == to) return to;
    switch (interpolation) {
    case RATIO:
        return (from + least_ratio) * sim_pow((to + least_ratio) / (from + least_ratio), share) - least_ratio;
    case COMPLIANCE: {
        float a = 1.0f / sqrtf(from + least_stiffness), b = 1.0f / sqrtf(to + least_stiffness);
        float x = a + share * (b - a);
        return fmaxf(1.0f / (x * x) - least_stiffness, 0.0f);
    }
    default:
        return from + share * (to - from);
    }
}

// Starts at the bound that the cloth uses: no looser than the present one, no tighter than the new one.
static void tighten(float *from, float to, float in_use) {
    if (to < *from) *from = fminf(*from, fmaxf(to, in_use));
}

static float strain_in_use(const SimTopology *topology, SimLane positions) {
    const SimPaths *paths = &topology->paths;
    float most = 0.0f;
    for (int i = 0; i < paths->count; i++)
        for (int k = paths->first[i]; k + 1 < paths->first[i + 1]; k++) {
            float length = distance(positions, paths->particles[k], positions, paths->particles[k + 1]);
            most = fmaxf(most, fabsf(length / topology->column_length[k] - 1.0f));
        }
    for (int p = topology->columns; p < topology->particle_count; p++) {
        int above = p - topology->columns;
        float length = distance(positions, above, positions, p);
        most = fmaxf(most, fabsf(length / topology->column_length[above] - 1.0f));
    }
    return most;
}

static Interpolation interpolation_of(const SimFabricField *field) {
    for (size_t i = 0; i < sizeof interpolations / sizeof interpolations[0]; i++)
        if (interpolations[i].offset == field->offset) return interpolations[i].interpolation;
    return EVEN;
}

static void mix_shares(const float from[2], const float to[2], float share, float out[2]) {
    for (int edge = 0; edge < 2; edge++) out[edge] = from[edge] + share * (to[edge] - from[edge]);
}
