// A jacket's tick taken apart: a copy of the kernel whose parts look at the clock runs in the place of the
// real one, within whole ticks of a world.
#include "tables.h"

#include "bench.h"
#include "jacket.h"

#include "world_data.h" // private: the kernel of a group

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MOST_PARTS = 24, CROWD = 16, TICKS = JACKET_STRIDE, ROUNDS = 20 };
enum { SKIN, BEGIN, END, BONES, FIRST_PART }; // what is timed beside the table's parts

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

static const SimKernelPart *real_part(int part) {
    return part < timing.real->soft_count ? &timing.real->soft[part]
                                          : &timing.real->hard[part - timing.real->soft_count];
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
    SIM_ASSERT(real->soft_count + real->hard_count <= MOST_PARTS);
    timing.real = real;
    for (int i = 0; i < real->soft_count + real->hard_count; i++)
        copy->parts[i] = (SimKernelPart){real_part(i)->name, timed[i]};
    copy->kernel = *real;
    copy->kernel.soft = copy->parts;
    copy->kernel.hard = copy->parts + real->soft_count;
    copy->kernel.skin = timed_skin;
    copy->kernel.begin = timed_begin;
    copy->kernel.end = timed_end;
    copy->kernel.bones = timed_bones;
}

// Seconds of a tick: of each part in its own best round, and of all that is between them.
static double measure(SimWorld *world, double out_seconds[FIRST_PART + MOST_PARTS]) {
    double rest = HUGE_VAL;
    for (int i = 0; i < FIRST_PART + MOST_PARTS; i++) out_seconds[i] = HUGE_VAL;
    for (int round = 0; round < ROUNDS; round++) {
        memset(timing.seconds, 0, sizeof timing.seconds);
        double begin = now();
        jacket_ticks(world, TICKS);
        double between = now() - begin;
        for (int i = 0; i < FIRST_PART + MOST_PARTS; i++) {
            between -= timing.seconds[i];
            out_seconds[i] = fmin(out_seconds[i], timing.seconds[i] / TICKS);
        }
        rest = fmin(rest, between / TICKS);
    }
    return rest;
}

static void print_row(const char *name, double seconds, double whole, int jackets, const char *how) {
    printf("  %-22s %14.2f %8.1f %%   %s\n", name, 1e6 * seconds / jackets, 100.0 * seconds / whole, how);
}

static void print_parts(int jackets) {
    const JacketSetting setting = {.characters = jackets};
    SimWorld *world = jacket_create(&setting);
    TimedKernel copy;
    double seconds[FIRST_PART + MOST_PARTS];
    time_kernel(&copy, world->groups[0]->kernel);
    for (int i = 0; i < world->group_count; i++) world->groups[i]->kernel = &copy.kernel;
    double rest = measure(world, seconds), whole = rest;
    for (int i = 0; i < FIRST_PART + MOST_PARTS; i++) whole += seconds[i];
    char title[128];
    snprintf(title, sizeof title, "the parts of that tick: %d jacket%s, kernel %s", jackets,
             jackets > 1 ? "s" : "", timing.real->name);
    bench_heading(title);
    printf("  %-22s %14s %10s   %s\n", "part", "us a jacket", "share", "how");
    const char *how = timing.real->width > 1 ? "in lanes" : "alone: plain floats";
    print_row("skin references", seconds[SKIN], whole, jackets, how);
    print_row("air at the particles", seconds[BEGIN], whole, jackets, how);
    for (int i = 0; i < timing.real->soft_count + timing.real->hard_count; i++)
        print_row(real_part(i)->name, seconds[FIRST_PART + i], whole, jackets, how);
    print_row("find unstable", seconds[END], whole, jackets, how);
    print_row("bones, wrinkles", seconds[BONES], whole, jackets, how);
    print_row("skeleton, drive", rest, whole, jackets,
              "one by one: clips, quaternions and constraints differ between characters");
    print_row("whole tick", whole, whole, jackets, "");
    jacket_destroy(world);
}

void table_parts(void) {
    print_parts(CROWD);
    print_parts(1);
}
