// Solves constraints on the sphere of a link. Half-spaces and balls cut the sphere in caps. Each cap has
// an exact nearest point, and so do two caps together (where their circles cross).
#pragma once

#include "kernel/lanes/strips.h"

#include <stddef.h>

// m. It prevents rounding errors from finding a particle behind the plane on which it was put.
#define CAP_TOLERANCE 2e-7f

// The allowed directions of a link: their angle to the axis has at least this cosine. A zero axis allows
// all.
typedef struct Cone {
    lanes3 axis;
    float cosine, sine;
} Cone;

// The largest distance to the neighbour in the row, at `end`.
typedef struct WeftLimit {
    lanes3 end;
    lanes length;
} WeftLimit;

// The sphere of a link. p lies on it.
typedef struct LinkSphere {
    lanes3 centre;
    lanes radius;
    lanes thickness;  // m that p keeps off the colliders
    const Cone *cone; // NULL: none
    mask active;      // lanes that are solved
    WeftLimit weft_limit;
    bool has_weft_limit;
} LinkSphere;

// (x - centre) . u >= h
typedef struct Cap {
    lanes3 u;
    lanes h;
} Cap;

// The last two caps that were violated in a round, newest first.
typedef struct CapPair {
    Cap cap[2];
    lanes count;
} CapPair;

LANES_INLINE lanes3 onto_sphere(const LinkSphere *sphere, lanes3 p) {
    lanes length;
    lanes3 direction = direction3(sub3(p, sphere->centre), &length);
    direction.y = select_lanes(more(length, splat(1e-9f)), direction.y, splat(-1.0f));
    return mad3(sphere->centre, direction, sphere->radius);
}

// p = q + u h + e sqrt(L^2 - h^2) / |e|; q + L u where the plane does not meet the sphere.
LANES_INLINE lanes3 onto_cap(const LinkSphere *sphere, const Cap *cap, lanes3 p) {
    lanes3 r = sub3(p, sphere->centre);
    lanes3 e = mad3(r, cap->u, -dot3(r, cap->u));
    lanes length = length3(e);
    mask beside = less(length, splat(1e-7f));
    e = select3(beside, perpendicular3(cap->u), e);
    length = select_lanes(beside, length3(e), length);
    lanes h = minimum(cap->h, sphere->radius);
    lanes ring = square_root(maximum(sphere->radius * sphere->radius - h * h, (lanes){0}));
    return mad3(mad3(sphere->centre, cap->u, h), e, ring / length);
}

// On both caps: p = q + a u1 + b u2 +- sqrt(L^2 - |a u1 + b u2|^2) (u1 x u2)/|u1 x u2|, with the sign
// nearer to the old p. If the circles do not cross on the sphere, p stays.
LANES_INLINE lanes3 onto_both(const LinkSphere *sphere, const CapPair *pair, lanes3 p) {
    const Cap *one = &pair->cap[0], *two = &pair->cap[1];
    lanes c = dot3(one->u, two->u);
    lanes determinant = 1.0f - c * c;
    lanes inverse = 1.0f / maximum(determinant, splat(1e-9f));
    lanes a = (one->h - c * two->h) * inverse, b = (two->h - c * one->h) * inverse;
    lanes3 base = mad3(scale3(one->u, a), two->u, b);
    lanes rest = sphere->radius * sphere->radius - dot3(base, base);
    lanes length;
    lanes3 along = direction3(cross3(one->u, two->u), &length);
    lanes side = with_sign_of(square_root(maximum(rest, (lanes){0})), dot3(sub3(p, sphere->centre), along));
    mask crosses = more(determinant, splat(1e-6f)) & ~less(rest, (lanes){0}) & more(pair->count, splat(1.5f));
    return select3(crosses, mad3(add3(sphere->centre, base), along, side), p);
}

LANES_INLINE void remember(CapPair *pair, const Cap *cap, mask violated) {
    pair->cap[1].u = select3(violated, pair->cap[0].u, pair->cap[1].u);
    pair->cap[1].h = select_lanes(violated, pair->cap[0].h, pair->cap[1].h);
    pair->cap[0].u = select3(violated, cap->u, pair->cap[0].u);
    pair->cap[0].h = select_lanes(violated, cap->h, pair->cap[0].h);
    pair->count += select_lanes(violated, splat(1.0f), (lanes){0});
}

// D = |o - q|, u = (o - q) / D, h = (L^2 + D^2 - R^2) / (2 D): a ball of radius R about o cuts the link's
// sphere in a cap.
LANES_INLINE Cap ball_cap(const LinkSphere *sphere, lanes3 middle, lanes radius) {
    lanes distance;
    Cap cap;
    cap.u = direction3(sub3(middle, sphere->centre), &distance);
    lanes numerator = sphere->radius * sphere->radius + distance * distance - radius * radius;
    cap.h = select_lanes(more(distance, splat(1e-6f)), numerator / (2.0f * maximum(distance, splat(1e-6f))),
                         -sphere->radius);
    return cap;
}
