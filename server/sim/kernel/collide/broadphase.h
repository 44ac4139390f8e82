// Broad phase: finds the colliders that a stretch of cloth may touch. A ball about the stretch is tested
// once against every collider; points inside the ball then test only the colliders that reach into it. The
// skipped colliders cannot touch the points, so results are identical to the bit.
//
// Stretches of a grid keep which colliders reach into a larger ball before the tick ends. Only these are
// tested again until the stretch leaves that ball.
#pragma once

#include "kernel/collide/shapes.h"

#include <string.h>

#define NEAR_RUN    SIM_STRETCH // particles of a row in one stretch
#define NEAR_FEWEST 3           // with fewer colliders all are tested
#define NEAR_MOST   24          // colliders in a list; if more are near, all are tested
#define NEAR_KEPT   32          // colliders that a stretch keeps; those after them are always tested
#define NEAR_MOTION 0.02f       // m that a stretch may move before all colliders are tested again
#define NEAR_SLACK  0.005f // m around the stretch, for the motion of pushed particles; far above rounding

typedef struct NearColliders {
    lanes3 centre;
    lanes radius_square;       // m^2, of the ball
    lanes reach, reach_square; // m: its radius and the cloth's thickness
    const lanes *moves;        // [NEAR_KEPT] m that colliders move until the tick ends, at most
    int count;                 // -1: all
    int colliders[NEAR_MOST];
} NearColliders;

// Iterates over the colliders of a list, or over all if the list is NULL.
typedef struct NearIterator {
    const int *list;
    int count, next;
} NearIterator;

// The end of the stretch that begins at a particle.
LANES_INLINE int stretch_end(const SimTopology *topology, int first) {
    int line = sim_stretch_line(topology);
    int line_end = (first / line + 1) * line;
    return first + NEAR_RUN < line_end ? first + NEAR_RUN : line_end;
}

// Returns true if the ball may touch the collider in any lane. Ellipsoid: the plane across the gradient y
// / e^2 at the centre, moved to touch the ellipsoid, is (s - sqrt s) / |y / e^2| away, s = |y / e|^2.
// Cone: the capsule of its larger radius.
static bool reaches(const SimKernelCollider *collider, const SimLanesPose *pose, const NearColliders *near) {
    lanes3 r = sub3(near->centre, in_lanes3(pose->column[3]));
    mask apart;
    if (collider->shape == SIM_KERNEL_ELLIPSOID) {
        lanes3 unit = in_units(collider, rotate_back3(pose, r)), gradient = in_units(collider, unit);
        lanes s = dot3(unit, unit), beyond = s - square_root(s);
        apart =
            more(beyond, (lanes){0}) & more(beyond * beyond, near->reach_square * dot3(gradient, gradient));
    } else if (collider->shape == SIM_KERNEL_CONE) {
        lanes3 axis = in_lanes3(pose->column[1]);
        lanes along = minimum(maximum(dot3(r, axis), (lanes){0}), splat(collider->length));
        lanes3 across = mad3(r, axis, -along);
        lanes sum = near->reach + collider->radius;
        apart = more(dot3(across, across), sum * sum);
    } else {
        apart = more(dot3(r, in_lanes3(pose->column[1])), near->reach);
    }
    return any(~apart);
}

LANES_INLINE void set_radius(const SimKernelJob *job, lanes square, NearColliders *near) {
    lanes radius = square_root(square) + NEAR_SLACK;
    near->radius_square = radius * radius;
    near->reach = radius + in_lanes(job->fabric->thickness);
    if (job->topology->thickness_scaled)
        near->reach = radius + in_lanes(job->fabric->thickness) * job->topology->most_thickness_scaled +
                      job->topology->most_thickness_fixed;
    near->reach_square = near->reach * near->reach;
}

#ifndef SIM_ALONE

