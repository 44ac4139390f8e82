// A particle in the fused pass: puts it on the sphere of the link to its upper neighbour and, on that sphere,
// out of the colliders and within its max distance. Each of these constraints is a cap of the sphere.
#pragma once

#include "kernel/collide/backstop.h"
#include "kernel/collide/caps.h"
#include "kernel/collide/contact.h"
#include "kernel/collide/max_distance.h"

#define CONFLICT_TOLERANCE 1e-5f // m

LANES_INLINE lanes3 into_max_distance(const SimKernelJob *job, const LinkSphere *sphere, places particle,
                                      lanes3 p, CapPair *pair) {
    if (!job->topology->has_max_distance) return p;
    Cap cap = ball_cap(sphere, own3(job->state->reference, particle), max_distance(job, particle));
    mask violated = less(dot3(sub3(p, sphere->centre), cap.u), cap.h - CAP_TOLERANCE);
    if (!any(violated)) return p;
    remember(pair, &cap, violated);
    return select3(violated, onto_cap(sphere, &cap, p), p);
}

// Few particles reach the limit; only those need the cap.
LANES_INLINE lanes3 into_weft_limit(const LinkSphere *sphere, lanes3 p, CapPair *pair) {
    const WeftLimit *weft_limit = &sphere->weft_limit;
    lanes3 way = sub3(p, weft_limit->end);
    mask taut = more(dot3(way, way), weft_limit->length * weft_limit->length);
    if (!sphere->has_weft_limit || !any(taut)) return p;
    Cap cap = ball_cap(sphere, weft_limit->end, weft_limit->length);
    mask violated = taut & less(dot3(sub3(p, sphere->centre), cap.u), cap.h - CAP_TOLERANCE);
    if (!any(violated)) return p;
    remember(pair, &cap, violated);
    return select3(violated, onto_cap(sphere, &cap, p), p);
}

// The angle limit cuts the link's sphere in a cap: (x - q) . axis >= L cos.
LANES_INLINE lanes3 into_cone(const LinkSphere *sphere, lanes3 p, CapPair *pair) {
    if (!sphere->cone) return p;
    Cap cap = {sphere->cone->axis, sphere->radius * sphere->cone->cosine};
    mask violated = less(dot3(sub3(p, sphere->centre), cap.u), cap.h - 1e-7f * sphere->radius) &
                    more(dot3(cap.u, cap.u), splat(0.5f));
    if (!any(violated)) return p;
    remember(pair, &cap, violated);
    return select3(violated, onto_cap(sphere, &cap, p), p);
}

