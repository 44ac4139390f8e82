// What the solver costs: a link and a particle of one substep beside a bare loop that does nothing but such
// links, and a jacket's tick, for each instruction set that this processor has.
#include "sim/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
    ROWS = 9,
    COLUMNS = 17,
    PARTICLES = ROWS * COLUMNS,
    COLLIDERS = 8,
    LANES = 16,
    TICK_RATE = 60,
    REPEATS = 7
};

// Links of rows, of columns (solved, then made exact), of both diagonals; bending both ways.
enum {
    ROW_LINKS = ROWS * (COLUMNS - 1),
    COLUMN_LINKS = (ROWS - 1) * COLUMNS,
    SHEARS = 2 * (ROWS - 1) * (COLUMNS - 1),
    BENDS = ROWS * (COLUMNS - 2) + (ROWS - 2) * COLUMNS,
    LINK_SOLVES = ROW_LINKS + 2 * COLUMN_LINKS + SHEARS + BENDS
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// The limit: an XPBD distance link a time for 16 garments, sqrt and division, in the layout of the solver's
// state. Nothing else: no other constraint, no force, no collision.
typedef struct BareLink {
    int a, b;
    float length, compliance;
} BareLink;

#define DEFINE_BARE_LOOP(name, attributes, width, load, root, store)                                         \
    attributes static void name(float(*restrict x)[3][LANES], const BareLink *restrict links, int count,     \
                                const float *restrict weight, const float *restrict softness) {              \
        for (int i = 0; i < count; i++) {                                                                    \
            const BareLink *link = &links[i];                                                                \
            float d[3][LANES], s[LANES], w0 = weight[link->a], w1 = weight[link->b];                         \
            for (int k = 0; k < 3; k++)                                                                      \
                for (int l = 0; l < LANES; l++) d[k][l] = x[link->b][k][l] - x[link->a][k][l];               \
            for (int l = 0; l < LANES; l++)                                                                  \
                s[l] = d[0][l] * d[0][l] + d[1][l] * d[1][l] + d[2][l] * d[2][l];                            \
            for (int l = 0; l < LANES; l += (width)) store(&s[l], root(load(&s[l])));                        \
            for (int l = 0; l < LANES; l++) {                                                                \
                float denominator = (s[l] + 1e-9f) * (w0 + w1 + link->compliance * softness[l]);             \
                s[l] = (s[l] - link->length) / denominator;                                                  \
            }                                                                                                \
            for (int k = 0; k < 3; k++)                                                                      \
                for (int l = 0; l < LANES; l++) x[link->a][k][l] += w0 * s[l] * d[k][l];                     \
            for (int k = 0; k < 3; k++)                                                                      \
                for (int l = 0; l < LANES; l++) x[link->b][k][l] -= w1 * s[l] * d[k][l];                     \
        }                                                                                                    \
    }

#if defined(__x86_64__)
#define FOR(instruction_set) __attribute__((target(instruction_set)))
DEFINE_BARE_LOOP(bare_baseline, , 4, _mm_loadu_ps, _mm_sqrt_ps, _mm_storeu_ps)
DEFINE_BARE_LOOP(bare_avx2, FOR("avx2,no-fma"), 8, _mm256_loadu_ps, _mm256_sqrt_ps, _mm256_storeu_ps)
DEFINE_BARE_LOOP(bare_avx512, FOR("avx512f,avx512vl,avx512dq,avx512bw,no-fma,prefer-vector-width=512"), 16,
                 _mm512_loadu_ps, _mm512_sqrt_ps, _mm512_storeu_ps)
#else
#define LOAD(from)      (*(from))
#define STORE(to, from) (*(to) = (from))
DEFINE_BARE_LOOP(bare_baseline, , 1, LOAD, sqrtf, STORE)
#endif

typedef void (*BareLoop)(float (*restrict)[3][LANES], const BareLink *restrict, int, const float *restrict,
                         const float *restrict);

static BareLoop bare_loop(const char *instruction_set) {
#if defined(__x86_64__)
    if (strcmp(instruction_set, "avx2") == 0) return bare_avx2;
    if (strcmp(instruction_set, "avx512") == 0) return bare_avx512;
#endif
    (void)instruction_set;
    return bare_baseline;
}

// ns for one link and one garment.
static double time_bare_loop(const char *instruction_set) {
    static _Alignas(64) float x[PARTICLES][3][LANES];
    static float weight[PARTICLES], softness[LANES];
    static BareLink links[SHEARS];
    int count = 0;
    for (int p = 0; p < PARTICLES; p++) {
        weight[p] = 1.0f;
        for (int l = 0; l < LANES; l++) {
            softness[l] = 0.1f;
            x[p][0][l] = 0.061f * (float)(p % COLUMNS), x[p][1][l] = -0.059f * (float)(p / COLUMNS);
        }
    }
    for (int row = 0; row + 1 < ROWS; row++)
        for (int column = 0; column + 1 < COLUMNS; column++)
            for (int way = 0; way < 2; way++)
                links[count++] =
                    (BareLink){row * COLUMNS + column + way, (row + 1) * COLUMNS + column + 1 - way,
                               0.06f * sqrtf(2.0f), 1.0f};
    double best = HUGE_VAL;
    const int sweeps = 400;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double begin = now();
        for (int i = 0; i < sweeps; i++) bare_loop(instruction_set)(x, links, count, weight, softness);
        best = fmin(best, now() - begin);
    }
    return 1e9 * best / (sweeps * (double)count * LANES);
}

