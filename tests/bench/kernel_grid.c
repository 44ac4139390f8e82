// A world of hung sheets, whose groups are stepped part by part.
#include "kernel_grid.h"

#include "core/denormals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static SimRigId make_rig(SimWorld *world, const KernelGridSetting *setting) {
    const Grid whole = {.rows = setting->rows, .columns = setting->columns};
    size_t particles = (size_t)(setting->rows * setting->columns);
    float(*positions)[3] = calloc(particles, sizeof *positions);
    SimSkin *attach = calloc((size_t)setting->columns, sizeof *attach);
    SimBoneDef bone = sim_default_bone_def();
    SimGarmentDef garment = sim_default_garment_def();
    SimIssue issue = {.message = "out of memory"};
    SimRigId rig = {0};
    bone.name = "root";
    garment.name = "sheet";
    garment.rows = setting->rows;
    garment.columns = setting->columns;
    garment.bone_prefix = "sheet_";
    garment.positions = (const float(*)[3])(const void *)positions;
    garment.attach = attach;
    garment.hard = SIM_HARD_ALAN_WAKE;
    garment.bend = SIM_BEND_ALAN_WAKE;
    garment.iterations = GRID_ITERATIONS;
    garment.fabric.wind = 0.0f; // no air: nobody else has any
    if (positions && attach) {
        for (int p = 0; p < (int)particles; p++) grid_position(&whole, p, positions[p]);
        for (int column = 0; column < setting->columns; column++) attach[column].weights[0] = 1.0f;
        const SimRigDef def = {
            .name = "grid", .bones = &bone, .bone_count = 1, .garments = &garment, .garment_count = 1};
        rig = sim_rig_create(world, &def, &issue);
    }
    if (!rig.index) fprintf(stderr, "the benchmark's sheet: %s: %s\n", issue.path, issue.message);
    free(positions);
    free(attach);
    return rig;
}

// A large sheet is cut into strips, which have a kernel of their own.
static const SimKernel **kernel_of(SimGroup *group) {
    SimStripGarment *strips = group->garments[0].strips;
    return strips ? &strips->kernel : &group->garments[0].kernel;
}

// The jobs that groups give to their kernel, as they are in a tick: a part that does nothing but keep them
// runs in the place of all others. Parts have no context of their own, so it finds the list here.
static struct {
    SimKernelJob *jobs;
    int count;
} kept;

static void keep_job(const SimKernelJob *job, int substep) {
    if (substep == 0) kept.jobs[kept.count++] = *job;
}

static const SimKernelPart keeper = {"keep the job", keep_job};

static void make_jobs(KernelGrid *grid) {
    SimKernel keeping = *grid->kernel;
    for (int i = 0; i < 2; i++) {
        keeping.solvers[i][SIM_PHASE_SOFT] = (SimKernelParts){&keeper, 1};
        keeping.solvers[i][SIM_PHASE_HARD] = (SimKernelParts){0};
    }
    kept.jobs = grid->jobs;
    kept.count = 0;
    for (int i = 0; i < grid->group_count; i++) *kernel_of(grid->world->groups[i]) = &keeping;
    sim_world_step(grid->world);
    for (int i = 0; i < grid->group_count; i++) *kernel_of(grid->world->groups[i]) = grid->kernel;
    grid->topology = grid->jobs[0].topology;
}

static SimWorld *make_world(const KernelGridSetting *setting) {
    SimIssue issue;
    SimWorldDef def = sim_default_world_def();
    def.tick_rate = (int)lroundf(1.0f / GRID_STEP); // a substep a tick, as long as a step of the comparison
    SimWorld *world = sim_world_create(&def, &issue);
    if (!world || !sim_world_use_instruction_set(world, setting->instruction_set)) return world;
    SimRigId rig = make_rig(world, setting);
    SimTransform root = SIM_TRANSFORM_IDENTITY;
    for (int i = 0; rig.index && i < setting->garments; i++) sim_character_create(world, rig, &root, &issue);
    sim_world_step(world);
    return world;
}

void *kernel_grid_create(const void *setting_) {
    const KernelGridSetting *setting = setting_;
    KernelGrid *grid = calloc(1, sizeof *grid);
    if (!grid) return NULL;
    grid->world = make_world(setting);
    if (!grid->world || sim_world_stats(grid->world).characters < setting->garments) {
        kernel_grid_destroy(grid);
        return NULL;
    }
    grid->group_count = grid->world->group_count;
    grid->kernel = *kernel_of(grid->world->groups[0]);
    grid->jobs = calloc((size_t)grid->group_count, sizeof *grid->jobs);
    if (!grid->jobs) {
        kernel_grid_destroy(grid);
        return NULL;
    }
    make_jobs(grid);
    return grid;
}

static void run_part(const SimKernel *kernel, const SimKernelJob *job, const char *name) {
    for (SimPhase phase = 0; phase < SIM_PHASES; phase++) {
        const SimKernelParts *parts = &kernel->solvers[job->topology->mass_spring][phase];
        for (int i = 0; i < parts->count; i++) {
            if (strcmp(parts->parts[i].name, name) != 0) continue;
            parts->parts[i].run(job, 0);
            return;
        }
    }
    fprintf(stderr, "the kernel has no part \"%s\"\n", name);
    abort();
}

void kernel_grid_run(const KernelGrid *grid, const char *part) {
    uint64_t mode = sim_flush_denormals(); // as a group does
    for (int i = 0; i < grid->group_count; i++) run_part(grid->kernel, &grid->jobs[i], part);
    sim_restore_denormals(mode);
}

void kernel_grid_steps(void *grid_, int count) {
    const KernelGrid *grid = grid_;
    while (count-- > 0) {
        kernel_grid_run(grid, "integrate");
        kernel_grid_run(grid, "links"); // all sweeps
        kernel_grid_run(grid, "velocity");
    }
}

void kernel_grid_destroy(void *grid_) {
    KernelGrid *grid = grid_;
    sim_world_destroy(grid->world);
    free(grid->jobs);
    free(grid);
}
