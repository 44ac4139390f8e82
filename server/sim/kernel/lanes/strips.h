// Access to numbers and particles of the topology. The text is the same for garments in lanes and a
// garment in strips, where the right neighbour of a strip's last column is the first column of the next
// lane.
#pragma once

#include "kernel/lanes/lanes.h"
#ifdef SIM_ALONE
#include "kernel/lanes/alone.h"
#endif

typedef SimShared shared;

#ifdef SIM_STRIPS

#define PART_LANES (NATIVE_BYTES / (int)sizeof(float))

// A part of the lanes rotated cyclically: lane i of the whole gets the value of lane i + by. It comes from
// at most two parts, each rotated within itself and then blended: these two instructions are faster than
// one shuffle of two parts, and a rotated part serves both of its destinations. `by` is a compile-time
// constant.
LANES_INLINE native turned_part(native here, native next, int by) {
    const int turn = by & (PART_LANES - 1);
#if defined(__clang__) // which has no shuffle by a variable
    native turned = here;
    for (int lane = 0; lane < PART_LANES; lane++)
        turned[lane] = lane + turn < PART_LANES ? here[lane + turn] : next[lane + turn - PART_LANES];
    return turned;
#else
    native_mask within = {0}, of_both = {0};
    for (int lane = 0; lane < PART_LANES; lane++) {
        within[lane] = (lane + turn) & (PART_LANES - 1);
        of_both[lane] = lane + turn < PART_LANES ? lane : lane + PART_LANES;
    }
    return __builtin_shuffle(__builtin_shuffle(here, within), __builtin_shuffle(next, within), of_both);
#endif
}

// The index of the first part from which a rotated part is made.
LANES_INLINE int turned_from(int part, int by) {
    return ((part * PART_LANES + by) & (SIM_WIDTH - 1)) / PART_LANES;
}

LANES_INLINE Parts3 turned3(const Parts3 *parts, int by) {
    Parts3 turned;
    for (int i = 0; i < NATIVES; i++) {
        const Part3 *here = &parts->part[turned_from(i, by)],
                    *next = &parts->part[(turned_from(i, by) + 1) % NATIVES];
        turned.part[i] = (Part3){turned_part(here->x, next->x, by), turned_part(here->y, next->y, by),
                                 turned_part(here->z, next->z, by)};
    }
    return turned;
}

LANES_INLINE native shared_part(const shared *value, int part, int by) {
    const native *parts = parts_of(value);
    if (by == 0) return parts[part];
    return turned_part(parts[turned_from(part, by)], parts[(turned_from(part, by) + 1) % NATIVES], by);
}

LANES_INLINE lanes rotated(lanes v, int by) {
    lanes result;
    for (int i = 0; i < NATIVES; i++) ((native *)&result)[i] = shared_part(&v, i, by);
    return result;
}

LANES_INLINE lanes3 rotated3(lanes3 v, int by) {
    return (lanes3){rotated(v.x, by), rotated(v.y, by), rotated(v.z, by)};
}

LANES_INLINE lanes wide(shared value) {
    return value;
}

// Prefetches data of a later link: a number for each strip is a cache line, and the nearest cache does not
// hold all of them.
LANES_INLINE void fetch(const shared *value) {
    __builtin_prefetch(value);
}

#define OWN(particle) ((particle) & ~(SIM_RIGHT | SIM_LEFT))

LANES_INLINE bool crosses_seam(int particle) {
    return particle >= SIM_RIGHT;
}

LANES_INLINE lanes at(const lanes *values, int particle) {
    const lanes value = values[OWN(particle)];
    return particle & SIM_RIGHT ? rotated(value, 1) : particle & SIM_LEFT ? rotated(value, -1) : value;
}

LANES_INLINE void put(lanes *values, int particle, lanes value) {
    values[OWN(particle)] = particle & SIM_RIGHT  ? rotated(value, -1)
                            : particle & SIM_LEFT ? rotated(value, 1)
                                                  : value;
}

LANES_INLINE shared shared_at(const shared *values, int particle) {
    return at(values, particle);
}

LANES_INLINE lanes3 at3(const lanes3 *values, int particle) {
    const lanes3 *value = &values[OWN(particle)];
    return particle & SIM_RIGHT ? rotated3(*value, 1) : particle & SIM_LEFT ? rotated3(*value, -1) : *value;
}

LANES_INLINE void put3(lanes3 *values, int particle, lanes3 value) {
    values[OWN(particle)] = particle & SIM_RIGHT  ? rotated3(value, -1)
                            : particle & SIM_LEFT ? rotated3(value, 1)
                                                  : value;
}

// Returns the value for inner particles or the one for edge particles. A neighbour column across a seam is
// never an edge where it exists.
LANES_INLINE lanes by_edge(const SimTopology *topology, int particle, lanes inner, lanes edge) {
    if (particle != OWN(particle)) return topology->edge[OWN(particle)] == SIM_EDGE_YES ? edge : inner;
    const mask first = {-1}, last = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1};
    switch (topology->edge[particle]) {
    case SIM_EDGE_YES:
        return edge;
    case SIM_EDGE_FIRST_STRIP:
        return select_lanes(first, edge, inner);
    case SIM_EDGE_LAST_STRIP:
        return select_lanes(last, edge, inner);
    default:
        return inner;
    }
}

// Lanes in which a point between these particles exists: an open garment has none to the right of its last
// strip.
LANES_INLINE mask exists_between(const SimTopology *topology, const int *particles, int count) {
    const mask last = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1};
    bool crosses = false;
    for (int i = 0; i < count; i++) crosses = crosses || particles[i] & SIM_RIGHT;
    return crosses && !topology->closed ? ~last : ~(mask){0};
}

#elif !defined(SIM_ALONE)