// The ball about the particles from first to end; end is included if it is in the same row. With `below`
// the ball also holds as many particles of the next row.
static void find_ball(const SimKernelJob *job, int first, int end, bool below, NearColliders *near) {
    const SimTopology *topology = job->topology;
    const lanes3 *x = job->state->position;
    int columns = topology->columns, width = end - first;
    if (below && end % columns != 0) width++;
    int rows = below && first + columns + width <= topology->particle_count ? 2 : 1;
    near->centre = zero3();
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < width; i++) near->centre = add3(near->centre, x[first + row * columns + i]);
    near->centre = scale3(near->centre, splat(1.0f / (float)(rows * width)));
    lanes square = {0};
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < width; i++) {
            lanes3 r = sub3(x[first + row * columns + i], near->centre);
            square = maximum(square, dot3(r, r));
        }
    set_radius(job, square, near);
}

// The ball about some particles.
static inline void find_ball_about(const SimKernelJob *job, const int *particles, int count,
                                   NearColliders *near) {
    const lanes3 *x = job->state->position;
    near->centre = zero3();
    for (int i = 0; i < count; i++) near->centre = add3(near->centre, x[particles[i]]);
    near->centre = scale3(near->centre, splat(1.0f / (float)count));
    lanes square = {0};
    for (int i = 0; i < count; i++) {
        lanes3 r = sub3(x[particles[i]], near->centre);
        square = maximum(square, dot3(r, r));
    }
    set_radius(job, square, near);
}

#endif

// Forgets what stretches have kept: colliders or cloth are elsewhere.
LANES_INLINE void forget_near(const SimKernelJob *job) {
    for (int i = 0; i < sim_stretch_count(job->topology); i++) job->state->near[i].reach = (SimLanes){0};
}

// Finds those of the candidates, a bit each, that reach into the ball.
LANES_INLINE void list_near(const SimKernelJob *job, const SimSubstep *substep,
                            const SimKernelCollider *colliders, uint32_t candidates, NearColliders *near) {
    const int count = job->topology->collider_count;
    for (int i = 0; i < count && near->count >= 0; i++) {
        if (i < NEAR_KEPT && !(candidates >> i & 1)) continue;
        if (!reaches(&colliders[i], &substep->colliders[colliders[i].pose].pose, near)) continue;
        if (near->count == NEAR_MOST)
            near->count = -1;
        else
            near->colliders[near->count++] = i;
    }
}

#ifdef SIM_ALONE

#define NEAR_EACH 0.02f // m that a particle may be moved before all colliders are tested

// Finds the colliders that reach into a ball about any lane's particle.
LANES_INLINE void find_near_each(const SimKernelJob *job, const SimSubstep *substep,
                                 const SimKernelCollider *colliders, places particle, NearColliders *near) {
    near->count = job->topology->collider_count < NEAR_FEWEST ? -1 : 0;
    if (near->count < 0) return;
    near->centre = own3(job->state->position, particle);
    set_radius(job, splat(NEAR_EACH * NEAR_EACH), near);
    list_near(job, substep, colliders, UINT32_MAX, near);
}

#else

// How far the surfaces of colliders move after a substep until the tick ends, at most: a + b <= sqrt(2 (a^2 +
// b^2)) for shift and turn.
static void find_moves(const SimKernelJob *job, int substep, lanes out_moves[NEAR_KEPT]) {
    const SimTopology *topology = job->topology;
    for (int i = 0; i < topology->collider_count && i < NEAR_KEPT; i++) {
        const SimKernelCollider *collider = &topology->virtual_colliders[i];
        const float *e = collider->radii;
        const float extent = collider->shape == SIM_KERNEL_CONE ? collider->length + collider->radius
                                                                : fmaxf(fmaxf(e[0], e[1]), e[2]);
        out_moves[i] = (lanes){0};
        for (int s = substep + 1; s < job->substep_count; s++) {
            const SimColliderPose *pose = &job->substeps[s].colliders[collider->pose];
            const lanes turn = dot3(pose->spin, pose->spin) * (extent * extent);
            out_moves[i] += square_root(2.0f * (dot3(pose->velocity, pose->velocity) + turn)) * job->h;
        }
    }
}

