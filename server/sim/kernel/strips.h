// Numbers and particles of the topology, the same text for garments in lanes and for a garment in strips,
// where the neighbour of a strip's last column is the first column of the next lane.
#pragma once

#include "kernel/lanes.h"

typedef SimShared shared;

#ifdef SIM_STRIPS

// Lane i of the result is lane i + by of v, round and round. GCC permutes vectors wider than the processor's
// lane by lane; these go through memory.
LANES_INLINE lanes rotated(lanes v, int by) {
#if NATIVE_BYTES == 64
    const mask place = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return __builtin_shuffle(v, (place + by) & (SIM_WIDTH - 1));
#else
    const union {
        lanes whole[2];
        float lane[2 * SIM_WIDTH];
    } twice = {{v, v}};
    lanes result;
    __builtin_memcpy(&result, &twice.lane[by & (SIM_WIDTH - 1)], sizeof result);
    return result;
#endif
}

LANES_INLINE lanes3 rotated3(lanes3 v, int by) {
    return (lanes3){rotated(v.x, by), rotated(v.y, by), rotated(v.z, by)};
}

LANES_INLINE lanes wide(shared value) {
    return value;
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

// The value for inner particles or that for edge particles. The column across a seam is an edge in no lane
// where it exists.
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

// Lanes in which a point exists that lies between these particles: an open garment has none right of its last
// strip.
LANES_INLINE mask exists_between(const SimTopology *topology, const int *particles, int count) {
    const mask last = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1};
    bool crosses = false;
    for (int i = 0; i < count; i++) crosses = crosses || particles[i] & SIM_RIGHT;
    return crosses && !topology->closed ? ~last : ~(mask){0};
}

#else

#define OWN(particle) (particle)

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

LANES_INLINE lanes3 by_edge3(const SimTopology *topology, int particle, lanes3 inner, lanes3 edge) {
    return (lanes3){by_edge(topology, particle, inner.x, edge.x),
                    by_edge(topology, particle, inner.y, edge.y),
                    by_edge(topology, particle, inner.z, edge.z)};
}

LANES_INLINE SimLanesPose pose_by_edge(const SimTopology *topology, int particle, const SimLanesPose *poses) {
    SimLanesPose pose;
    for (int i = 0; i < 4; i++)
        pose.column[i] = by_edge3(topology, particle, poses[0].column[i], poses[1].column[i]);
    return pose;
}