// A jacket round a body: half a cylinder wide open in front, over two thighs, a pelvis and more.
typedef struct Jacket {
    SimBoneDef bone;
    SimColliderDef colliders[COLLIDERS];
    SimGarmentDef garment;
    SimSkin attach[COLUMNS];
    float positions[PARTICLES][3];
    SimRigDef rig;
} Jacket;

static void make_jacket(Jacket *jacket, bool over_a_body) {
    memset(jacket, 0, sizeof *jacket);
    jacket->bone = sim_default_bone_def();
    jacket->bone.name = "root";
    jacket->garment = sim_default_garment_def();
    jacket->garment.name = "jacket";
    jacket->garment.rows = ROWS;
    jacket->garment.columns = COLUMNS;
    jacket->garment.positions = (const float(*)[3])jacket->positions;
    jacket->garment.attach = jacket->attach;
    for (int p = 0; p < PARTICLES; p++) {
        float turn = 0.3f + 5.7f * (float)(p % COLUMNS) / (COLUMNS - 1),
              radius = 0.17f + 0.005f * (float)(p / COLUMNS);
        jacket->positions[p][0] = radius * sinf(turn);
        jacket->positions[p][1] = -0.06f * (float)(p / COLUMNS);
        jacket->positions[p][2] = radius * cosf(turn);
        jacket->attach[p % COLUMNS].weights[0] = 1.0f;
    }
    static const char *const names[COLLIDERS] = {"pelvis",   "left thigh", "right thigh", "chest",
                                                 "left arm", "right arm",  "left shin",   "right shin"};
    for (int i = 0; i < COLLIDERS; i++) {
        float side = i % 2 ? 1.0f : -1.0f;
        SimColliderDef *collider = &jacket->colliders[i];
        *collider = sim_default_collider_def();
        collider->name = names[i];
        collider->shape = SIM_COLLIDER_ELLIPSOID;
        collider->bone = 0;
        memcpy(collider->center, (float[3]){0.09f * side * (float)(i > 0), -0.1f - 0.05f * (float)i, 0.02f},
               sizeof(vec3));
        memcpy(collider->radii, (float[3]){i ? 0.08f : 0.16f, i ? 0.2f : 0.1f, 0.11f}, sizeof(vec3));
    }
    jacket->rig = (SimRigDef){.name = "jacket",
                              .bones = &jacket->bone,
                              .bone_count = 1,
                              .garments = &jacket->garment,
                              .garment_count = 1,
                              .colliders = jacket->colliders,
                              .collider_count = over_a_body ? COLLIDERS : 0};
}

// Seconds of a tick of so many characters, warm, in a light wind so that nothing rests. The best of some
// runs.
static double time_tick(const char *instruction_set, bool over_a_body, int characters, int *out_substeps) {
    static Jacket jacket;
    SimIssue issue = {0};
    SimWorldDef def = sim_default_world_def();
    def.tick_rate = TICK_RATE;
    def.environment.wind = (SimWind){{1.0f, 0.0f, 0.5f}, 0.3f, 0.3f};
    make_jacket(&jacket, over_a_body);
    SimWorld *world = sim_world_create(&def, &issue);
    SimRigId rig = world ? sim_rig_create(world, &jacket.rig, &issue) : (SimRigId){0};
    if (!rig.index || !sim_world_use_instruction_set(world, instruction_set)) {
        fprintf(stderr, "cannot run: %s %s\n", issue.path, issue.message);
        exit(1);
    }
    SimTransform root = SIM_TRANSFORM_IDENTITY;
    for (int i = 0; i < characters; i++) sim_character_create(world, rig, &root, &issue);
    for (int i = 0; i < TICK_RATE; i++) sim_world_step(world);
    double best = HUGE_VAL;
    const int ticks = 30;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double begin = now();
        for (int i = 0; i < ticks; i++) sim_world_step(world);
        best = fmin(best, (now() - begin) / ticks);
    }
    *out_substeps = sim_world_substeps(world);
    sim_world_destroy(world);
    return best;
}

static void print_rows(const char *instruction_set) {
    double bare = time_bare_loop(instruction_set);
    static const int crowds[] = {1, LANES};
    for (int i = 0; i < 2; i++) {
        int substeps, n = crowds[i];
        double plain = time_tick(instruction_set, false, n, &substeps);
        double jacket = time_tick(instruction_set, true, n, &substeps);
        double link = 1e9 * plain / (substeps * (double)LINK_SOLVES * n);
        printf("%-9s %8d %15.2f %10.2f %6.1f %18.1f %12.0f %12.1f\n", instruction_set, n, link, bare,
               link / bare, 1e9 * plain / (substeps * (double)PARTICLES * n), 1e6 * jacket, 1e6 * jacket / n);
    }
}

int main(void) {
    static const char *const names[] = {"scalar", "baseline", "avx2", "avx512"};
    SimIssue issue;
    SimWorldDef def = sim_default_world_def();
    SimWorld *world = sim_world_create(&def, &issue);
    if (!world) return 1;
    printf("a jacket of %d x %d particles, %d link-solves a substep, %d substeps a tick at %d Hz; the limit "
           "is a bare "
           "loop of links\n",
           COLUMNS, ROWS, LINK_SOLVES, sim_world_substeps(world), TICK_RATE);
    printf("%-9s %8s %15s %10s %6s %18s %12s %12s\n", "", "", "whole tick,", "the limit,", "",
           "whole tick, ns", "tick, us,", "");
    printf("%-9s %8s %15s %10s %6s %18s %12s %12s\n", "kernel", "garments", "ns a link-solve", "ns", "ratio",
           "a particle-substep", "8 ellipsoids", "us each");
    for (int i = 0; i < 4; i++)
        if (sim_world_use_instruction_set(world, names[i])) print_rows(names[i]);
    sim_world_destroy(world);
    return 0;
}
