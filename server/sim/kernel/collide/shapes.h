// Half-spaces of colliders: for a point that is inside, or nearer than the cloth is thick, the tangent plane
// at the nearest point of the surface, moved outwards by the thickness. A tangent plane of a convex body
// separates for any normal, so one push onto it leaves the body.
#pragma once

#include "kernel/lanes/lanes.h"

// normal . x >= offset, relative to the pose's origin. `inside` marks the lanes that violate it.
typedef struct HalfSpace {
    mask inside;
    lanes3 normal;
    lanes offset;
} HalfSpace;

// The article's method: the direction from the centre in the space where the ellipsoid is a unit sphere.
// Exact for spheres only.
LANES_INLINE void alan_wake_half_space(const SimKernelCollider *collider, const SimLanesPose *pose,
                                       lanes3 unit, HalfSpace *half) {
    const float *e = collider->radii;
    lanes length, distance;
    lanes3 u = direction3(unit, &length);
    u.y = select_lanes(more(length, splat(1e-9f)), u.y, splat(1.0f));
    // The point e u of the surface and the plane through it, at right angles to the push.
    lanes3 n = direction3((lanes3){u.x * e[0], u.y * e[1], u.z * e[2]}, &distance);
    half->normal = rotate3(pose, n);
    half->offset = distance;
}

// Limit of Newton iterations; a lane stops when t changes by less than 1 %.
#define ELLIPSOID_ROUNDS    12
#define ELLIPSOID_TOLERANCE 1e-2f

// Exact: Eberly's nearest point by Newton's method on S(t) = sum (e y / (t + e^2))^2 = 1 from inside,
// normal y / (t + e^2), support |e n|. S^(-1/2) is concave, so every iteration after the first approaches
// the root from below. The unknown is t + e_min^2: near the middle of a flat body t itself would lose this
// difference to rounding.
LANES_INLINE void ellipsoid_half_space(const SimKernelCollider *collider, const SimLanesPose *pose, lanes3 y,
                                       HalfSpace *half) {
    const float *e = collider->radii, *excess = collider->excess;
    // On a plane of symmetry both sides are equally near; the minimum avoids 0 / 0.
    lanes ax = maximum(absolute(y.x), splat(1e-6f * e[0]));
    lanes ay = maximum(absolute(y.y), splat(1e-6f * e[1]));
    lanes az = maximum(absolute(y.z), splat(1e-6f * e[2]));
    lanes least = maximum(maximum(e[0] * ax - excess[0], e[1] * ay - excess[1]), e[2] * az - excess[2]);
    lanes t = splat(collider->least_square);
    mask open = half->inside;
    for (int round = 0; round < ELLIPSOID_ROUNDS && any(open); round++) {
        lanes ix = 1.0f / (t + excess[0]), iy = 1.0f / (t + excess[1]), iz = 1.0f / (t + excess[2]);
        lanes sx = e[0] * ax * ix, sy = e[1] * ay * iy, sz = e[2] * az * iz;
        sx *= sx, sy *= sy, sz *= sz;
        lanes s = sx + sy + sz;
        lanes slope = sx * ix + sy * iy + sz * iz;
        lanes next = maximum(t + s * (square_root(s) - 1.0f) / slope, least);
        mask far = more(absolute(next - t), next * ELLIPSOID_TOLERANCE);
        t = select_lanes(open, next, t); // a lane's iterations do not depend on its neighbours
        open &= far;
    }
    lanes3 n = {with_sign_of(ax / (t + excess[0]), y.x), with_sign_of(ay / (t + excess[1]), y.y),
                with_sign_of(az / (t + excess[2]), y.z)};
    lanes length;
    n = direction3(n, &length);
    half->normal = rotate3(pose, n);
    half->offset = length3((lanes3){n.x * e[0], n.y * e[1], n.z * e[2]});
}

