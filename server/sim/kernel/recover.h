// Recovery after conflicts. A pose without room for the cloth pushes it over itself and about the limbs, and
// on a coarse grid those folds hold against gravity. When there is room again the cloth is drawn to its
// references, which have no folds, and let go.
#pragma once

#include "kernel/root.h"

#define RECOVERY_MOST  0.8f   // s for which it is drawn, at most
#define RECOVERY_GAIN  4.0f   // s for each s of giving way
#define RECOVERY_FADE  0.3f   // s in which it is let go at the end
#define RECOVERY_RATE  100.0f // 1/s, of the critically damped spring: less does not open every fold
#define RECOVERY_REACH 0.1f   // m; the spring pulls no harder from farther off

// At the end of a tick. One particle that gives way in every substep counts like all: the others are pushed
// about as well.
LANES_INLINE void note_conflicts(const SimKernelJob *job) {
    SimGarmentState *state = job->state;
    const float dt = job->h * (float)job->substep_count;
    lanes share = minimum(*state->conflicts * (1.0f / (float)job->substep_count), splat(1.0f));
    lanes owed = absolute(*state->recovery);
    lanes gained = minimum(owed + share * (RECOVERY_GAIN * dt), splat(RECOVERY_MOST));
    *state->recovery = select_lanes(more(share, (lanes){0}), -gained, maximum(owed - dt, (lanes){0}));
}

// A damped spring to the reference, e away from the particle, V its velocity; implicit, so that it is stable
// at any rate: v' = v + h (r^2 (e - h (v' - v)) - 2 r (v' - V)). Without max distances a garment may be
// anywhere.
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
        lanes3 e = sub3(state->reference[p], state->position[p]);
        lanes near = minimum(RECOVERY_REACH / maximum(length3(e), splat(1e-9f)), splat(1.0f));
        lanes3 slip = sub3(reference_velocity(job, drive, p), state->velocity[p]);
        lanes3 step = mad3(scale3(e, turn * turn * near), slip, 2.0f * job->h * turn);
        state->position[p] = select3(recovers, mad3(state->position[p], step, share), state->position[p]);
    }
}
