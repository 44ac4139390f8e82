// The world and its ticks.
#include "world/world.h"

#include "garment/group.h"
#include "rig/rig_morph.h"
#include "topology/springs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <text/array.h>

// More characters of a rig share a wide group, whose tick costs about as much as theirs together, all of its
// lanes used or not.
#define NARROW_MOST(kernel) ((kernel)->width == SIM_LANES ? 4 : 2)

// Half a second, at low rates so many ticks.
#define LEAST_SLEEP_TICKS 8

static void report_unstable(SimWorld *world, const SimGroup *group);
static float spring_excess(const SimGroup *group, int lane);

SimWorldDef sim_default_world_def(void) {
    return (SimWorldDef){.tick_rate = 60,
                         .environment = {.gravity_world = {0.0f, (float)-SIM_STANDARD_GRAVITY, 0.0f}}};
}

SimWorld *sim_world_create(const SimWorldDef *def, SimIssue *out_issue) {
    *out_issue = (SimIssue){.message = "out of memory"};
    if (def->tick_rate < 1 || def->tick_rate > 1000) {
        *out_issue = (SimIssue){.path = "tick_rate", .message = "expected 1 to 1000 Hz"};
        return NULL;
    }
    if (!sim_validate_environment(&def->environment, out_issue)) return NULL;
    SimWorld *world = calloc(1, sizeof *world);
    if (!world) return NULL;
    world->environment = def->environment;
    sim_weather_init(&world->weather, &def->environment.wind, def->seed);
    sim_weather_for_kernel(&world->weather, &world->kernel_air);
    world->kernel = sim_kernel_best();
    world->alone_kernel = sim_kernel_alone(world->kernel->name);
    world->strip_kernel = sim_kernel_strips(world->kernel->name);
    world->narrow_most = NARROW_MOST(world->kernel);
    world->tick_rate = def->tick_rate;
    // Substeps of one length, 1/240 s or what comes nearest, make presets look alike at any rate.
    int substeps = (240 + def->tick_rate / 2) / def->tick_rate;
    world->substeps = substeps > 1 ? substeps : 1;
    world->settles = def->settle;
    if (def->sleep)
        world->sleep_ticks = def->tick_rate > 2 * LEAST_SLEEP_TICKS ? def->tick_rate / 2 : LEAST_SLEEP_TICKS;
    return world;
}

void sim_world_destroy(SimWorld *world) {
    if (!world) return;
    for (uint32_t i = 0; i < world->characters.used; i++) sim_character_free(world->characters.items[i]);
    for (int i = 0; i < world->group_count; i++) sim_group_destroy(world->groups[i]);
    for (uint32_t i = 0; i < world->rigs.used; i++) sim_rig_destroy(world->rigs.items[i]);
    sim_table_finish(&world->characters);
    sim_table_finish(&world->rigs);
    free(world->groups);
    free(world->unstable);
    free(world);
}

uint64_t sim_world_tick(const SimWorld *world) {
    return world->tick;
}

int sim_world_substeps(const SimWorld *world) {
    return world->substeps;
}

const char *sim_world_instruction_set(const SimWorld *world) {
    return world->kernel->name;
}

bool sim_world_use_instruction_set(SimWorld *world, const char *name) {
    const SimKernel *kernel = sim_kernel_named(name);
    if (!kernel) return false;
    world->kernel = kernel;
    world->alone_kernel = sim_kernel_alone(name);
    world->strip_kernel = sim_kernel_strips(name);
    world->narrow_most = 0;
    return true;
}

SimGroupTick sim_world_group_tick(const SimWorld *world, const SimGroup *group) {
    return (SimGroupTick){.environment = &world->environment,
                          .weather = &world->weather,
                          .kernel_air = &world->kernel_air,
                          .substep_count = sim_level_substeps(group->rig, group->level, world->substeps),
                          .dt = 1.0f / (float)world->tick_rate,
                          .settles = world->settles};
}

void sim_world_place(SimWorld *world) {
    for (int i = 0; i < world->awake_count; i++) {
        SimGroupTick tick = sim_world_group_tick(world, world->groups[i]);
        sim_group_place(world->groups[i], &tick);
    }
}

void sim_world_begin_tick(SimWorld *world) {
    sim_world_place(world);
    for (uint32_t i = 0; i < world->rigs.used; i++)
        if (world->rigs.items[i]) sim_rig_morph_advance(world->rigs.items[i], 1.0f / (float)world->tick_rate);
    sim_environment_begin_tick(world);
    world->unstable_count = 0;
}

int sim_world_task_count(const SimWorld *world) {
    return world->awake_count;
}

void sim_world_run_task(SimWorld *world, int task) {
    SimGroupTick tick = sim_world_group_tick(world, world->groups[task]);
    sim_group_step(world->groups[task], &tick);
}

void sim_world_end_tick(SimWorld *world) {
    for (int i = 0; i < world->awake_count; i++) {
        world->conflicts_total += world->groups[i]->conflicts;
        report_unstable(world, world->groups[i]);
    }
    world->tick++;
    if (world->sleep_ticks > 0) sim_groups_put_to_sleep(world);
}

void sim_world_step(SimWorld *world) {
    sim_world_begin_tick(world);
    for (int i = 0; i < world->awake_count; i++) sim_world_run_task(world, i);
    sim_world_end_tick(world);
}

const SimUnstable *sim_world_unstable(const SimWorld *world, int *out_count) {
    *out_count = world->unstable_count;
    return world->unstable;
}

SimWorldStats sim_world_stats(const SimWorld *world) {
    SimWorldStats stats = {.unstable = world->unstable_total, .constraint_conflicts = world->conflicts_total};
    for (int i = 0; i < world->group_count; i++) {
        const SimGroup *group = world->groups[i];
        stats.characters += group->count;
        stats.garments += group->count * group->rig->info.garment_count;
        if (i >= world->awake_count) stats.asleep += group->rig->info.garment_count;
        stats.particles += group->count * group->rig->particle_count;
    }
    return stats;
}

float sim_world_spring_excess(const SimWorld *world) {
    float most = 0.0f;
    for (int i = 0; i < world->group_count; i++) {
        const SimGroup *group = world->groups[i];
        for (int lane = 0; lane < group->width; lane++)
            if (group->characters[lane]) most = fmaxf(most, spring_excess(group, lane));
    }
    return most;
}

static float spring_excess(const SimGroup *group, int lane) {
    float most = 0.0f;
    for (int g = 0; g < group->rig->info.garment_count; g++) {
        const SimLane positions = sim_group_lane(group, group->garments[g].state.position, lane);
        const float limit = group->characters[lane]->fabrics[g].now.spring.limit;
        most = fmaxf(most, sim_springs_elongation(&group->rig->garments[g].topology, positions) - limit);
    }
    return most;
}

static void report_unstable(SimWorld *world, const SimGroup *group) {
    for (int i = 0; i < group->unstable_count; i++) {
        world->unstable_total++;
        if (!TEXT_ARRAY_GROW(world->unstable, world->unstable_count, world->unstable_capacity))
            continue; // it is counted all the same
        SimUnstable *unstable = &world->unstable[world->unstable_count++];
        unstable->character = group->characters[group->unstable[i].lane]->id;
        unstable->garment = group->unstable[i].garment;
        sim_cause_describe(group->rig, unstable->garment, &group->unstable[i].cause, unstable->cause);
    }
}
