// What the order of the steps is good for: the jacket on a striding body, then on one that stands, in our
// order and in that of the Alan Wake article.
#include "bench.h"
#include "jacket.h"
#include "tables.h"
#include "world/world.h" // private: the character of a world

#include <cglm/cglm.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TICK_RATE 60
#define CALM      0.1 // m/s^2

enum { STRIDES = 20, STANDING_TICKS = 15 * TICK_RATE };

typedef struct Found {
    double stretch, depth; // worst: share of rest, m
    double settle;         // s until all acceleration stays below CALM; infinite: not while watched
    double conflicts;
} Found;

typedef float Points[JACKET_PARTICLES][3];

static double worst_stretch(Points now, Points rest) {
    double worst = 0.0;
    for (int p = JACKET_COLUMNS; p < JACKET_PARTICLES; p++) {
        double length = (double)glm_vec3_distance(now[p], now[p - JACKET_COLUMNS]);
        double before = (double)glm_vec3_distance(rest[p], rest[p - JACKET_COLUMNS]);
        worst = fmax(worst, fabs(length / before - 1.0));
    }
    return worst;
}

static double worst_acceleration(Points past, Points before, Points now) {
    double worst = 0.0;
    for (int p = 0; p < JACKET_PARTICLES; p++) {
        double sum = 0.0;
        for (int i = 0; i < 3; i++)
            sum += pow((double)now[p][i] - 2.0 * (double)before[p][i] + (double)past[p][i], 2.0);
        worst = fmax(worst, sqrt(sum) * TICK_RATE * TICK_RATE);
    }
    return worst;
}

static Found observe(bool article) {
    const JacketSetting setting = {.characters = 1, .still = true, .article = article};
    SimWorld *world = jacket_create(&setting);
    const SimCharacter *character = world->groups[0]->characters[0];
    const SimCharacterId id = character->id;
    Found found = {.settle = HUGE_VAL};
    Points rest, points[3]; // of three ticks, the newest at the place of its number modulo 3
    memcpy(rest, character->rig->garments[0].info.rest_model, sizeof rest);
    const uint64_t conflicts = sim_world_stats(world).constraint_conflicts;
    for (int tick = 0; tick < STRIDES * JACKET_STRIDE; tick++) {
        jacket_ticks(world, 1);
        sim_garment_particles_model(world, id, 0, points[0]);
        found.stretch = fmax(found.stretch, worst_stretch(points[0], rest));
        found.depth = fmax(found.depth, jacket_depth(world, id, points[0] + JACKET_COLUMNS,
                                                     JACKET_PARTICLES - JACKET_COLUMNS));
    }
    found.conflicts = (double)(sim_world_stats(world).constraint_conflicts - conflicts);
    sim_character_stop(world, id, 0, 0.2f);
    int last = 0; // tick that was not calm
    for (int tick = 0; tick < STANDING_TICKS; tick++) {
        jacket_ticks(world, 1);
        sim_garment_particles_model(world, id, 0, points[tick % 3]);
        if (tick < 2) continue;
        if (worst_acceleration(points[(tick + 1) % 3], points[(tick + 2) % 3], points[tick % 3]) >= CALM)
            last = tick;
    }
    if (last < STANDING_TICKS - 1) found.settle = (double)last / TICK_RATE;
    jacket_destroy(world);
    return found;
}

static void print_row(const char *name, const Found *found) {
    printf("  %-26s %18.2g %20.2g %14.0f ", name, found->stretch, found->depth, found->conflicts);
    if (isinf(found->settle))
        printf("%12s\n", "never");
    else
        printf("%12.1f\n", found->settle);
}

void table_order(void) {
    const Found ours = observe(false), article = observe(true);
    bench_heading("the order of the steps: the jacket while its body strides, then stands, in still air");
    printf("  %-26s %18s %20s %14s %12s\n", "order", "stretch, of rest", "penetration, m", "conflicts",
           "settled, s");
    print_row("ours", &ours);
    print_row("the article's, 4 sweeps", &article);
    bench_target_at_most("stretch, of rest", 1e-5, ours.stretch);
    bench_target_at_most("penetration, m", 1e-5, ours.depth);
    bench_target_at_most("seconds until under 0.1 m/s^2 on a still body", 5.0, ours.settle);
}
