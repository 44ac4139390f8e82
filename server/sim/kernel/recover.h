// Recovery after conflicts. A pose without room for the cloth pushes the cloth over itself and about the
// limbs; on a coarse grid these folds hold against gravity. When there is room again, a spring draws the
// cloth to its references, which have no folds, and then fades.
#pragma once

#include "kernel/root.h"

#define RECOVERY_MOST  0.8f   // s, longest recovery
#define RECOVERY_GAIN  4.0f   // s of recovery for each s of conflict
#define RECOVERY_FADE  0.3f   // s in which the spring fades at the end
#define RECOVERY_RATE  140.0f // 1/s, of the critically damped spring; lower rates do not open every fold
#define RECOVERY_REACH 0.1f   // m; the force is constant beyond

// Updates the recovery time at the end of a tick. One particle in conflict in every substep counts like
// all, since it pushes its neighbours about as well.
LANES_INLINE void note_conflicts(const SimKernelJob *job) {
    SimGarmentState *state = job->state;
    const float dt = job->h * (float)job->substep_count;
    lanes share = minimum(in_lanes(*state->conflicts * (1.0f / (float)job->substep_count)), splat(1.0f));
    lanes owed = absolute(in_lanes(*state->recovery));
    lanes gained = minimum(owed + share * (RECOVERY_GAIN * dt), splat(RECOVERY_MOST));
    *state->recovery = once(select_lanes(more(share, (lanes){0}), -gained, maximum(owed - dt, (lanes){0})));
}

#ifndef SIM_ALONE // a particle takes the place of the one above it into account

// The way to the reference. A link that is folded back takes a pull along itself; there the pull goes round
// the link's sphere.
LANES_INLINE lanes3 way_to_reference(const SimKernelJob *job, int particle) {
    const SimGarmentState *state = job->state;
    lanes3 e = sub3(state->reference[particle], state->position[particle]);
    const int upper = particle - job->topology->columns;
    if (upper < 0) return e;
    lanes3 link = sub3(state->position[particle], state->position[upper]);
    lanes3 unfolded = sub3(state->reference[particle], state->reference[upper]);
    lanes along = dot3(e, link) / maximum(dot3(link, link), splat(1e-12f));
    lanes3 round = mad3(e, link, -along);
    round = scale3(round, length3(e) / maximum(length3(round), splat(1e-9f)));
    return select3(less(dot3(link, unfolded), (lanes){0}), round, e);
}

// A damped spring to the reference, e away from the particle, V its velocity. It is implicit and so stable
// at any rate: v' = v + h (r^2 (e - h (v' - v)) - 2 r (v' - V)). Garments without max distances are
// exempt.
static void recover(const SimKernelJob *job, int index) {
    const SimSubstep *drive = &job->substeps[index];
    SimGarmentState *state = job->state;
    mask recovers = more(*state->recovery, (lanes){0});
    if (!job->topology->has_max_distance || !any(recovers)) return;
    lanes fade = minimum(*state->recovery * (1.0f / RECOVERY_FADE), splat(1.0f));
    lanes turn = fade * (RECOVERY_RATE * job->h);
    lanes share = 1.0f / ((1.0f + turn) * (1.0f + turn));
    for (int p = 0; p < job->topology->particle_count; p++) {
        if (job->topology->pinned[p]) continue;
        lanes3 e = way_to_reference(job, p);
        lanes near = minimum(RECOVERY_REACH / maximum(length3(e), splat(1e-9f)), splat(1.0f));
        lanes3 slip = sub3(reference_velocity(job, drive, p), state->velocity[p]);
        lanes3 step = mad3(scale3(e, turn * turn * near), slip, 2.0f * job->h * turn);
        state->position[p] = select3(recovers, mad3(state->position[p], step, share), state->position[p]);
    }
}

#endif
