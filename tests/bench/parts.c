// A jacket's tick taken apart: a copy of the kernel whose parts look at the clock runs in the place of the
// real one, within whole ticks of a world. What goes on around the kernel is done once more for the clock
// after each tick, since it has no such table.
#include "bench.h"
#include "garment/kernel_inputs.h"
#include "jacket.h"
#include "motion/pose.h"
#include "rig/rig.h" // these are private: what a tick does around the kernel, and the kernel of a group
#include "tables.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MOST_PARTS = 24, CROWD = 16, ROUNDS = 20 };
enum { SKIN, BEGIN, END, BONES, FIRST_PART }; // what is timed beside the table's parts
enum { CLIPS, SKELETON, DRIVE, HAND_OUT, SCALARS };

// The parts are plain functions without a context of their own, so the timed ones find theirs here.
static struct {
    const SimKernel *real;
    double seconds[FIRST_PART + MOST_PARTS];
} timing;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Of the jacket's solver.
static const SimKernelParts *real_phase(SimPhase phase) {
    return &timing.real->solvers[false][phase];
}

static int real_part_count(void) {
    return real_phase(SIM_PHASE_SOFT)->count + real_phase(SIM_PHASE_HARD)->count;
}

static const SimKernelPart *real_part(int part) {
    const SimKernelParts *soft = real_phase(SIM_PHASE_SOFT);
    return part < soft->count ? &soft->parts[part] : &real_phase(SIM_PHASE_HARD)->parts[part - soft->count];
}

static void run_part(int part, const SimKernelJob *job, int substep) {
    double begin = now();
    real_part(part)->run(job, substep);
    timing.seconds[FIRST_PART + part] += now() - begin;
}

#define TIMED(part)                                                                                          \
    static void timed_##part(const SimKernelJob *job, int substep) {                                         \
        run_part(part, job, substep);                                                                        \
    }
// clang-format off
TIMED(0) TIMED(1) TIMED(2) TIMED(3) TIMED(4) TIMED(5) TIMED(6) TIMED(7) TIMED(8) TIMED(9) TIMED(10) TIMED(11)
TIMED(12) TIMED(13) TIMED(14) TIMED(15) TIMED(16) TIMED(17) TIMED(18) TIMED(19) TIMED(20) TIMED(21) TIMED(22)
TIMED(23)
    // clang-format on

    static void (*const timed[MOST_PARTS])(const SimKernelJob *job, int substep) = {
        timed_0,  timed_1,  timed_2,  timed_3,  timed_4,  timed_5,  timed_6,  timed_7,
        timed_8,  timed_9,  timed_10, timed_11, timed_12, timed_13, timed_14, timed_15,
        timed_16, timed_17, timed_18, timed_19, timed_20, timed_21, timed_22, timed_23};

static void timed_skin(const SimTopology *topology, const SimLanesPose *skin_poses, SimGarmentState *state) {
    double begin = now();
    timing.real->skin(topology, skin_poses, state);
    timing.seconds[SKIN] += now() - begin;
}

static void timed_begin(const SimKernelJob *job) {
    double begin = now();
    timing.real->begin(job);
    timing.seconds[BEGIN] += now() - begin;
}

static void timed_end(const SimKernelJob *job) {
    double begin = now();
    timing.real->end(job);
    timing.seconds[END] += now() - begin;
}

static void timed_bones(const SimKernelJob *job, float dt) {
    double begin = now();
    timing.real->bones(job, dt);
    timing.seconds[BONES] += now() - begin;
}

// Timed copies of the kernel and of its tables.
typedef struct TimedKernel {
    SimKernel kernel;
    SimKernelPart parts[MOST_PARTS];
} TimedKernel;

static void time_kernel(TimedKernel *copy, const SimKernel *real) {
    timing.real = real;
    SIM_ASSERT(real_part_count() <= MOST_PARTS);
    for (int i = 0; i < real_part_count(); i++)
        copy->parts[i] = (SimKernelPart){real_part(i)->name, timed[i]};
    copy->kernel = *real;
    SimKernelParts *phases = copy->kernel.solvers[false];
    phases[SIM_PHASE_SOFT].parts = copy->parts;
    phases[SIM_PHASE_HARD].parts = copy->parts + phases[SIM_PHASE_SOFT].count;
    copy->kernel.skin = timed_skin;
    copy->kernel.begin = timed_begin;
    copy->kernel.end = timed_end;
    copy->kernel.bones = timed_bones;
}

// Best seconds of a tick, whole and part by part.
typedef struct Parts {
    double whole, lanes[FIRST_PART + MOST_PARTS], scalars[SCALARS];
} Parts;

