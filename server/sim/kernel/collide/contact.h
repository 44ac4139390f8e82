// Collisions: pushes particles and the points between them out of the colliders, with friction.
#pragma once

#include "kernel/collide/broadphase.h"
#include "kernel/collide/shapes.h"
#include "kernel/lanes/scalar_parts.h"
#include "kernel/lanes/strips.h"

#include <string.h>

// The velocity of the touched surface at p in the frame of the state: that of the collider in model space,
// plus the share of the root's motion that the cloth feels (root x - x is minus that share, over h).
LANES_INLINE lanes3 surface_velocity(const SimColliderPose *collider, const LanesPose *root, lanes3 p,
                                     float inverse_h) {
    lanes3 v = add3(in_lanes3(collider->velocity),
                    cross3(in_lanes3(collider->spin), sub3(p, in_lanes3(collider->pose.column[3]))));
    lanes3 shift = sub3(transform_each3(root, p), p);
    return mad3(v, shift, splat(-inverse_h));
}

// Lanes whose positions this part does not change.
LANES_INLINE mask calm_mask(const SimKernelJob *job) {
    return job->calm ? more(in_lanes(*job->calm), splat(0.5f)) : (mask){0};
}

// Lanes in which this part leaves a particle where it is.
LANES_INLINE mask stays_mask(const SimKernelJob *job, places particle) {
    const mask calm = calm_mask(job);
    return job->stays ? calm | more(at(job->stays, particle), splat(0.5f)) : calm;
}

// Whether it does in all lanes.
LANES_INLINE bool all_stay(const SimKernelJob *job, places particle) {
    return job->stays && !any(~stays_mask(job, particle));
}

// Velocity of a particle's reference in the frame of the state: its motion in model space plus the root's
// share. Pinned particles have this velocity.
LANES_INLINE lanes3 reference_velocity(const SimKernelJob *job, const SimSubstep *drive, places particle) {
    const SimGarmentState *state = job->state;
    lanes3 way = sub3(at3(state->reference1, particle), at3(state->reference0, particle));
    const lanes3 end = at3(state->reference, particle);
    LanesPose root = pose_by_edge(job->topology, particle, drive->root);
    lanes3 shift = sub3(transform_each3(&root, end), end);
    return mad3(scale3(way, splat(1.0f / (job->h * (float)job->substep_count))), shift,
                splat(-1.0f / job->h));
}

// Contact damping goes towards the frame that the cloth hangs from; along the normal towards the surface,
// which pushes it. Along the surface friction alone drags cloth.
LANES_INLINE void note_contact(const SimKernelJob *job, const SimSubstep *substep, places particle,
                               int collider, mask touches, lanes3 normal, lanes3 p) {
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    LanesPose root = pose_by_edge(topology, particle, substep->root);
    lanes3 surface =
        surface_velocity(&substep->colliders[topology->colliders[collider].pose], &root, p, 1.0f / job->h);
    lanes3 frame = reference_velocity(job, substep, particle);
    lanes3 v = mad3(frame, normal, dot3(sub3(surface, frame), normal));
    touches &= ~stays_mask(job, particle);
    put(state->contact, particle, select_lanes(touches, splat(1.0f), at(state->contact, particle)));
    put3(state->damped_to, particle, select3(touches, v, at3(state->damped_to, particle)));
}

// Path of a particle over a surface of that velocity in this substep: forces and corrections so far.
// Pinned particles have no corrections; their velocity gives the path.
LANES_INLINE lanes3 way_over(const SimKernelJob *job, places particle, lanes3 surface, lanes3 p) {
    const SimGarmentState *state = job->state;
    lanes3 way = scale3(sub3(at3(state->velocity, particle), surface), splat(job->h));
    return if_free3(job->topology, particle, add3(way, sub3(p, at3(state->predicted, particle))), way);
}

// Coulomb's friction on positions (Mueller et al., Detailed Rigid Body Simulation with Extended Position
// Based Dynamics). The part of the path along the surface is undone: all of it up to the coefficient times
// the push along the normal (static), beyond that this much (kinetic). Zero in lanes without friction.
LANES_INLINE lanes3 friction_step(lanes coefficient, lanes3 way, lanes3 normal, lanes push) {
    lanes3 along = mad3(way, normal, -dot3(way, normal));
    lanes length = length3(along);
    lanes share =
        minimum(coefficient * maximum(push, (lanes){0}) / maximum(length, splat(1e-12f)), splat(1.0f));
    return scale3(along, -share);
}