// The place on the axis of the sphere whose surface is nearest: the normal, tilted by the taper, meets the
// axis there.
LANES_INLINE lanes nearest_on_axis(const SimKernelCollider *collider, const SimLanesPose *pose, lanes3 r) {
    lanes3 axis = in_lanes3(pose->column[1]);
    lanes along = dot3(r, axis);
    if (collider->tangent > 0.0f) along -= length3(mad3(r, axis, -along)) * collider->tangent;
    return minimum(maximum(along, (lanes){0}), splat(collider->length));
}

// On the axis all directions are equally near; `aside` is the direction used there.
LANES_INLINE void cone_half_space(const SimKernelCollider *collider, const SimLanesPose *pose, lanes3 r,
                                  HalfSpace *half) {
    lanes3 axis = in_lanes3(pose->column[1]);
    lanes at = nearest_on_axis(collider, pose, r), distance, length;
    lanes3 n = direction3(mad3(r, axis, -at), &distance);
    lanes3 aside = direction3(perpendicular3(axis), &length);
    aside = mad3(scale3(aside, splat(collider->cosine)), axis, splat(collider->sine));
    half->normal = select3(more(distance, splat(collider->thread)), n, aside);
    half->offset = collider->radius - at * collider->sine + at * dot3(axis, half->normal);
}

// Coordinates along the ellipsoid's axes in units of its radii.
LANES_INLINE lanes3 in_units(const SimKernelCollider *collider, lanes3 y) {
    return (lanes3){y.x * collider->inverse[0], y.y * collider->inverse[1], y.z * collider->inverse[2]};
}

// Lanes in which a point is nearer to the surface than the thickness, or inside; for an ellipsoid those in
// which it may be: |y / e| <= 1 + thickness / least radius.
LANES_INLINE mask inside_of(const SimKernelCollider *collider, const SimLanesPose *pose, lanes thickness,
                            lanes3 r) {
    if (collider->shape == SIM_KERNEL_ELLIPSOID) {
        lanes3 unit = in_units(collider, rotate_back3(pose, r));
        lanes most = 1.0f + thickness * collider->most_inverse;
        return less(dot3(unit, unit), most * most);
    }
    if (collider->shape == SIM_KERNEL_PLANE) return less(dot3(r, in_lanes3(pose->column[1])), thickness);
    lanes at = nearest_on_axis(collider, pose, r),
          radius = collider->radius - at * collider->sine + thickness;
    lanes3 from_centre = mad3(r, in_lanes3(pose->column[1]), -at);
    return less(dot3(from_centre, from_centre), radius * radius);
}

// Computes the plane for lanes in which half->inside is set. Not inlined: contacts are rare, and inlining
// it into each caller would make the kernel several times larger.
static __attribute__((noinline)) void tangent_plane(const SimKernelCollider *collider,
                                                    const SimLanesPose *pose, const lanes3 *point,
                                                    bool alan_wake, HalfSpace *half) {
    lanes3 r = sub3(*point, in_lanes3(pose->column[3]));
    if (collider->shape == SIM_KERNEL_PLANE) {
        half->normal = in_lanes3(pose->column[1]);
        half->offset = (lanes){0};
    } else if (collider->shape == SIM_KERNEL_CONE) {
        cone_half_space(collider, pose, r, half);
    } else if (alan_wake) {
        alan_wake_half_space(collider, pose, in_units(collider, rotate_back3(pose, r)), half);
    } else {
        ellipsoid_half_space(collider, pose, rotate_back3(pose, r), half);
    }
}

// Takes a point in model space, and how far off the surface it must be. Returns false if it is outside in all
// lanes.
LANES_INLINE bool half_space(const SimKernelCollider *collider, const SimLanesPose *pose, const lanes3 *point,
                             lanes thickness, bool alan_wake, HalfSpace *out_half) {
    lanes3 r = sub3(*point, in_lanes3(pose->column[3]));
    out_half->inside = inside_of(collider, pose, thickness, r);
    if (!any(out_half->inside)) return false;
    tangent_plane(collider, pose, point, alan_wake, out_half);
    out_half->offset += thickness;
    out_half->inside &= less(dot3(r, out_half->normal), out_half->offset);
    return any(out_half->inside);
}