// What is done for the characters one by one, once more: the next tick does not build on what it writes.
static void time_scalars(SimWorld *world, double seconds[SCALARS]) {
    static SimTransform local[JACKET_BONES];
    static mat4 bones[SIM_LANES][JACKET_PARTICLES];
    mat4 *out_bones[SIM_LANES];
    for (int lane = 0; lane < SIM_LANES; lane++) out_bones[lane] = bones[lane];
    for (int i = 0; i < world->group_count; i++) {
        SimGroup *group = world->groups[i];
        const SimGroupGarment *jacket = &group->garments[0];
        for (int part = 0; part < SCALARS; part++) {
            double begin = now();
            for (int lane = 0; lane < group->width; lane++) {
                SimCharacter *character = group->characters[lane];
                if (!character) continue;
                if (part == CLIPS) sim_player_sample(&character->player, group->rig, local);
                if (part == SKELETON)
                    sim_skeleton_solve(group->rig, &character->pose, 0.0f, character->local,
                                       character->model);
                if (part == DRIVE) {
                    sim_root_steps(&character->root_start, &character->root, world->substeps, group->roots);
                    sim_fill_lane(&world->environment, group->roots, jacket->substeps, world->substeps,
                                  group->width, lane);
                }
            }
            if (part == DRIVE) {
                const SimGroupTick tick = sim_world_group_tick(world, group);
                sim_fill_colliders(group, &tick, -1);
            }
            if (part == HAND_OUT)
                sim_cloth_bones_matrices(&group->rig->garments[0].topology,
                                         (const float *)jacket->state.position,
                                         (const float *)jacket->state.frames, group->width, out_bones);
            seconds[part] += now() - begin;
        }
    }
}

static void keep_best(double *best, double seconds) {
    *best = fmin(*best, seconds);
}

// Of each moment of the stride the best tick counts, for each part its own; then the mean over the stride.
static Parts measure(SimWorld *world) {
    static Parts best[JACKET_STRIDE];
    Parts mean = {0};
    for (int i = 0; i < JACKET_STRIDE; i++)
        for (size_t k = 0; k < sizeof best[i] / sizeof(double); k++) ((double *)&best[i])[k] = HUGE_VAL;
    for (int tick = 0; tick < ROUNDS * JACKET_STRIDE; tick++) {
        Parts *at = &best[tick % JACKET_STRIDE];
        double scalars[SCALARS] = {0};
        memset(timing.seconds, 0, sizeof timing.seconds);
        double begin = now();
        jacket_ticks(world, 1);
        keep_best(&at->whole, now() - begin);
        time_scalars(world, scalars);
        for (int i = 0; i < FIRST_PART + MOST_PARTS; i++) keep_best(&at->lanes[i], timing.seconds[i]);
        for (int i = 0; i < SCALARS; i++) keep_best(&at->scalars[i], scalars[i]);
    }
    for (int i = 0; i < JACKET_STRIDE; i++)
        for (size_t k = 0; k < sizeof mean / sizeof(double); k++)
            ((double *)&mean)[k] += ((double *)&best[i])[k] / JACKET_STRIDE;
    return mean;
}

// A part, and why it is not in lanes, where it is not.
static void print_row(const char *name, double seconds, const Parts *parts, int jackets, const char *how) {
    printf("  %-22s %14.2f %8.1f %%   %s\n", name, 1e6 * seconds / jackets, 100.0 * seconds / parts->whole,
           how);
}

static void print_lanes(const Parts *parts, int jackets) {
    const char *how = timing.real->width > 1 ? "in lanes"
                      : timing.real->alone   ? "alone in the lanes"
                                             : "alone: plain floats";
    print_row("skin references", parts->lanes[SKIN], parts, jackets, how);
    print_row("air at the particles", parts->lanes[BEGIN], parts, jackets, how);
    for (int i = 0; i < real_part_count(); i++)
        print_row(real_part(i)->name, parts->lanes[FIRST_PART + i], parts, jackets, how);
    print_row("find unstable", parts->lanes[END], parts, jackets, how);
    print_row("bones, wrinkles", parts->lanes[BONES], parts, jackets, how);
}

static void print_scalars(const Parts *parts, int jackets) {
    static const char *const names[SCALARS] = {"clips", "skeleton, constraints", "drive", "bones' matrices"};
    static const char *const reasons[SCALARS] = {
        "one by one: each character plays its own clips at its own times",
        "one by one: little, and constraints branch",
        "colliders in lanes; their ends and roots one by one",
        "one by one: is the writing out of lanes",
    };
    double rest = parts->whole;
    for (int i = 0; i < FIRST_PART + MOST_PARTS; i++) rest -= parts->lanes[i];
    for (int i = 0; i < SCALARS; i++) {
        print_row(names[i], parts->scalars[i], parts, jackets, reasons[i]);
        rest -= parts->scalars[i];
    }
    print_row("between these", rest, parts, jackets,
              "one by one: root motion, poses of colliders, their writing; the clock");
}

static void print_parts(int jackets) {
    const JacketSetting setting = {.characters = jackets};
    SimWorld *world = jacket_create(&setting);
    TimedKernel copy;
    time_kernel(&copy, world->groups[0]->kernel);
    for (int i = 0; i < world->group_count; i++)
        world->groups[i]->kernel = world->groups[i]->garments[0].kernel = &copy.kernel;
    Parts parts = measure(world);
    char title[128];
    snprintf(title, sizeof title, "the parts of that tick: %d jacket%s, kernel %s", jackets,
             jackets > 1 ? "s" : "", timing.real->name);
    bench_heading(title);
    printf("  %-22s %14s %10s   %s\n", "part", "us a jacket", "share", "how");
    print_lanes(&parts, jackets);
    print_scalars(&parts, jackets);
    print_row("whole tick", parts.whole, &parts, jackets, "");
    jacket_destroy(world);
}

void table_parts(void) {
    print_parts(CROWD);
    print_parts(1);
}