LANES_INLINE mask frictional_lanes(const SimKernelJob *job, mask touches) {
    return touches & more(in_lanes(job->fabric->friction), (lanes){0});
}

// Returns p after friction, for a push of that length along the normal.
LANES_INLINE lanes3 apply_friction(const SimKernelJob *job, const SimSubstep *substep, places particle,
                                   int collider, mask touches, lanes3 normal, lanes push, lanes3 p) {
    mask frictional = frictional_lanes(job, touches);
    if (!any(frictional)) return p;
    const SimTopology *topology = job->topology;
    LanesPose root = pose_by_edge(topology, particle, substep->root);
    lanes3 surface =
        surface_velocity(&substep->colliders[topology->colliders[collider].pose], &root, p, 1.0f / job->h);
    lanes3 step =
        friction_step(in_lanes(job->fabric->friction), way_over(job, particle, surface, p), normal, push);
    return select3(frictional, add3(p, step), p);
}

LANES_INLINE lanes3 virtual_point(const SimKernelJob *job, const Between *point) {
    lanes3 p = zero3();
    for (int k = 0; k < point->count; k++)
        p = mad3(p, at3(job->state->position, point->particles[k]), splat(1.0f / (float)point->count));
    return p;
}

// Lanes in which any of its particles may be moved.
LANES_INLINE mask moving_lanes(const SimKernelJob *job, const Between *point) {
    mask moving = {0};
    for (int k = 0; k < point->count; k++) moving |= ~stays_mask(job, point->particles[k]);
    return moving;
}

// The mean of its particles' thicknesses.
LANES_INLINE lanes virtual_thickness(const SimKernelJob *job, const Between *point) {
    if (!job->topology->thickness_scaled) return in_lanes(job->fabric->thickness);
    lanes sum = (lanes){0};
    for (int k = 0; k < point->count; k++) sum += thickness_at(job, point->particles[k]);
    return sum * (1.0f / (float)point->count);
}

#ifndef SIM_ALONE

// Friction of a point between particles: the step that its particles share.
LANES_INLINE lanes3 virtual_friction(const SimKernelJob *job, const SimSubstep *substep,
                                     const SimVirtual *point, const SimColliderPose *collider, mask touches,
                                     lanes3 normal, lanes push, lanes3 p) {
    mask frictional = frictional_lanes(job, touches);
    if (!any(frictional)) return zero3();
    const SimTopology *topology = job->topology;
    lanes3 way = zero3();
    for (int k = 0; k < point->count; k++) {
        int particle = point->particles[k];
        LanesPose root = pose_by_edge(topology, particle, substep->root);
        lanes3 surface = surface_velocity(collider, &root, p, 1.0f / job->h);
        lanes3 one = way_over(job, particle, surface, at3(job->state->position, particle));
        way = mad3(way, one, splat(1.0f / (float)point->count));
    }
    return select3(frictional, friction_step(in_lanes(job->fabric->friction), way, normal, push), zero3());
}

// Moves the particles of a point that is inside, the lighter ones more: D_i = w_i b n depth / sum w b^2, b
// = 1 / count. Friction uses the same weights.
LANES_INLINE void push_virtual(const SimKernelJob *job, const SimSubstep *substep, const SimVirtual *point,
                               int collider, const HalfSpace *half, lanes3 p) {
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    const SimColliderPose *pose = &substep->colliders[topology->virtual_colliders[collider].pose];
    const float share = 1.0f / (float)point->count;
    lanes depth = half->offset - dot3(sub3(p, pose->pose.column[3]), half->normal);
    lanes3 friction = virtual_friction(job, substep, point, pose, half->inside, half->normal, depth, p);
    lanes sum = (lanes){0};
    for (int k = 0; k < point->count; k++) sum += inverse_mass(job, point->particles[k]);
    mask moves =
        half->inside & more(sum, (lanes){0}) & exists_between(topology, point->particles, point->count);
    lanes denominator = maximum(sum, splat(1e-9f)) * share;
    lanes step = depth / denominator;
    for (int k = 0; k < point->count; k++) {
        int particle = point->particles[k];
        if (topology->pinned[OWN(particle)]) continue;
        lanes weight = inverse_mass(job, particle);
        lanes3 moved = mad3(at3(state->position, particle), half->normal, step * weight);
        const mask goes = moves & ~stays_mask(job, particle), frictional = frictional_lanes(job, goes);
        if (any(frictional)) moved = select3(frictional, mad3(moved, friction, weight / denominator), moved);
        put3(state->position, particle, select3(goes, moved, at3(state->position, particle)));
        note_contact(job, substep, particle, collider, moves, half->normal, moved);
    }
}

