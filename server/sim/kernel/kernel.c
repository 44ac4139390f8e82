// The solver: the parts of a substep, in order. Compiled once per instruction set and width; the parts are
// headers so that each copy compiles the same text.
#include "core/kernel.h"

#include "kernel/air.h"
#ifndef SIM_ALONE
#include "kernel/links/bends.h"
#endif
#include "kernel/bones.h"
#include "kernel/collide/contact.h"
#include "kernel/collide/fused.h"
#include "kernel/collide/max_distance.h"
#include "kernel/integrate.h"
#include "kernel/lanes/scalar_parts.h"
#include "kernel/links/links.h"
#include "kernel/links/rows_columns.h"
#include "kernel/passive.h"
#include "kernel/pose.h"
#include "kernel/recover.h"
#include "kernel/root.h"
#include "kernel/strong_wind.h"
#ifndef SIM_ALONE
#include "kernel/links/friction.h"
#include "kernel/links/slits.h"
#include "kernel/links/strip_rows.h"
#include "kernel/seams.h"
#include "kernel/settle.h"
#include "kernel/springs.h"
#ifndef SIM_STRIPS // no chain is cut into strips
#include "kernel/chain.h"
#endif
#endif

#define JOIN(a, b)   a##b
#define KERNEL(name) JOIN(sim_kernel_, name)
#define TEXT(name)   #name
#define NAME(name)   TEXT(name)

extern const SimKernel KERNEL(SIM_KERNEL_NAME);

#ifdef SIM_ALONE
#define find_normals sim_scalar_find_normals
#endif

// Interpolates references between the start and the end of the tick; pinned particles follow them.
static void interpolate_references(const SimKernelJob *job, int substep) {
    const SimTopology *topology = job->topology;
    const SimSubstep *drive = &job->substeps[substep];
    SimGarmentState *state = job->state;
    for (int i = 0; i < batch_count(topology); i++) {
        const places p = batch(topology, i);
        const lanes3 reference = reference_after(job, substep, p);
        set3(state->reference, p, reference);
        if (!are_pinned(topology, p)) continue;
        set3(state->position, p, reference);
        set3(state->velocity, p, reference_velocity(job, drive, p));
    }
}

// Adds all corrections of the substep to the velocity.
static void corrections_to_velocity(const SimKernelJob *job, int substep) {
    (void)substep;
    SimGarmentState *state = job->state;
    for (int i = 0; i < batch_count(job->topology); i++) {
        const places p = batch(job->topology, i);
        if (are_pinned(job->topology, p)) continue;
        lanes3 correction = sub3(own3(state->position, p), own3(state->predicted, p));
        set3(state->velocity, p, mad3(own3(state->velocity, p), correction, splat(1.0f / job->h)));
    }
}

static void begin(const SimKernelJob *job) {
    *job->state->conflicts = *job->state->slowed = *job->state->sewn = *job->state->folded = (SimLanes){0};
    forget_near(job);
    sample_air(job);
    if (sim_is_passive(job->topology)) note_body_speed(job);
    find_normals(job, 0);
#ifndef SIM_STRIPS
    find_folds(job);
#endif
}

// Checks the end of the tick; marks garments that are not finite or out of bounds as unstable.
static void check_state(const SimKernelJob *job) {
    SimGarmentState *state = job->state;
    forget_near(job);
    note_conflicts(job);
    mask sound = ~(mask){0};
    // Recovering cloth counts as moving.
    lanes fastest = select_lanes(more(in_lanes(*state->recovery), (lanes){0}), splat(1.0f), (lanes){0});
    for (int i = 0; i < batches_of(job->topology->particle_count); i++) {
        const places p = batch_among(job->topology->particle_count, i);
        lanes3 x = own3(state->position, p), v = own3(state->velocity, p);
        lanes most = splat(SIM_FARTHEST * SIM_FARTHEST), square = dot3(v, v);
        sound &= less(dot3(x, x), most) & less(square, most);
        fastest = maximum(fastest, square);
    }
    sound = all_of(sound);
    fastest = select_lanes(sound, greatest(fastest), splat(SIM_FARTHEST * SIM_FARTHEST));
    *state->top_speed_squared = once(fastest);
    *state->unstable = once(select_lanes(sound, (lanes){0}, splat(1.0f)));
}

