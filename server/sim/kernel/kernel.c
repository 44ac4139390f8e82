// The solver: the parts of a substep, in order. Compiled once per instruction set and width; the parts are
// headers so that each copy compiles the same text.
#include "core/kernel.h"

#include "kernel/air.h"
#include "kernel/bones.h"
#include "kernel/collide/contact.h"
#include "kernel/collide/fused.h"
#include "kernel/collide/max_distance.h"
#include "kernel/friction.h"
#include "kernel/integrate.h"
#include "kernel/lanes/links.h"
#include "kernel/recover.h"
#include "kernel/root.h"
#include "kernel/rows_columns.h"
#include "kernel/seams.h"
#include "kernel/settle.h"
#include "kernel/springs.h"
#include "kernel/strip_rows.h"
#include "kernel/strong_wind.h"
#ifndef SIM_STRIPS // no chain is cut into strips
#include "kernel/chain.h"
#endif

#define JOIN(a, b)   a##b
#define KERNEL(name) JOIN(sim_kernel_, name)
#define TEXT(name)   #name
#define NAME(name)   TEXT(name)

extern const SimKernel KERNEL(SIM_KERNEL_NAME);

// Interpolates references between the start and the end of the tick; pinned particles follow them.
static void interpolate_references(const SimKernelJob *job, int substep) {
    const SimTopology *topology = job->topology;
    const SimSubstep *drive = &job->substeps[substep];
    SimGarmentState *state = job->state;
    for (int p = 0; p < topology->particle_count; p++) {
        state->reference[p] = reference_after(job, substep, p);
        if (!topology->pinned[p]) continue;
        state->position[p] = state->reference[p];
        state->velocity[p] = reference_velocity(job, drive, p);
    }
}

// Adds all corrections of the substep to the velocity.
static void corrections_to_velocity(const SimKernelJob *job, int substep) {
    (void)substep;
    SimGarmentState *state = job->state;
    for (int p = 0; p < job->topology->particle_count; p++) {
        if (job->topology->pinned[p]) continue;
        lanes3 correction = sub3(state->position[p], state->predicted[p]);
        state->velocity[p] = mad3(state->velocity[p], correction, splat(1.0f / job->h));
    }
}

static void begin(const SimKernelJob *job) {
    *job->state->conflicts = *job->state->sewn = *job->state->folded = (lanes){0};
    sample_air(job);
#ifndef SIM_STRIPS
    find_folds(job);
#endif
}

// Checks the end of the tick; marks garments that are not finite or out of bounds as unstable.
static void check_state(const SimKernelJob *job) {
    SimGarmentState *state = job->state;
    note_conflicts(job);
    mask sound = ~(mask){0};
    // Recovering cloth counts as moving.
    lanes fastest = select_lanes(more(*state->recovery, (lanes){0}), splat(1.0f), (lanes){0});
    for (int p = 0; p < job->topology->particle_count; p++) {
        lanes3 x = state->position[p], v = state->velocity[p];
        lanes most = splat(SIM_FARTHEST * SIM_FARTHEST), square = dot3(v, v);
        sound &= less(dot3(x, x), most) & less(square, most);
        fastest = maximum(fastest, square);
    }
    *state->top_speed_squared = fastest;
    *state->unstable = select_lanes(sound, (lanes){0}, splat(1.0f));
}

#ifdef SIM_STRIPS

#define solve_lengths  solve_columns
#define finish_lengths fused_pass

#else

static void solve_lengths(const SimKernelJob *job, int substep) {
    if (job->topology->columns > 1)
        solve_columns(job, substep);
    else
        solve_chain(job, substep);
}

static void finish_lengths(const SimKernelJob *job, int substep) {
    if (job->topology->has_angle_limit)
        fused_cones(job, substep);
    else
        fused_pass(job, substep);
}

#endif

// A substep, in order.
static const SimKernelPart verlet_soft[] = {
    {"root motion", move_root},
    {"integrate", integrate},
    {"references", interpolate_references},
    {"recover", recover},
#ifndef SIM_STRIPS
    {"pose", draw_to_pose},
#endif
    {"links", sweep_links},
    {"bend", sweep_bends},
    {"rows", solve_rows},
    {"columns before contacts", solve_rubbing_columns},
    {"collide", collide},
};
static const SimKernelPart verlet_hard[] = {
    {"settle", settle},
    {"strong wind", hold_in_strong_wind},
    {"columns", solve_lengths},
    {"max distance", clamp_to_max_distance},
    {"fused pass", finish_lengths},
    {"velocity", corrections_to_velocity},
    {"internal friction", rub},
};