// Returns whether it moved particles.
LANES_INLINE bool collide_virtual(const SimKernelJob *job, const SimSubstep *substep,
                                  const NearColliders *near, const SimVirtual *point) {
    const SimTopology *topology = job->topology;
    lanes3 p = virtual_point(job, point);
    const lanes thickness = virtual_thickness(job, point);
    const mask moving = moving_lanes(job, point);
    bool moves = false;
    NearIterator iterator = iterate_near(topology, near, p);
    for (int i; (i = next_near(&iterator)) >= 0;) {
        const SimKernelCollider *collider = &topology->virtual_colliders[i];
        HalfSpace half;
        if (!half_space(collider, &substep->colliders[collider->pose].pose, &p, thickness, false, &half))
            continue;
        half.inside &= moving;
        push_virtual(job, substep, point, i, &half, p);
        p = virtual_point(job, point);
        widen_if_outside(&iterator, topology, near, i, p);
        moves = true;
    }
    return moves;
}

#endif

LANES_INLINE void collide_particle(const SimKernelJob *job, const SimSubstep *substep,
                                   const NearColliders *near, places particle) {
    const SimTopology *topology = job->topology;
    lanes3 p = own3(job->state->position, particle);
    const lanes thickness = thickness_at(job, particle);
    NearIterator iterator = iterate_near(topology, near, p);
    for (int i; (i = next_near(&iterator)) >= 0;) {
        const SimKernelCollider *collider = &topology->colliders[i];
        const SimLanesPose *pose = &substep->colliders[collider->pose].pose;
        HalfSpace half;
        if (!half_space(collider, pose, &p, thickness, topology->alan_wake_collision, &half)) continue;
        half.inside &= ~stays_mask(job, particle);
        lanes depth = half.offset - dot3(sub3(p, in_lanes3(pose->column[3])), half.normal);
        p = apply_friction(job, substep, particle, i, half.inside, half.normal, depth, p);
        p = select3(half.inside, mad3(p, half.normal, depth), p);
        note_contact(job, substep, particle, i, half.inside, half.normal, p);
        widen_if_outside(&iterator, topology, near, i, p);
    }
    set3(job->state->position, particle, p);
}

#ifdef SIM_ALONE

// Marks the points between particles that touch a collider. Returns whether any does.
LANES_INLINE bool mark_touching(const SimKernelJob *job, const SimSubstep *substep, int corners,
                                uint8_t *touching) {
    const SimTopology *topology = job->topology;
    const SimBatches *points = &alone_order(topology)->points[corners == 4];
    bool some = false;
    for (int batch = 0; batch < points->count; batch++) {
        Between point = {.count = corners};
        for (int k = 0; k < corners; k++)
            point.particles[k] = batch_of(&alone_order(topology)->point_particles[corners == 4][k], batch);
        const mask moving = moving_lanes(job, &point);
        if (!any(moving)) continue;
        const lanes3 p = virtual_point(job, &point);
        const lanes thickness = virtual_thickness(job, &point);
        mask touches = {0};
        for (int i = 0; i < topology->collider_count; i++) {
            const SimKernelCollider *collider = &topology->virtual_colliders[i];
            HalfSpace half;
            if (half_space(collider, &substep->colliders[collider->pose].pose, &p, thickness, false, &half))
                touches |= half.inside;
        }
        touches &= moving;
        if (!any(touches)) continue;
        some = true;
        const places index = batch_of(points, batch);
        for (int lane = 0; lane < LANES; lane++) touching[index[lane]] = touches[lane] != 0;
    }
    return some;
}

// Every particle, then the points between them: no point moves a particle that has not collided yet. Few
// points touch anything, and only what these move can make others touch: all are tested at once, and those
// few then collide one after another.
static void collide(const SimKernelJob *job, int index) {
    const SimTopology *topology = job->topology;
    const NearColliders near = {.count = -1};
    for (int i = 0; i < batch_count(topology); i++) {
        const places p = batch(topology, i);
        if (!are_pinned(topology, p) && !all_stay(job, p))
            collide_particle(job, &job->substeps[index], &near, p);
    }
    uint8_t touching[3 * SIM_ALONE_LONGEST * SIM_ALONE_LONGEST];
    memset(touching, 0, (size_t)topology->virtual_count);
    const bool edges = mark_touching(job, &job->substeps[index], 2, touching);
    if (mark_touching(job, &job->substeps[index], 4, touching) || edges)
        sim_scalar_collide_touching(job, index, touching);
}

