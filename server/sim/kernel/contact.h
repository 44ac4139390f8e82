// Half-spaces of colliders: for a particle inside, the tangent plane at the nearest point of the surface. A
// tangent plane of a convex body separates for any normal, so one push onto it is out for certain.
#pragma once

#include "kernel/lanes.h"
#include "kernel/links.h"

// normal . x >= offset, relative to the pose's origin; inside says for which lanes it is violated.
typedef struct HalfSpace {
    mask inside;
    lanes3 normal;
    lanes offset;
} HalfSpace;

// Exact: Eberly's nearest point by Newton's method on S(t) = sum (e y / (t + e^2))^2 = 1 from inside, normal
// y / (t + e^2), support |e n|. The article's: the direction from the centre in the space where it is a unit
// sphere, right for spheres only.
LANES_INLINE HalfSpace ellipsoid_half_space(const SimKernelCollider *collider, const SimLanesPose *pose,
                                            lanes3 r, bool article) {
    const float *e = collider->radii;
    lanes3 y = rotate_back3(pose, r);
    lanes3 unit = {y.x * (1.0f / e[0]), y.y * (1.0f / e[1]), y.z * (1.0f / e[2])};
    lanes inside = dot3(unit, unit);
    HalfSpace half = {less(inside, splat(1.0f)), zero3(), (lanes){0}};
    if (!any(half.inside)) return half;
    lanes3 n;
    if (article) {
        lanes length;
        lanes3 u = direction3(unit, &length);
        u.y = select_lanes(more(length, splat(1e-9f)), u.y, splat(1.0f));
        // The point e u of the surface, and the plane through it across the push.
        lanes3 surface = {u.x * e[0], u.y * e[1], u.z * e[2]};
        lanes distance;
        n = direction3(surface, &distance);
        half.normal = rotate3(pose, n);
        half.offset = distance;
        return half;
    }
    const float ee[3] = {e[0] * e[0], e[1] * e[1], e[2] * e[2]};
    lanes ax = maximum(absolute(y.x), splat(1e-6f * e[0]));
    lanes ay = maximum(absolute(y.y), splat(1e-6f * e[1]));
    lanes az = maximum(absolute(y.z), splat(1e-6f * e[2]));
    lanes least = maximum(maximum(e[0] * ax - ee[0], e[1] * ay - ee[1]), e[2] * az - ee[2]);
    lanes t = maximum((lanes){0}, least);
    mask deep = less(inside, splat(0.6f));
    int rounds = any(half.inside & deep) ? 8 : 3;
    for (int round = 0; round < rounds; round++) {
        lanes ix = 1.0f / (t + ee[0]), iy = 1.0f / (t + ee[1]), iz = 1.0f / (t + ee[2]);
        lanes sx = e[0] * ax * ix, sy = e[1] * ay * iy, sz = e[2] * az * iz;
        sx *= sx, sy *= sy, sz *= sz;
        lanes s = sx + sy + sz;
        lanes slope = sx * ix + sy * iy + sz * iz;
        lanes next = maximum(t + s * (square_root(s) - 1.0f) / slope, least);
        t = round < 3 ? next : select_lanes(deep, next, t); // a lane's rounds don't depend on its neighbours
    }
    n = (lanes3){with_sign_of(ax / (t + ee[0]), y.x), with_sign_of(ay / (t + ee[1]), y.y),
                 with_sign_of(az / (t + ee[2]), y.z)};
    lanes length;
    n = direction3(n, &length);
    lanes3 stretched = {n.x * e[0], n.y * e[1], n.z * e[2]};
    half.normal = rotate3(pose, n);
    half.offset = length3(stretched);
    return half;
}

// The hull of two spheres: the sphere whose surface is nearest lies where the normal, tilted by the taper,
// meets the axis.
LANES_INLINE HalfSpace cone_half_space(const SimKernelCollider *collider, const SimLanesPose *pose,
                                       lanes3 r) {
    lanes3 axis = pose->column[1];
    lanes along = dot3(r, axis);
    lanes3 across = mad3(r, axis, -along);
    float sine =
        collider->length > 0.0f ? (collider->radius - collider->radius_end) / collider->length : 0.0f;
    float tangent = sine / sqrtf(1.0f - sine * sine);
    float taper =
        collider->length > 0.0f ? (collider->radius_end - collider->radius) / collider->length : 0.0f;
    lanes at = minimum(maximum(along + length3(across) * -tangent, (lanes){0}), splat(collider->length));
    lanes radius = collider->radius + taper * at;
    lanes3 from_centre = mad3(r, axis, -at);
    lanes distance;
    lanes3 n = direction3(from_centre, &distance);
    HalfSpace half = {less(distance, radius), zero3(), (lanes){0}};
    if (!any(half.inside)) return half;
    half.normal = select3(more(distance, splat(1e-9f)), n, perpendicular3(axis));
    half.offset = radius + at * dot3(axis, half.normal);
    return half;
}

// For a point of model space; false where it is outside in all lanes. A function of its own: inlined into
// each of its callers the kernel would be several times as large, and no faster.
static bool half_space(const SimKernelCollider *collider, const SimLanesPose *pose, const lanes3 *point,
                       bool article, HalfSpace *out_half) {
    lanes3 r = sub3(*point, pose->column[3]);
    switch (collider->shape) {
    case SIM_KERNEL_ELLIPSOID:
        *out_half = ellipsoid_half_space(collider, pose, r, article);
        break;
    case SIM_KERNEL_CONE:
        *out_half = cone_half_space(collider, pose, r);
        break;
    case SIM_KERNEL_PLANE:
        *out_half = (HalfSpace){less(dot3(r, pose->column[1]), (lanes){0}), pose->column[1], (lanes){0}};
        break;
    }
    return any(out_half->inside);
}

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
    lanes3 v = surface_velocity(&substep->colliders[topology->colliders[collider].pose],
                                &substep->root[topology->edge[particle]], p, 1.0f / job->h);
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