#if defined(SIM_STRIPS) || defined(SIM_ALONE)

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

#ifdef SIM_ALONE
static void sweep_bends_in_fours(const SimKernelJob *job, int substep) {
    if (job->topology->alone[0].bends.count > 0)
        sim_four_sweep_bends(job, substep);
    else
        sim_scalar_sweep_bends(job, substep);
}

#define recover               sim_scalar_recover
#define open_slowly           sim_scalar_open_slowly
#define sweep_bends           sweep_bends_in_fours
#define solve_rubbing_columns sim_scalar_solve_rubbing_columns
#define settle                sim_scalar_settle
#define part_slits            sim_scalar_part_slits
#define rub                   sim_scalar_rub
#endif

// Columns are the first of the hard parts (kernel/passive.h), but those with a limit are elastic: what they
// give back belongs to the soft step.
static void solve_kept_lengths(const SimKernelJob *job, int substep) {
    const bool keeps = sim_is_passive(job->topology);
    if (keeps) keep_soft_step(job, ~(mask){0});
    solve_lengths(job, substep);
    if (keeps) keep_soft_step(job, more(in_lanes(job->fabric->limit), (lanes){0}));
}

static void finish_passively(const SimKernelJob *job, int substep) {
    const SimLanes conflicts = *job->state->conflicts;
    finish_lengths(job, substep);
    if (!sim_is_passive(job->topology)) return;
    shorten_steps(job, substep, conflicts);
    open_slowly(job, substep);
}

static void draw_to_pose(const SimKernelJob *job, int substep) {
    if (!job->topology->has_pose) return;
#if !defined(SIM_STRIPS) && !defined(SIM_ALONE)
    if (job->topology->columns == 1) {
        draw_chain_to_pose(job, substep);
        return;
    }
#endif
    draw_cloth_to_pose(job, substep);
}

// A substep, in order.
static const SimKernelPart verlet_soft[] = {
    {"root motion", move_root}, {"integrate", integrate}, {"references", interpolate_references},
    {"recover", recover},       {"pose", draw_to_pose},   {"links", sweep_links},
    {"bend", sweep_bends},      {"rows", solve_rows},     {"columns before contacts", solve_rubbing_columns},
    {"slits", part_slits},      {"collide", collide},
};
static const SimKernelPart verlet_hard[] = {
    {"settle", settle},
    {"strong wind", hold_in_strong_wind},
    {"columns", solve_kept_lengths},
    {"max distance", clamp_to_max_distance},
    {"fused pass", finish_passively},
    {"velocity", corrections_to_velocity},
    {"internal friction", rub},
};

#ifndef SIM_ALONE

// The same for mass-spring cloth.
static const SimKernelPart spring_soft[] = {
    {"root motion", move_root}, {"springs", step_springs}, {"references", interpolate_references},
    {"recover", recover},       {"pose", draw_to_pose},    {"slits", part_slits},
    {"collide", collide},
};
static const SimKernelPart spring_hard[] = {
    {"settle", settle},
    {"limit", limit_springs},
    {"max distance", clamp_to_max_distance},
    {"fused pass", finish_lengths},
    {"no room", go_along},
    {"velocity", corrections_to_velocity},
};

static void come_to_rest(const SimKernelJob *job) {
    SimGarmentState *state = job->state;
    for (int p = 0; p < job->topology->particle_count; p++) {
        state->velocity[p] = state->damped_to[p] = state->air[p] = state->wind[p] = zero3();
        state->contact[p] = (lanes){0};
    }
    *state->recovery = *state->opening = *state->credit = (lanes){0};
}