#define OWN(particle) (particle)

LANES_INLINE void fetch(const shared *value) {
    (void)value;
}
LANES_INLINE Parts3 turned3(const Parts3 *parts, int by) {
    (void)by;
    return *parts;
}
LANES_INLINE native shared_part(const shared *value, int part, int by) {
    (void)part, (void)by;
    return *value - (native){0};
}
LANES_INLINE bool crosses_seam(int particle) {
    (void)particle;
    return false;
}

LANES_INLINE lanes wide(shared value) {
    return splat(value);
}
LANES_INLINE shared shared_at(const shared *values, int particle) {
    return values[particle];
}
LANES_INLINE lanes at(const lanes *values, int particle) {
    return values[particle];
}
LANES_INLINE void put(lanes *values, int particle, lanes value) {
    values[particle] = value;
}
LANES_INLINE lanes3 at3(const lanes3 *values, int particle) {
    return values[particle];
}
LANES_INLINE void put3(lanes3 *values, int particle, lanes3 value) {
    values[particle] = value;
}
LANES_INLINE lanes by_edge(const SimTopology *topology, int particle, lanes inner, lanes edge) {
    return topology->edge[particle] ? edge : inner;
}
LANES_INLINE mask exists_between(const SimTopology *topology, const int *particles, int count) {
    (void)topology, (void)particles, (void)count;
    return ~(mask){0};
}

#endif

#ifndef SIM_ALONE

typedef SimVirtual Between;

// `free` in lanes in which the particle is not pinned, else `pinned`.
LANES_INLINE lanes3 if_free3(const SimTopology *topology, int particle, lanes3 free, lanes3 pinned) {
    return topology->pinned[OWN(particle)] ? pinned : free;
}
// 1 in each lane of the mask.
LANES_INLINE lanes count_places(mask m, int particle) {
    (void)particle;
    return select_lanes(m, splat(1.0f), (lanes){0});
}

// Whether two places differ, and a number if they do, else 0.
LANES_INLINE bool any_apart(int a, int b) {
    return a != b;
}
LANES_INLINE lanes where_apart(int a, int b, lanes value) {
    (void)a, (void)b;
    return value;
}

// Numbers of a particle that is in the strip itself.
LANES_INLINE lanes own(const lanes *values, int particle) {
    return values[particle];
}
LANES_INLINE void set(lanes *values, int particle, lanes value) {
    values[particle] = value;
}
LANES_INLINE lanes3 own3(const lanes3 *values, int particle) {
    return values[particle];
}
LANES_INLINE void set3(lanes3 *values, int particle, lanes3 value) {
    values[particle] = value;
}

LANES_INLINE shared own_shared(const shared *values, int particle) {
    return values[particle];
}
LANES_INLINE lanes wide_at(const shared *values, int index) {
    return wide(values[index]);
}
LANES_INLINE lanes3 wide3_at(shared (*const values)[3], int index) {
    return (lanes3){wide(values[index][0]), wide(values[index][1]), wide(values[index][2])};
}
LANES_INLINE lanes wide_there(const shared *values, int index) {
    return wide(shared_at(values, index));
}

// What is done to each particle is done batch by batch. A batch is a particle here, and as many as there are
// lanes in a garment alone; all or none of them are pinned.
LANES_INLINE int batch_count(const SimTopology *topology) {
    return topology->particle_count;
}
LANES_INLINE int batch(const SimTopology *topology, int index) {
    (void)topology;
    return index;
}
LANES_INLINE bool are_pinned(const SimTopology *topology, int particle) {
    return topology->pinned[particle];
}
// Batches of so many rows, columns or particles from the first on.
LANES_INLINE int batches_of(int count) {
    return count;
}
LANES_INLINE int batch_among(int count, int index) {
    (void)count;
    return index;
}
// The greatest and the sum of each garment; whether all of it is in the mask.
#ifdef SIM_STRIPS
LANES_INLINE lanes greatest(lanes a) {
    float most = a[0];
    for (int lane = 1; lane < SIM_WIDTH; lane++) most = a[lane] < most ? most : a[lane];
    return splat(most);
}
LANES_INLINE lanes summed(lanes a) {
    float sum = a[0];
    for (int lane = 1; lane < SIM_WIDTH; lane++) sum += a[lane];
    return splat(sum);
}
#else
LANES_INLINE lanes greatest(lanes a) {
    return a;
}
LANES_INLINE lanes summed(lanes a) {
    return a;
}
#endif
LANES_INLINE mask all_of(mask m) {
    return m;
}

#endif

LANES_INLINE lanes3 by_edge3(const SimTopology *topology, places particle, lanes3 inner, lanes3 edge) {
    return (lanes3){by_edge(topology, particle, inner.x, edge.x),
                    by_edge(topology, particle, inner.y, edge.y),
                    by_edge(topology, particle, inner.z, edge.z)};
}

LANES_INLINE LanesPose pose_by_edge(const SimTopology *topology, places particle, const SimLanesPose *poses) {
    LanesPose pose;
    for (int i = 0; i < 4; i++)
        pose.column[i] =
            by_edge3(topology, particle, in_lanes3(poses[0].column[i]), in_lanes3(poses[1].column[i]));
    return pose;
}

LANES_INLINE lanes inverse_mass(const SimKernelJob *job, places particle) {
    return job->fabric->inverse_density * shared_at(job->topology->inverse_area, particle);
}

// m that a particle keeps off colliders.
LANES_INLINE lanes thickness_at(const SimKernelJob *job, places particle) {
    const SimTopology *topology = job->topology;
    if (!topology->thickness_scaled) return in_lanes(job->fabric->thickness);
    return job->fabric->thickness * shared_at(topology->thickness_scaled, particle) +
           shared_at(topology->thickness_fixed, particle);
}
