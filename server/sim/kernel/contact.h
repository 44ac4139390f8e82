// Particles and the points between them out of the colliders, with friction.
#pragma once

#include "kernel/links.h"
#include "kernel/shapes.h"

// The velocity of the touched surface at p in the frame of the state: that of the collider in model space,
// plus the share of the root's motion that the cloth feels (root x - x is minus that share, over h).
LANES_INLINE lanes3 surface_velocity(const SimColliderPose *collider, const SimLanesPose *root, lanes3 p,
                                     float inverse_h) {
    lanes3 v = add3(collider->velocity, cross3(collider->spin, sub3(p, collider->pose.column[3])));
    lanes3 shift = sub3(transform3(root, p), p);
    return mad3(v, shift, splat(-inverse_h));
}

LANES_INLINE void note_contact(const SimKernelJob *job, const SimSubstep *substep, int particle, int collider,
                               mask touches, lanes3 p) {
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    SimLanesPose root = pose_by_edge(topology, particle, substep->root);
    lanes3 v =
        surface_velocity(&substep->colliders[topology->colliders[collider].pose], &root, p, 1.0f / job->h);
    state->contact[particle] = select_lanes(touches, splat(1.0f), state->contact[particle]);
    state->surface[particle] = select3(touches, v, state->surface[particle]);
}

// A point between particles that is inside moves them all, the lighter ones more:
// D_i = w_i b n depth / sum w b^2, b = 1 / count.
LANES_INLINE void collide_virtual(const SimKernelJob *job, const SimSubstep *substep,
                                  const SimVirtual *point) {
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    const float share = 1.0f / (float)point->count;
    for (int i = 0; i < topology->collider_count; i++) {
        const SimKernelCollider *collider = &topology->virtual_colliders[i];
        const SimLanesPose *pose = &substep->colliders[collider->pose].pose;
        lanes3 p = zero3();
        for (int k = 0; k < point->count; k++)
            p = mad3(p, state->position[point->particles[k]], splat(share));
        HalfSpace half;
        if (!half_space(collider, pose, &p, false, &half)) continue;
        lanes depth = half.offset - dot3(sub3(p, pose->column[3]), half.normal);
        lanes sum = (lanes){0};
        for (int k = 0; k < point->count; k++) sum += inverse_mass(job, point->particles[k]);
        mask moves = half.inside & more(sum, (lanes){0});
        lanes step = depth / (maximum(sum, splat(1e-9f)) * share);
        for (int k = 0; k < point->count; k++) {
            int particle = point->particles[k];
            if (topology->pinned[particle]) continue;
            lanes3 moved = mad3(state->position[particle], half.normal, step * inverse_mass(job, particle));
            state->position[particle] = select3(moves, moved, state->position[particle]);
            note_contact(job, substep, particle, i, moves, moved);
        }
    }
}

// Every particle out of every collider, each to the nearest point of its surface; then the points between
// them, since cloth whose vertices are outside may still cut through with its edges.
static void collide(const SimKernelJob *job, int index) {
    const SimSubstep *substep = &job->substeps[index];
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    for (int particle = 0; particle < topology->particle_count; particle++) {
        if (topology->pinned[particle]) continue;
        lanes3 p = state->position[particle];
        for (int i = 0; i < topology->collider_count; i++) {
            const SimKernelCollider *collider = &topology->colliders[i];
            const SimLanesPose *pose = &substep->colliders[collider->pose].pose;
            HalfSpace half;
            if (!half_space(collider, pose, &p, topology->article_collision, &half)) continue;
            lanes depth = half.offset - dot3(sub3(p, pose->column[3]), half.normal);
            p = select3(half.inside, mad3(p, half.normal, depth), p);
            note_contact(job, substep, particle, i, half.inside, p);
        }
        state->position[particle] = p;
    }
    for (int i = 0; i < topology->virtual_count; i++) collide_virtual(job, substep, &topology->virtuals[i]);
}
