// Keeps the hard parts of a substep from adding energy. With d the step of a particle, d' the step that the
// soft parts made, and sums over the garment:
// - On a body that holds still, constraints do no work: sum m (d - d') . d <= 0. Corrections that meet each
//   other break that, and cloth would flutter for ever.
// - Then all steps are shortened to s d, at which the work is 0: s = sum m d' . d / sum m d . d. The fused
//   pass follows once more.
// - What constraints took in the substep before they may give back in part. With this credit c, s is the
//   greater root of s^2 sum m d . d - s sum m d' . d = c. Without it, cloth that creeps to where it hangs
//   would stop short of it, at each tick rate elsewhere.
// - A body that moves does work: s grows by some times its speed over the cloth's.
// - A body that holds its pose, and breathes, carries the cloth: d and d' are measured from where it carries
//   each particle, and s does not grow. Otherwise breath would keep cloth fluttering.
#pragma once

#include "kernel/collide/fused.h"
#include "kernel/links/rows_columns.h"
#include "kernel/settle.h"

#define GIVEN_BACK    0.5f  // of the credit at the end of the substep before
#define STAYS         0.1f  // of a step
#define STILL_BODY    1e-5f // m/s
#define COLLIDER_SPAN 0.1f  // m from its centre, where the speed of a collider that turns is taken

// The greatest speed of references and colliders in the frame of the state, m/s.
static void note_body_speed(const SimKernelJob *job) {
    const SimTopology *topology = job->topology;
    const SimSubstep *drive = &job->substeps[0];
    lanes most = {0};
    for (int i = 0; i < batches_of(topology->particle_count); i++) {
        const lanes3 v = reference_velocity(job, drive, batch_among(topology->particle_count, i));
        most = maximum(most, dot3(v, v));
    }
    LanesPose root; // as the interior feels it
    for (int i = 0; i < 4; i++) root.column[i] = in_lanes3(drive->root[0].column[i]);
    for (int i = 0; i < topology->collider_count; i++) {
        const SimColliderPose *collider = &drive->colliders[topology->colliders[i].pose];
        const lanes3 aside = {splat(COLLIDER_SPAN), splat(COLLIDER_SPAN), splat(COLLIDER_SPAN)};
        const lanes3 p = add3(in_lanes3(collider->pose.column[3]), aside);
        const lanes3 v = surface_velocity(collider, &root, p, 1.0f / job->h);
        most = maximum(most, dot3(v, v));
    }
    *job->state->body_speed = once(square_root(greatest(most)));
}

// Keeps where the cloth is in these lanes, as the end of the soft step, in state->air, which the substep no
// longer needs.
static void keep_soft_step(const SimKernelJob *job, mask kept) {
    SimGarmentState *state = job->state;
    if (!any(kept)) return;
    for (int i = 0; i < batches_of(job->topology->particle_count); i++) {
        const places p = batch_among(job->topology->particle_count, i);
        set3(state->air, p, select3(kept, own3(state->position, p), own3(state->air, p)));
    }
}

// Lanes whose body does not move, or breathes.
LANES_INLINE mask holds_pose(const SimKernelJob *job) {
    return less(in_lanes(*job->state->body_speed), splat(SIM_HOLDING_SPEED));
}

// Lanes whose body moves so little that it carries the cloth. Not those without room, which give way to it.
LANES_INLINE mask carries(const SimKernelJob *job) {
    const mask moves = more(in_lanes(*job->state->body_speed), (lanes){0});
    const mask gives_way = more(greatest(in_lanes(*job->state->conflicts)), (lanes){0}) |
                           less(in_lanes(*job->state->recovery), (lanes){0});
    return moves & holds_pose(job) & ~gives_way;
}

// From where the steps of particles are measured: where they were, or in these lanes where the surfaces that
// they touch, else their references, have carried them.
LANES_INLINE lanes3 step_from(const SimKernelJob *job, int substep, mask carried, places p) {
    const SimGarmentState *state = job->state;
    const lanes3 start = own3(state->start, p);
    if (!any(carried)) return start;
    const lanes3 v = select3(more(own(state->contact, p), splat(0.5f)), own3(state->damped_to, p),
                             reference_velocity(job, &job->substeps[substep], p));
    return select3(carried, mad3(start, v, splat(job->h)), start);
}

#ifndef SIM_ALONE

