// The fused pass, top-down: each particle goes onto the sphere of its link about its upper neighbour and,
// staying there, out of the colliders and within its max distance. Both are half-spaces to a point of the
// sphere, so each has an exact nearest point (a cap), and two together have one as well (where their circles
// cross).
#pragma once

#include "kernel/contact.h"

#include <stddef.h>

// A link's directions: the angle to the axis has this cosine at least. An axis of 0 holds all directions.
typedef struct Cone {
    lanes3 axis;
    float cosine, sine;
} Cone;

// The sphere of a link: its centre and radius; p lies on it.
typedef struct LinkSphere {
    lanes3 centre;
    lanes radius;
    const Cone *cone; // NULL: none
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

// Both at once: p = q + a u1 + b u2 +- sqrt(L^2 - |a u1 + b u2|^2) (u1 x u2)/|u1 x u2|, the sign nearer the
// old p. Where they don't cross on the sphere p stays.
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

// D = |ref - q|, u = (ref - q) / D, h = (L^2 + D^2 - R^2) / (2 D): the sphere of max distance cuts the link's
// in a cap.
LANES_INLINE Cap distance_cap(const LinkSphere *sphere, lanes3 reference, lanes limit) {
    lanes distance;
    Cap cap;
    cap.u = direction3(sub3(reference, sphere->centre), &distance);
    lanes numerator = sphere->radius * sphere->radius + distance * distance - limit * limit;
    cap.h = select_lanes(more(distance, splat(1e-6f)), numerator / (2.0f * maximum(distance, splat(1e-6f))),
                         -sphere->radius);
    return cap;
}

LANES_INLINE lanes max_distance(const SimKernelJob *job, int particle) {
    const SimTopology *topology = job->topology;
    lanes limit = topology->max_distance_fixed[particle] +
                  topology->max_distance_scaled[particle] * job->fabric->max_distance;
    return by_edge(topology, particle, limit, limit * job->fabric->max_distance_edge);
}

// Tolerance of the caps in metres: half of what counts as a conflict's tenth; keeps a particle that was put
// onto a plane from being found behind it by a rounding error.
#define CAP_TOLERANCE      2e-7f
#define CONFLICT_TOLERANCE 1e-5f

LANES_INLINE lanes3 into_max_distance(const SimKernelJob *job, const LinkSphere *sphere, int particle,
                                      lanes3 p, CapPair *pair) {
    if (!job->topology->has_max_distance) return p;
    Cap cap = distance_cap(sphere, job->state->reference[particle], max_distance(job, particle));
    mask violated = less(dot3(sub3(p, sphere->centre), cap.u), cap.h - CAP_TOLERANCE);
    if (!any(violated)) return p;
    remember(pair, &cap, violated);
    return select3(violated, onto_cap(sphere, &cap, p), p);
}

// The angle limit cuts the link's sphere in a cap, too: (x - q) . axis >= L cos.
LANES_INLINE lanes3 into_cone(const LinkSphere *sphere, lanes3 p, CapPair *pair) {
    if (!sphere->cone) return p;
    Cap cap = {sphere->cone->axis, sphere->radius * sphere->cone->cosine};
    mask violated = less(dot3(sub3(p, sphere->centre), cap.u), cap.h - 1e-7f * sphere->radius) &
                    more(dot3(cap.u, cap.u), splat(0.5f));
    if (!any(violated)) return p;
    remember(pair, &cap, violated);
    return select3(violated, onto_cap(sphere, &cap, p), p);
}

LANES_INLINE lanes3 out_of_colliders(const SimKernelJob *job, const SimSubstep *substep, const Near *near,
                                     const LinkSphere *sphere, int particle, lanes3 p, CapPair *pair) {
    const SimTopology *topology = job->topology;
    Walk walk = walk_near(topology, near, p);
    for (int i; (i = walk_on(&walk)) >= 0;) {
        const SimKernelCollider *collider = &topology->colliders[i];
        const SimLanesPose *pose = &substep->colliders[collider->pose].pose;
        HalfSpace half;
        if (!half_space(collider, pose, &p, topology->article_collision, &half)) continue;
        Cap cap = {half.normal, half.offset - dot3(sub3(sphere->centre, pose->column[3]), half.normal)};
        mask violated = half.inside & less(dot3(sub3(p, sphere->centre), cap.u), cap.h - CAP_TOLERANCE);
        if (!any(violated)) continue;
        remember(pair, &cap, violated);
        p = rub(job, substep, particle, i, violated, cap.u, cap.h - dot3(sub3(p, sphere->centre), cap.u), p);
        p = select3(violated, onto_cap(sphere, &cap, p), p);
        note_contact(job, substep, particle, i, violated, p);
        walk_moved(&walk, topology, near, i, p);
    }
    return p;
}

// Lanes in which p is beyond the angle limit by more than 0.06 degrees.
LANES_INLINE mask beyond_cone(const LinkSphere *sphere, lanes3 p) {
    const Cone *cone = sphere->cone;
    if (!cone) return (mask){0};
    lanes least = sphere->radius * (cone->cosine - 1e-3f * cone->sine - 5e-7f);
    return less(dot3(sub3(p, sphere->centre), cone->axis), least) &
           more(dot3(cone->axis, cone->axis), splat(0.5f));
}

// Lanes in which p is still too deep, beyond the angle limit or too far from its reference.
LANES_INLINE mask unsolved(const SimKernelJob *job, const SimSubstep *substep, const Near *near,
                           const LinkSphere *sphere, int particle, bool distances, lanes3 p) {
    const SimTopology *topology = job->topology;
    mask unsolved = beyond_cone(sphere, p);
    Walk walk = walk_near(topology, near, p);
    for (int i; (i = walk_on(&walk)) >= 0;) {
        const SimKernelCollider *collider = &topology->colliders[i];
        const SimLanesPose *pose = &substep->colliders[collider->pose].pose;
        HalfSpace half;
        if (!half_space(collider, pose, &p, topology->article_collision, &half)) continue;
        lanes depth = half.offset - dot3(sub3(p, pose->column[3]), half.normal);
        unsolved |= half.inside & more(depth, splat(CONFLICT_TOLERANCE));
    }
    if (topology->has_max_distance && distances) {
        lanes distance = length3(sub3(p, job->state->reference[particle]));
        unsolved |= more(distance, max_distance(job, particle) + CONFLICT_TOLERANCE);
    }
    return unsolved;
}

// Rounds over all half-spaces; from the second on, two that were violated are taken both exactly.
static void solve_caps(const SimKernelJob *job, const SimSubstep *substep, const Near *near,
                       const LinkSphere *sphere, int particle, bool distances, lanes3 *point) {
    lanes3 p = *point;
    for (int round = 0; round < 3; round++) {
        CapPair pair = {.count = (lanes){0}};
        pair.cap[0] = pair.cap[1] = (Cap){zero3(), (lanes){0}};
        if (distances) p = into_max_distance(job, sphere, particle, p, &pair);
        p = into_cone(sphere, p, &pair);
        p = out_of_colliders(job, substep, near, sphere, particle, p, &pair);
        if (round > 0 && any(more(pair.count, splat(1.5f)))) p = onto_both(sphere, &pair, p);
        if (!any(more(pair.count, splat(0.5f)))) break;
    }
    *point = onto_sphere(sphere, p);
}

// About the particle above. A garment without hard constraints keeps the length it has, within its limit.
LANES_INLINE LinkSphere link_sphere(const SimKernelJob *job, int particle, int link) {
    const lanes3 *x = job->state->position;
    int upper = particle - job->topology->columns;
    lanes length = wide(job->topology->column_length[link]);
    lanes limit = job->fabric->limit;
    lanes present = length3(sub3(x[particle], x[upper]));
    lanes soft = minimum(maximum(present, length * (1.0f - limit)), length * (1.0f + limit));
    return (LinkSphere){x[upper], select_lanes(more(limit, (lanes){0}), soft, length), NULL};
}

// Length wins over collision, collision over the angle limit, that over max distance; where they cannot hold
// together the particle stops.
LANES_INLINE void fused_particle(const SimKernelJob *job, const SimSubstep *substep, const Near *near,
                                 int particle, int link, const Cone *cone) {
    const SimTopology *topology = job->topology;
    SimGarmentState *state = job->state;
    LinkSphere sphere = link_sphere(job, particle, link);
    sphere.cone = cone;
    lanes3 p = onto_sphere(&sphere, state->position[particle]);
    if (topology->article_hard) {
        state->position[particle] = p;
        return;
    }
    solve_caps(job, substep, near, &sphere, particle, true, &p);
    mask conflict = unsolved(job, substep, near, &sphere, particle, true, p);
    if (any(conflict)) {
        lanes3 without = p;
        solve_caps(job, substep, near, &sphere, particle, false, &without);
        if (cone) {
            mask narrow = unsolved(job, substep, near, &sphere, particle, false, without);
            lanes3 free = p;
            sphere.cone = NULL;
            solve_caps(job, substep, near, &sphere, particle, false, &free);
            without = select3(narrow, free, without);
        }
        p = select3(conflict, without, p);
        *state->conflicts += select_lanes(conflict, splat(1.0f), (lanes){0});
        // No correction may show as speed: v + (x - predicted) / h = 0.
        state->velocity[particle] = select3(conflict, zero3(), state->velocity[particle]);
        state->predicted[particle] = select3(conflict, p, state->predicted[particle]);
    }
    state->position[particle] = p;
}

static void fused_pass(const SimKernelJob *job, int index) {
    const SimSubstep *substep = &job->substeps[index];
    const SimTopology *topology = job->topology;
    Near near = {.count = -1};
    for (int first = topology->columns, end; first < topology->particle_count; first = end) {
        end = stretch_end(topology, first);
        if (!topology->article_hard) find_near(job, substep, topology->colliders, first, end, false, &near);
        for (int particle = first; particle < end; particle++)
            if (!topology->pinned[particle])
                fused_particle(job, substep, &near, particle, particle - topology->columns, NULL);
    }
}