// Places all lanes. A caller that places only some lanes saves and restores the others.
static void place(const SimKernelJob *job) {
    SimGarmentState *state = job->state;
    forget_near(job);
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
    const lanes conflicts = *state->conflicts;
    for (int p = 0; p < job->topology->particle_count; p++) state->air[p] = state->position[p];
    if (!job->held && job->topology->mass_spring)
        limit_springs(job, substep);
    else if (!job->held)
        collide(job, substep);
    finish_lengths(job, substep);
    for (int p = 0; p < job->topology->particle_count; p++)
        state->position[p] = select3(stays_mask(job, p), state->air[p], state->position[p]);
    *state->conflicts = conflicts;
}

static void relax(const SimKernelJob *job) {
    *job->state->body_speed = splat(SIM_FARTHEST); // outside time no step is shortened
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

#endif

#define COUNT(parts) (int)(sizeof(parts) / sizeof((parts)[0]))
#define VERLET                                                                                               \
    {                                                                                                        \
        {verlet_soft, COUNT(verlet_soft)}, {                                                                 \
            verlet_hard, COUNT(verlet_hard)                                                                  \
        }                                                                                                    \
    }

#ifdef SIM_ALONE

// The lane is never calm: a garment alone is finished only when it has moved.
static void finish(const SimKernelJob *job, int substep) {
    const SimLanes conflicts = *job->state->conflicts;
    if (!job->held) collide(job, substep);
    finish_lengths(job, substep);
    *job->state->conflicts = conflicts;
}

static void bones(const SimKernelJob *job, float dt) {
    if (alone_order(job->topology)->has_bones)
        drive_bones(job, dt);
    else
        sim_scalar_bones(job, dt);
}

const SimKernel KERNEL(SIM_KERNEL_NAME) = {
    .name = NAME(SIM_KERNEL_NAME),
    .width = SIM_WIDTH,
    .alone = true,
    .skin = sim_scalar_skin,
    .begin = begin,
    .solvers = {VERLET},
    .end = check_state,
    .bones = bones,
    .sew = sim_scalar_sew,
    .finish = finish,
    .air = sim_scalar_air,
    .place = sim_scalar_place,
    .relax = sim_scalar_relax,
    .come_to_rest = sim_scalar_come_to_rest,
};

#else

const SimKernel KERNEL(SIM_KERNEL_NAME) = {
    .name = NAME(SIM_KERNEL_NAME),
    .width = SIM_WIDTH,
    .skin = skin,
    .begin = begin,
    .solvers = {VERLET, {{spring_soft, COUNT(spring_soft)}, {spring_hard, COUNT(spring_hard)}}},
    .end = check_state,
    .bones = drive_bones,
    .sew = sew,
    .finish = finish,
    .air = air_at,
    .place = place,
    .relax = relax,
    .come_to_rest = come_to_rest,
};

#endif

#ifdef SIM_SCALAR_PARTS

#define DEFINE_PART(part)                                                                                    \
    void sim_scalar_##part(const SimKernelJob *job, int substep) {                                           \
        part(job, substep);                                                                                  \
    }
SCALAR_PARTS(DEFINE_PART)

void sim_scalar_collide_touching(const SimKernelJob *job, int substep, const uint8_t *touching) {
    collide_touching(job, substep, touching);
}
float sim_scalar_step_share(const SimKernelJob *job, int substep) {
    return step_share(job, substep);
}
float sim_scalar_mends(const SimKernelJob *job) {
    return any(mended_lanes(job)) ? 1.0f : 0.0f;
}
void sim_scalar_skin(const SimTopology *topology, const SimLanesPose *skin_poses, SimGarmentState *state) {
    skin(topology, skin_poses, state);
}
void sim_scalar_bones(const SimKernelJob *job, float dt) {
    drive_bones(job, dt);
}
void sim_scalar_sew(const SimKernelSeam *seam, int substep) {
    sew(seam, substep);
}
void sim_scalar_air(const SimKernelAir *air, const SimLaneAir *root, const SimLanes3 *point,
                    SimLanes3 *out_velocity) {
    air_at(air, root, point, out_velocity);
}
void sim_scalar_place(const SimKernelJob *job) {
    place(job);
}
void sim_scalar_relax(const SimKernelJob *job) {
    relax(job);
}
void sim_scalar_come_to_rest(const SimKernelJob *job) {
    come_to_rest(job);
}

#endif