// Whether only colliders that the stretch keeps can reach into the ball.
LANES_INLINE bool is_in_kept(const SimNearBall *kept, const NearColliders *near) {
    const lanes3 r = sub3(near->centre, kept->centre);
    const lanes room = kept->reach - near->reach;
    return !any(~(more(room, (lanes){0}) & less(dot3(r, r), room * room)));
}

// Planes are always kept: they have no surface that ends.
static void keep_near(const SimKernelJob *job, const SimSubstep *substep, const NearColliders *near,
                      SimNearBall *kept) {
    const SimTopology *topology = job->topology;
    NearColliders wide = {.centre = near->centre};
    uint32_t colliders = 0;
    for (int i = 0; i < topology->collider_count && i < NEAR_KEPT; i++) {
        const SimKernelCollider *collider = &topology->virtual_colliders[i];
        wide.reach = near->reach + NEAR_MOTION + near->moves[i];
        wide.reach_square = wide.reach * wide.reach;
        if (collider->shape == SIM_KERNEL_PLANE ||
            reaches(collider, &substep->colliders[collider->pose].pose, &wide))
            colliders |= (uint32_t)1 << i;
    }
    kept->centre = near->centre;
    kept->reach = near->reach + NEAR_MOTION;
    memcpy(&kept->colliders, &colliders, sizeof colliders);
}

// Finds the colliders that reach into the ball about a stretch, or a part of it. With `below` the ball also
// holds as many particles of the next row, and the stretch keeps what is found.
static void find_near(const SimKernelJob *job, const SimSubstep *substep, const SimKernelCollider *colliders,
                      int first, int end, bool below, NearColliders *near) {
    near->count = job->topology->collider_count < NEAR_FEWEST ? -1 : 0;
    if (near->count < 0) return;
    find_ball(job, first, end, below, near);
    SimNearBall *kept = &job->state->near[sim_stretch_of(job->topology, first)];
    uint32_t candidates = UINT32_MAX;
    bool is_kept = is_in_kept(kept, near);
    if (!is_kept && below) {
        keep_near(job, substep, near, kept);
        is_kept = true;
    }
    if (is_kept) memcpy(&candidates, &kept->colliders, sizeof candidates);
    list_near(job, substep, colliders, candidates, near);
}

// The same about some particles.
static inline void find_near_about(const SimKernelJob *job, const SimSubstep *substep,
                                   const SimKernelCollider *colliders, const int *particles, int count,
                                   NearColliders *near) {
    near->count = job->topology->collider_count < NEAR_FEWEST ? -1 : 0;
    if (near->count < 0) return;
    find_ball_about(job, particles, count, near);
    list_near(job, substep, colliders, UINT32_MAX, near);
}

#endif

LANES_INLINE bool is_in_ball(const NearColliders *near, lanes3 p) {
    lanes3 r = sub3(p, near->centre);
    return !any(~less(dot3(r, r), near->radius_square));
}

// Starts with the colliders that a point may touch.
LANES_INLINE NearIterator iterate_near(const SimTopology *topology, const NearColliders *near, lanes3 p) {
    if (near->count >= 0 && is_in_ball(near, p)) return (NearIterator){near->colliders, near->count, 0};
    return (NearIterator){NULL, topology->collider_count, 0};
}

// The next collider's index, or -1.
LANES_INLINE int next_near(NearIterator *iterator) {
    if (iterator->next == iterator->count) return -1;
    int i = iterator->next++;
    return iterator->list ? iterator->list[i] : i;
}

// Call after a collider pushed the point. Outside of the ball, all following colliders are tested.
LANES_INLINE void widen_if_outside(NearIterator *iterator, const SimTopology *topology,
                                   const NearColliders *near, int collider, lanes3 p) {
    if (iterator->list && !is_in_ball(near, p))
        *iterator = (NearIterator){NULL, topology->collider_count, collider + 1};
}