#else

#ifndef SIM_STRIPS
// The same along paths, then face by face: the points of a face end with its middle.
static void collide_faces(const SimKernelJob *job, const SimSubstep *substep) {
    const SimTopology *topology = job->topology;
    const SimPaths *paths = &topology->paths;
    NearColliders near;
    for (int i = 0; i < paths->count; i++)
        for (int k = paths->first[i] + 1, end = paths->first[i + 1]; k < end; k += NEAR_RUN) {
            const int count = end - k < NEAR_RUN ? end - k : NEAR_RUN, *run = paths->particles + k;
            find_near_about(job, substep, topology->colliders, run, count, &near);
            for (int p = 0; p < count; p++) collide_particle(job, substep, &near, run[p]);
        }
    for (int i = 0, end = 0; i < topology->virtual_count; i++) {
        if (i == end) {
            while (end < topology->virtual_count && topology->virtuals[end].count == 2) end++;
            const SimVirtual *middle = &topology->virtuals[end < topology->virtual_count ? end++ : i];
            find_near_about(job, substep, topology->virtual_colliders, middle->particles, middle->count,
                            &near);
        }
        collide_virtual(job, substep, &near, &topology->virtuals[i]);
    }
}
#endif

// Whether any of these particles, or of those of these points, may be moved.
LANES_INLINE bool stretch_moves(const SimKernelJob *job, int first, int end, int first_point, int end_point) {
    bool stays = job->stays != NULL;
    for (int p = first; p < end && stays; p++) stays = all_stay(job, p);
    for (int i = first_point; i < end_point && stays; i++)
        stays = !any(moving_lanes(job, &job->topology->virtuals[i]));
    return !stays;
}

// Pushes every particle to the nearest point of each collider's surface, then the points between them,
// since edges can cut through a collider when no vertex is inside. Works stretch by stretch: first the
// particles that a stretch's points need, then its points.
static void collide(const SimKernelJob *job, int index) {
    const SimSubstep *substep = &job->substeps[index];
    const SimTopology *topology = job->topology;
#ifndef SIM_STRIPS
    if (topology->face_count > 0) {
        collide_faces(job, substep);
        return;
    }
#endif
    lanes moves[NEAR_KEPT];
    find_moves(job, index, moves);
    NearColliders near = {.moves = moves};
    for (int first = 0, end, particle = 0, i = 0; first < topology->particle_count; first = end) {
        end = stretch_end(topology, first);
        int last = end + topology->columns + 1, points = i;
        if (last > topology->particle_count) last = topology->particle_count;
        while (points < topology->virtual_count && topology->virtuals[points].particles[0] < end) points++;
        const bool some = stretch_moves(job, particle, last, i, points);
        if (some) find_near(job, substep, topology->virtual_colliders, first, end, true, &near);
        for (; particle < last; particle++)
            if (some && !topology->pinned[particle]) collide_particle(job, substep, &near, particle);
        for (; i < points; i++)
            if (some) collide_virtual(job, substep, &near, &topology->virtuals[i]);
    }
}

#ifdef SIM_SCALAR_PARTS
// Collides points between particles one after another: those that touch a collider, and those whose particles
// have been moved since that was found out. The others would not move anything.
static void collide_touching(const SimKernelJob *job, int index, const uint8_t *touching) {
    const SimSubstep *substep = &job->substeps[index];
    const SimTopology *topology = job->topology;
    bool moved[SIM_ALONE_LONGEST * SIM_ALONE_LONGEST];
    memset(moved, 0, (size_t)topology->particle_count * sizeof *moved);
    for (int i = 0; i < topology->virtual_count; i++) {
        const SimVirtual *point = &topology->virtuals[i];
        bool counts = touching[i];
        for (int k = 0; k < point->count; k++) counts = counts || moved[point->particles[k]];
        if (!counts) continue;
        NearColliders near;
        find_near_about(job, substep, topology->virtual_colliders, point->particles, point->count, &near);
        if (!collide_virtual(job, substep, &near, point)) continue;
        for (int k = 0; k < point->count; k++) moved[point->particles[k]] = true;
    }
}
#endif

#endif
