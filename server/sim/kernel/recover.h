// Recovery after conflicts. A pose without room for the cloth pushes the cloth over itself and about the
// limbs; on a coarse grid these folds hold against gravity. When there is room again, a spring draws the
// cloth to its references, which have no folds, and then fades. On a body that holds its pose such cloth
// stays about where it is (kernel/passive.h), and the first bit of room would let it snap to a free place far
// away: a body that breathes would make it do so with each breath. There the cloth moves slowly, and as the
// body moves again, it opens slowly.
#pragma once

#include "kernel/collide/fused_particle.h"
#include "kernel/passive.h"

#define RECOVERY_MOST  0.8f   // s, longest recovery
#define RECOVERY_GAIN  4.0f   // s of recovery for each s of conflict
#define RECOVERY_FADE  0.3f   // s in which the spring fades at the end
#define RECOVERY_RATE  140.0f // 1/s, of the critically damped spring; lower rates do not open every fold
#define RECOVERY_REACH 0.1f   // m; the force is constant beyond
#define HELD_FOR_LONG  0.5f   // s
#define OPENING_TIME   1.0f   // s for which cloth opens slowly, at most; as long as it was held before
#define OPENING_SPEED  1.5f   // m/s over its references with that time left, inversely more with less
#define KEPT_SPEED     0.1f   // m/s over its references as long as the body still holds its pose

// Lanes whose body has held its pose since the cloth was without room for OPENING_TIME.
LANES_INLINE mask is_kept(const SimKernelJob *job) {
    return holds_pose(job) & ~less(in_lanes(*job->state->opening), splat(OPENING_TIME));
}

// Updates the times of recovery and opening at the end of a tick. One particle in conflict in every substep
// counts like all, since it pushes its neighbours about as well. Where a pose is held for long no recovery is
// gained: it would begin in each tick in which all holds, and end in the next conflict, for ever.
LANES_INLINE void note_conflicts(const SimKernelJob *job) {
    SimGarmentState *state = job->state;
    const float dt = job->h * (float)job->substep_count;
    const lanes share =
        minimum(in_lanes(*state->conflicts * (1.0f / (float)job->substep_count)), splat(1.0f));
    const mask gives_way = more(share, (lanes){0});
    const lanes recovery = in_lanes(*state->recovery), owed = absolute(recovery);
    const lanes left = maximum(owed - dt, (lanes){0});
    lanes gained = minimum(owed + share * (RECOVERY_GAIN * dt), splat(RECOVERY_MOST));
    if (sim_is_passive(job->topology)) {
        const mask held = gives_way & holds_pose(job);
        const lanes opening = in_lanes(*state->opening);
        const mask lacks_room = more(in_lanes(*state->conflicts), in_lanes(*state->slowed));
        const lanes longer = select_lanes(is_kept(job) | (held & lacks_room), opening + dt, opening - dt);
        *state->opening = once(minimum(maximum(longer, (lanes){0}), splat(OPENING_TIME)));
        const mask for_long = held & more(opening, splat(HELD_FOR_LONG));
        gained = select_lanes(for_long, select_lanes(more(recovery, (lanes){0}), left, owed), gained);
    }
    *state->recovery = once(select_lanes(gives_way, -gained, left));
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

// Counts the particles for which not everything holds.
static lanes given_way(const SimKernelJob *job, const SimSubstep *drive) {
    static const NearColliders all = {.count = -1};
    const SimTopology *topology = job->topology;
    lanes count = {0};
    for (int p = topology->columns; p < topology->particle_count; p++) {
        if (topology->pinned[p]) continue;
        const LinkSphere sphere = link_sphere(job, p, p - topology->columns);
        mask gives_way = unsolved(job, drive, &all, &sphere, p, job->state->position[p]);
#ifndef SIM_STRIPS
        const int column = p % topology->columns;
        if (column < row_links(topology))
            gives_way |= torn_link(job, job->state->position, p - column, column);
#endif
        count += select_lanes(gives_way, splat(1.0f), (lanes){0});
    }
    return count;
}

// Carries the cloth along with its references, and turns the links of columns towards where the substep put
// them by one share, at which no particle goes farther than OPENING_SPEED or KEPT_SPEED allows. Lengths stay
// exact; what gives way is counted. On a body that holds still, a torn row is mended at once. Overwrites
// state->start and state->air.
static void open_slowly(const SimKernelJob *job, int index) {
    const SimSubstep *drive = &job->substeps[index];
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    mask opens = more(*state->opening, (lanes){0});
    if (!any(opens) || topology->face_count > 0) return;
    opens &= ~(mended_lanes(job) & less(*state->body_speed, splat(STILL_BODY)));
    if (!any(opens)) return;
    lanes farthest = splat(1e-20f), wind = {0};
    for (int p = 0; p < topology->particle_count; p++) {
        const lanes3 x = state->position[p], v = reference_velocity(job, drive, p);
        state->air[p] = x;
        state->start[p] = topology->pinned[p] ? x : mad3(state->start[p], v, splat(job->h));
        const lanes3 way = sub3(x, state->start[p]);
        farthest = maximum(farthest, dot3(way, way));
        wind = maximum(wind, dot3(state->wind[p], state->wind[p]));
    }
    const lanes kept = KEPT_SPEED + SIM_SHARE_OF_AIR * square_root(greatest(wind));
    const lanes speed = select_lanes(is_kept(job), kept, splat(OPENING_SPEED));
    const lanes most = speed * (OPENING_TIME * job->h) / maximum(*state->opening, splat(1e-9f));
    const lanes share = most / square_root(greatest(farthest));
    const mask slows = opens & less(share, splat(1.0f));
    if (!any(slows)) return;
    for (int p = topology->columns; p < topology->particle_count; p++) {
        if (topology->pinned[p]) continue;
        const int upper = p - topology->columns;
        const lanes3 from = sub3(state->start[p], state->start[upper]);
        const lanes3 to = sub3(state->air[p], state->air[upper]), way = mad3(from, sub3(to, from), share);
        const lanes3 above = state->position[upper];
        state->position[p] = select3(slows, add3(above, way), state->position[p]);
        const lanes length = link_sphere(job, p, upper).radius / maximum(length3(way), splat(1e-9f));
        const lanes3 x = select3(slows, mad3(above, way, length), state->position[p]);
        const lanes3 slip = scale3(sub3(x, state->start[p]), splat(1.0f / job->h));
        const lanes3 v = add3(reference_velocity(job, drive, p), slip);
        state->position[p] = x;
        state->velocity[p] = select3(slows, v, state->velocity[p]);
        state->predicted[p] = select3(slows, x, state->predicted[p]);
    }
    const lanes left = select_lanes(slows, given_way(job, drive), (lanes){0});
    *state->conflicts += left;
    *state->slowed += left;
}

#endif