LANES_INLINE lanes3 out_of_colliders(const SimKernelJob *job, const SimSubstep *substep,
                                     const NearColliders *near, const LinkSphere *sphere, places particle,
                                     lanes3 p, CapPair *pair) {
    const SimTopology *topology = job->topology;
    NearIterator iterator = iterate_near(topology, near, p);
    for (int i; (i = next_near(&iterator)) >= 0;) {
        const SimKernelCollider *collider = &topology->colliders[i];
        const SimLanesPose *pose = &substep->colliders[collider->pose].pose;
        HalfSpace half;
        if (!half_space(collider, pose, &p, sphere->thickness, topology->alan_wake_collision, &half))
            continue;
        Cap cap = {half.normal,
                   half.offset - dot3(sub3(sphere->centre, in_lanes3(pose->column[3])), half.normal)};
        mask violated = half.inside & less(dot3(sub3(p, sphere->centre), cap.u), cap.h - CAP_TOLERANCE);
        violated &= sphere->active; // only active lanes note contacts
        if (!any(violated)) continue;
        remember(pair, &cap, violated);
        p = apply_friction(job, substep, particle, i, violated, cap.u,
                           cap.h - dot3(sub3(p, sphere->centre), cap.u), p);
        p = select3(violated, onto_cap(sphere, &cap, p), p);
        note_contact(job, substep, particle, i, violated, cap.u, p);
        widen_if_outside(&iterator, topology, near, i, p);
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

// Largest depth of p in a collider, m; 0 outside.
LANES_INLINE lanes deepest(const SimKernelJob *job, const SimSubstep *substep, const NearColliders *near,
                           lanes3 p) {
    const SimTopology *topology = job->topology;
    lanes deepest = (lanes){0};
    NearIterator iterator = iterate_near(topology, near, p);
    for (int i; (i = next_near(&iterator)) >= 0;) {
        const SimKernelCollider *collider = &topology->colliders[i];
        const SimLanesPose *pose = &substep->colliders[collider->pose].pose;
        HalfSpace half;
        if (!half_space(collider, pose, &p, (lanes){0}, topology->alan_wake_collision, &half)) continue;
        lanes depth = half.offset - dot3(sub3(p, in_lanes3(pose->column[3])), half.normal);
        deepest = select_lanes(half.inside, maximum(deepest, depth), deepest);
    }
    return deepest;
}

// Lanes in which p is too deep in a collider, beyond the angle limit or beyond the max distance.
LANES_INLINE mask unsolved(const SimKernelJob *job, const SimSubstep *substep, const NearColliders *near,
                           const LinkSphere *sphere, places particle, lanes3 p) {
    return beyond_cone(sphere, p) | more(deepest(job, substep, near, p), splat(CONFLICT_TOLERANCE)) |
           more(beyond_distance(job, particle, p), splat(CONFLICT_TOLERANCE));
}

// Three rounds over all caps. From the second round on, the last two violated caps are solved together.
static void solve_caps(const SimKernelJob *job, const SimSubstep *substep, const NearColliders *near,
                       const LinkSphere *sphere, places particle, bool distances, lanes3 *point) {
    lanes3 p = *point;
    for (int round = 0; round < 3; round++) {
        CapPair pair = {.count = (lanes){0}};
        pair.cap[0] = pair.cap[1] = (Cap){zero3(), (lanes){0}};
        p = into_weft_limit(sphere, p, &pair);
        if (distances) p = into_max_distance(job, sphere, particle, p, &pair);
        p = into_cone(sphere, p, &pair);
        p = before_backstop(job, sphere, particle, p, &pair);
        p = out_of_colliders(job, substep, near, sphere, particle, p, &pair);
        if (round > 0 && any(more(pair.count, splat(1.5f)))) p = onto_both(sphere, &pair, p);
        if (!any(more(pair.count, splat(0.5f)))) break;
    }
    *point = onto_sphere(sphere, p);
}

// The sphere about the particle above. A link with a limit keeps its present length, clamped to the limit.
LANES_INLINE LinkSphere link_sphere_below(const SimKernelJob *job, places upper, places particle,
                                          places link) {
    const lanes3 centre = own3(job->state->position, upper);
    lanes length = wide_at(job->topology->column_length, link);
    lanes limit = in_lanes(job->fabric->limit);
    lanes present = length3(sub3(own3(job->state->position, particle), centre));
    lanes soft = minimum(maximum(present, length * job->fabric->shortest), length * (1.0f + limit));
    return (LinkSphere){.centre = centre,
                        .radius = select_lanes(more(limit, (lanes){0}), soft, length),
                        .thickness = thickness_at(job, particle),
                        .active = ~(mask){0}};
}

LANES_INLINE LinkSphere link_sphere(const SimKernelJob *job, places particle, places link) {
    return link_sphere_below(job, particle - job->topology->columns, particle, link);
}

// Rank of the violated constraints, 0 if none. Collision outranks the angle limit, which outranks max
// distance: each weighs more than the lower ones together.
LANES_INLINE lanes violation_rank(const SimKernelJob *job, const SimSubstep *substep,
                                  const NearColliders *near, const LinkSphere *sphere, places particle,
                                  lanes3 p) {
    mask deep = more(deepest(job, substep, near, p), splat(CONFLICT_TOLERANCE));
    mask far = more(beyond_distance(job, particle, p), splat(CONFLICT_TOLERANCE));
    return select_lanes(deep, splat(4.0f), (lanes){0}) +
           select_lanes(beyond_cone(sphere, p), splat(2.0f), (lanes){0}) +
           select_lanes(far, splat(1.0f), (lanes){0});
}

// Searches the link's sphere for a point that breaks fewer constraints: towards the reference and to both
// sides, then without max distance, last without the angle limit. Keeps the best point and clears `stuck`
// in lanes where nothing is broken.
static void search_sphere(const SimKernelJob *job, const SimSubstep *substep, const NearColliders *near,
                          LinkSphere *sphere, places particle, mask *stuck, lanes3 *point) {
    lanes length;
    const lanes3 here = direction3(sub3(*point, sphere->centre), &length);
    const lanes3 there = direction3(sub3(own3(job->state->reference, particle), sphere->centre), &length);
    const lanes3 aside = direction3(cross3(here, there), &length);
    const struct {
        lanes3 way;
        bool distances, cone;
    } attempts[] = {{here, false, true},
                    {add3(here, there), true, true},
                    {there, true, true},
                    {add3(there, aside), true, true},
                    {sub3(there, aside), true, true},
                    {there, false, true},
                    {aside, false, true},
                    {scale3(aside, splat(-1.0f)), false, true},
                    {scale3(here, splat(-1.0f)), false, true},
                    {here, false, false}};
    const Cone *cone = sphere->cone;
    const int count = (int)(sizeof attempts / sizeof attempts[0]) - (cone ? 0 : 1);
    lanes least = select_lanes(*stuck, splat(HUGE_VALF), (lanes){0});
    for (int i = 0; i < count && any(more(least, (lanes){0})); i++) {
        lanes3 p = onto_sphere(sphere, add3(sphere->centre, attempts[i].way));
        sphere->active = more(least, (lanes){0});
        sphere->cone = attempts[i].cone ? cone : NULL;
        solve_caps(job, substep, near, sphere, particle, attempts[i].distances, &p);
        sphere->cone = cone;
        lanes left = violation_rank(job, substep, near, sphere, particle, p);
        mask better = sphere->active & less(left, least);
        *point = select3(better, p, *point);
        least = select_lanes(better, left, least);
    }
    *stuck = more(least, (lanes){0});
}

// Solves the lanes in `stuck` once more from the start, after a constraint was dropped. Returns those that
// are still stuck.
LANES_INLINE mask solve_again(const SimKernelJob *job, const SimSubstep *substep, const NearColliders *near,
                              LinkSphere *sphere, places particle, mask stuck, lanes3 start, lanes3 *point) {
    lanes3 loose = start;
    sphere->active = stuck;
    solve_caps(job, substep, near, sphere, particle, true, &loose);
    *point = select3(stuck, loose, *point);
    return unsolved(job, substep, near, sphere, particle, *point);
}

// Length outranks all other constraints. Where they cannot all hold, the cloth is first taken as thin, then
// loses its weft limit; if the others still cannot hold together, the particle stops.
LANES_INLINE void fused_particle(const SimKernelJob *job, const SimSubstep *substep,
                                 const NearColliders *near, places particle, LinkSphere *sphere) {
    SimGarmentState *state = job->state;
    const lanes3 start = onto_sphere(sphere, own3(state->position, particle));
    lanes3 p = start;
    if (job->topology->alan_wake_hard) {
        set3(state->position, particle, p);
        return;
    }
    solve_caps(job, substep, near, sphere, particle, true, &p);
    mask stuck = unsolved(job, substep, near, sphere, particle, p);
    if (any(stuck & more(sphere->thickness, (lanes){0}))) {
        sphere->thickness = (lanes){0};
        stuck = solve_again(job, substep, near, sphere, particle, stuck, start, &p);
    }
    if (sphere->has_weft_limit && any(stuck)) {
        sphere->has_weft_limit = false;
        stuck = solve_again(job, substep, near, sphere, particle, stuck, start, &p);
    }
    stuck &= ~stays_mask(job, particle);
    if (any(stuck)) {
        mask conflict = stuck;
        search_sphere(job, substep, near, sphere, particle, &conflict, &p);
        *state->conflicts += count_places(conflict, particle);
        // The correction adds no speed: v + (x - predicted) / h = 0.
        set3(state->velocity, particle, select3(stuck, zero3(), own3(state->velocity, particle)));
        set3(state->predicted, particle, select3(stuck, p, own3(state->predicted, particle)));
    }
    if (job->stays) p = select3(stays_mask(job, particle), own3(state->position, particle), p);
    set3(state->position, particle, p);
}