// The same for mass-spring cloth.
static const SimKernelPart spring_soft[] = {
    {"root motion", move_root}, {"springs", step_springs}, {"references", interpolate_references},
    {"recover", recover},
#ifndef SIM_STRIPS
    {"pose", draw_to_pose},
#endif
    {"collide", collide},
};
static const SimKernelPart spring_hard[] = {
    {"settle", settle},
    {"limit", limit_springs},
    {"max distance", clamp_to_max_distance},
    {"fused pass", finish_lengths},
    {"velocity", corrections_to_velocity},
};

static void come_to_rest(const SimKernelJob *job) {
    SimGarmentState *state = job->state;
    for (int p = 0; p < job->topology->particle_count; p++) {
        state->velocity[p] = state->surface[p] = state->air[p] = state->wind[p] = zero3();
        state->contact[p] = (lanes){0};
    }
    *state->recovery = (lanes){0};
}

// Places all lanes. A caller that places only some lanes saves and restores the others.
static void place(const SimKernelJob *job) {
    SimGarmentState *state = job->state;
    for (int p = 0; p < job->topology->particle_count; p++) {
        lanes3 reference = state->reference1[p];
        state->reference0[p] = state->reference[p] = state->position[p] = state->predicted[p] = reference;
    }
    *state->folded = (lanes){0};
    if (!job->topology->alan_wake_hard) finish_lengths(job, 0);
    come_to_rest(job);
    drive_bones(job, 0.0f);
}

// Overwrites state->air, which the substep no longer needs.
static void finish(const SimKernelJob *job, int substep) {
    SimGarmentState *state = job->state;
    const mask calm = more(*job->calm, splat(0.5f));
    for (int p = 0; p < job->topology->particle_count; p++) state->air[p] = state->position[p];
    if (!job->held && job->topology->mass_spring)
        limit_springs(job, substep);
    else if (!job->held)
        collide(job, substep);
    finish_lengths(job, substep);
    for (int p = 0; p < job->topology->particle_count; p++)
        state->position[p] = select3(calm, state->air[p], state->position[p]);
}

static void relax(const SimKernelJob *job) {
    solve_rows(job, 0);
    collide(job, 0);
}

static void skin(const SimTopology *topology, const SimLanesPose *skin_poses, SimGarmentState *state) {
    for (int p = 0; p < topology->particle_count; p++) {
        const float *rest = topology->rest[p];
        state->reference0[p] = state->reference1[p];
        lanes3 point = {splat(rest[0]), splat(rest[1]), splat(rest[2])};
        lanes3 sum = zero3();
        for (int i = 0; i < 4; i++) {
            float weight = topology->skin_weights[4 * p + i];
            if (weight <= 0.0f) continue;
            const SimLanesPose *pose = &skin_poses[topology->skin_bones[4 * p + i]];
            sum = mad3(sum, transform3(pose, point), splat(weight));
        }
        state->reference1[p] = sum;
    }
}

static void air_at(const SimKernelAir *air, const SimLaneAir *root, const SimLanes3 *point,
                   SimLanes3 *out_velocity) {
    *out_velocity = air_velocity(air, root, *point);
}

#define COUNT(parts) (int)(sizeof(parts) / sizeof((parts)[0]))

const SimKernel KERNEL(SIM_KERNEL_NAME) = {
    .name = NAME(SIM_KERNEL_NAME),
    .width = SIM_WIDTH,
    .skin = skin,
    .begin = begin,
    .solvers = {{{verlet_soft, COUNT(verlet_soft)}, {verlet_hard, COUNT(verlet_hard)}},
                {{spring_soft, COUNT(spring_soft)}, {spring_hard, COUNT(spring_hard)}}},
    .end = check_state,
    .bones = drive_bones,
    .sew = sew,
    .finish = finish,
    .air = air_at,
    .place = place,
    .relax = relax,
    .come_to_rest = come_to_rest,
};