// s, after which the credit is what is left of it. The sums run over one particle after another, so that a
// garment alone gets the same bits.
LANES_INLINE lanes step_share(const SimKernelJob *job, int substep) {
    const SimTopology *topology = job->topology;
    const SimGarmentState *state = job->state;
    const mask carried = carries(job);
    lanes work = {0}, square = {0}, mass = {0}, farthest = {0};
    for (int p = 0; p < topology->particle_count; p++) {
        if (topology->pinned[p]) continue;
        const lanes w = inverse_mass(job, p);
        const lanes m = select_lanes(more(w, (lanes){0}), 1.0f / maximum(w, splat(1e-9f)), (lanes){0});
        const lanes3 from = step_from(job, substep, carried, p), step = sub3(state->position[p], from);
        work += m * dot3(sub3(state->air[p], from), step);
        const lanes length = dot3(step, step);
        farthest = maximum(farthest, length);
        square += m * length;
        mass += m;
    }
    work = summed(work), mass = summed(mass), square = maximum(summed(square), splat(1e-20f));
    const lanes credit = *state->credit * splat(GIVEN_BACK), left = credit + work - square;
    *state->credit = maximum(left, (lanes){0});
    const lanes root = square_root(work * work + 4.0f * square * credit);
    const lanes share = maximum(0.5f * (work + root) / square, (lanes){0});
    const lanes speed = select_lanes(carried, (lanes){0}, in_lanes(*state->body_speed));
    const lanes way = speed * (SIM_SPEEDS_OF_BODY * job->h);
    const lanes s = minimum(share + way * square_root(mass / square), splat(1.0f));
    return settling_share(job, greatest(farthest)) * select_lanes(less(left, (lanes){0}), s, splat(1.0f));
}

// Lanes in which the substep has mended all rows that were torn at its start; strips are never mended.
LANES_INLINE mask mended_lanes(const SimKernelJob *job) {
    const SimTopology *topology = job->topology;
    mask before = {0}, after = {0};
    if (topology->face_count > 0 || !any(folded_lanes(job))) return before;
#ifndef SIM_STRIPS
    for (int row = topology->columns; row < topology->particle_count; row += topology->columns)
        for (int k = 0; k < row_links(topology); k++) {
            before |= torn_link(job, job->state->start, row, k);
            after |= torn_link(job, job->state->position, row, k);
        }
#endif
    return before & ~after & folded_lanes(job);
}

#endif

// Puts the cloth back to where it was before the substep, at rest.
static void stay(const SimKernelJob *job, mask stays) {
    SimGarmentState *state = job->state;
    for (int i = 0; any(stays) && i < batch_count(job->topology); i++) {
        const places p = batch(job->topology, i);
        if (are_pinned(job->topology, p)) continue;
        const lanes3 start = own3(state->start, p), back = sub3(own3(state->predicted, p), start);
        set3(state->position, p, select3(stays, start, own3(state->position, p)));
        const lanes3 v = own3(state->velocity, p);
        set3(state->velocity, p, select3(stays, scale3(back, splat(1.0f / job->h)), v));
    }
}

// Where cloth without room is to take next to nothing of its step on a body that holds still, it stays where
// it is: the fused pass chooses among the places of a fold, and can move it wherever it starts from. Cloth
// whose torn rows it mends does not stay. Overwrites state->air.
static void shorten_steps(const SimKernelJob *job, int substep, SimLanes conflicts_before) {
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    const SimLanes conflicts = *state->conflicts;
#ifdef SIM_ALONE
    const lanes share = splat(sim_scalar_step_share(job, substep));
#else
    const lanes share = step_share(job, substep);
#endif
    const mask recovers = more(in_lanes(*state->recovery), (lanes){0}),
               adds_energy = less(share, splat(1.0f)) & ~recovers;
    if (!any(adds_energy)) return;
#ifdef SIM_ALONE
    const mask mends = more(splat(sim_scalar_mends(job)), splat(0.5f));
#else
    const mask mends = mended_lanes(job);
#endif
    const mask gives_way = more(greatest(in_lanes(conflicts) - in_lanes(conflicts_before)), (lanes){0}),
               stays = adds_energy & gives_way & less(share, splat(STAYS)) &
                       less(in_lanes(*state->body_speed), splat(STILL_BODY)) & ~mends;
    const mask carried = carries(job);
    for (int i = 0; i < batch_count(topology); i++) {
        const places p = batch(topology, i);
        const lanes3 x = own3(state->position, p), from = step_from(job, substep, carried, p);
        set3(state->air, p, x);
        if (are_pinned(topology, p)) continue;
        set3(state->position, p, select3(adds_energy, mad3(from, sub3(x, from), share), x));
    }
    const SimLanes calm = once(select_lanes(adds_energy, (lanes){0}, splat(1.0f)));
    SimKernelJob shortened = *job;
    shortened.calm = &calm;
    *state->conflicts = conflicts_before;
    fused_pass(&shortened, substep);
    for (int i = 0; i < batch_count(topology); i++) {
        const places p = batch(topology, i);
        set3(state->position, p, select3(adds_energy, own3(state->position, p), own3(state->air, p)));
    }
    stay(job, stays);
    *state->conflicts = once(select_lanes(adds_energy, in_lanes(*state->conflicts), in_lanes(conflicts)));
}
