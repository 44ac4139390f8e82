// One garment in all lanes: a lane is a particle, a link, a quad, a row or a column of it. Its memory is that
// of a single lane, so the lanes' numbers are gathered from it and scattered to it. Lanes that are left over
// repeat the last one: they compute the same and write the same, so only sums need to know of them.
#pragma once

#include "kernel/lanes/lanes.h"

LANES_INLINE const SimAloneOrder *alone_order(const SimTopology *topology) {
    return &topology->alone[LANES / 8];
}

LANES_INLINE places batch_of(const SimBatches *batches, int index) {
    places p;
    __builtin_memcpy(&p, batches->indices + index * LANES, sizeof p);
    return p;
}

// Points between particles, one a lane.
typedef struct Between {
    places particles[4];
    int count;
} Between;

// Batches of particles: those that are not pinned come first.
LANES_INLINE int batch_count(const SimTopology *topology) {
    return alone_order(topology)->particles.count;
}
LANES_INLINE places batch(const SimTopology *topology, int index) {
    return batch_of(&alone_order(topology)->particles, index);
}
LANES_INLINE bool are_pinned(const SimTopology *topology, places p) {
    return topology->pinned[p[0]];
}

LANES_INLINE places lane_numbers(void) {
    places numbers;
    for (int lane = 0; lane < LANES; lane++) numbers[lane] = lane;
    return numbers;
}
LANES_INLINE int batches_of(int count) {
    return (count + LANES - 1) / LANES;
}
LANES_INLINE places batch_among(int count, int index) {
    const places numbers = lane_numbers() + index * LANES, last = (places){0} + (count - 1);
    const mask within = numbers < last;
    return (within & numbers) | (~within & last);
}

// Numbers of particles, links and quads
// -----------------------------------------------------------------------------------------------

// Whether the lanes have one particle after another.
LANES_INLINE bool is_run(places p) {
    return !any(p != lane_numbers() + p[0]);
}

// Without optimisation the intrinsics that gather are macros, which convert their masks.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
LANES_INLINE lanes gathered(const float *values, places p) {
#if LANES == 16
    return (lanes)_mm512_i32gather_ps((__m512i)p, values, 4);
#elif LANES == 8
    return (lanes)_mm256_i32gather_ps(values, (__m256i)p, 4);
#else
    return (lanes){values[p[0]], values[p[1]], values[p[2]], values[p[3]]};
#endif
}
LANES_INLINE mask numbers_at(const int32_t *values, places p) {
#if LANES == 16
    return (mask)_mm512_i32gather_epi32((__m512i)p, values, 4);
#elif LANES == 8
    return (mask)_mm256_i32gather_epi32(values, (__m256i)p, 4);
#else
    return (mask){values[p[0]], values[p[1]], values[p[2]], values[p[3]]};
#endif
}
#pragma GCC diagnostic pop

LANES_INLINE lanes own(const float *values, places p) {
    if (!is_run(p)) return gathered(values, p);
    lanes run;
    __builtin_memcpy(&run, values + p[0], sizeof run);
    return run;
}
LANES_INLINE void set(float *values, places p, lanes value) {
    if (is_run(p))
        __builtin_memcpy(values + p[0], &value, sizeof value);
    else
        for (int lane = 0; lane < LANES; lane++) values[p[lane]] = value[lane];
}
LANES_INLINE lanes own_shared(const float *values, places p) {
    return own(values, p);
}
LANES_INLINE lanes shared_at(const float *values, places p) {
    return own(values, p);
}
LANES_INLINE lanes wide_at(const float *values, places p) {
    return own(values, p);
}
LANES_INLINE lanes wide_there(const float *values, places p) {
    return own(values, p);
}

// Vectors. Four numbers are loaded for three: there is something behind the last vector of every array.
LANES_INLINE const float *vector_at(const SimLanes3 *values, int index) {
    return (const float *)(values + index);
}

#if LANES == 16
typedef __m512 wide_lanes;
#define UNPACK_LOW(a, b)          _mm512_unpacklo_ps(a, b)
#define UNPACK_HIGH(a, b)         _mm512_unpackhi_ps(a, b)
#define SHUFFLE(a, b, mask)       _mm512_shuffle_ps(a, b, mask)
#define QUARTER(a, index)         _mm512_extractf32x4_ps(a, index)
#define FIRST_QUARTER(a)          _mm512_castps128_ps512(a)
#define WITH_QUARTER(a, b, index) _mm512_insertf32x4(a, b, index)
#elif LANES == 8
typedef __m256 wide_lanes;
#define UNPACK_LOW(a, b)          _mm256_unpacklo_ps(a, b)
#define UNPACK_HIGH(a, b)         _mm256_unpackhi_ps(a, b)
#define SHUFFLE(a, b, mask)       _mm256_shuffle_ps(a, b, mask)
#define QUARTER(a, index)         _mm256_extractf128_ps(a, index)
#define FIRST_QUARTER(a)          _mm256_castps128_ps256(a)
#define WITH_QUARTER(a, b, index) _mm256_insertf128_ps(a, b, index)
#else
typedef __m128 wide_lanes;
#define UNPACK_LOW(a, b)    _mm_unpacklo_ps(a, b)
#define UNPACK_HIGH(a, b)   _mm_unpackhi_ps(a, b)
#define SHUFFLE(a, b, mask) _mm_shuffle_ps(a, b, mask)
#define QUARTER(a, index)   (a)
#define FIRST_QUARTER(a)    (a)
#endif

// Vectors of every fourth lane.
LANES_INLINE wide_lanes load_fours(const SimLanes3 *values, const int32_t *p) {
    wide_lanes v = FIRST_QUARTER(_mm_loadu_ps(vector_at(values, p[0])));
#if LANES >= 8
    v = WITH_QUARTER(v, _mm_loadu_ps(vector_at(values, p[4])), 1);
#endif
#if LANES == 16
    v = WITH_QUARTER(v, _mm_loadu_ps(vector_at(values, p[8])), 2);
    v = WITH_QUARTER(v, _mm_loadu_ps(vector_at(values, p[12])), 3);
#endif
    return v;
}

// Four numbers of each run of four lanes, of which there are three.
LANES_INLINE wide_lanes load_twelves(const float *at) {
    wide_lanes v = FIRST_QUARTER(_mm_loadu_ps(at));
#if LANES >= 8
    v = WITH_QUARTER(v, _mm_loadu_ps(at + 12), 1);
#endif
#if LANES == 16
    v = WITH_QUARTER(v, _mm_loadu_ps(at + 24), 2);
    v = WITH_QUARTER(v, _mm_loadu_ps(at + 36), 3);
#endif
    return v;
}
LANES_INLINE void store_twelves(float *at, wide_lanes v) {
    _mm_storeu_ps(at, QUARTER(v, 0));
#if LANES >= 8
    _mm_storeu_ps(at + 12, QUARTER(v, 1));
#endif
#if LANES == 16
    _mm_storeu_ps(at + 24, QUARTER(v, 2));
    _mm_storeu_ps(at + 36, QUARTER(v, 3));
#endif
}

LANES_INLINE lanes3 load_run(const float *at) {
    const wide_lanes a = load_twelves(at), b = load_twelves(at + 4), c = load_twelves(at + 8);
    const wide_lanes xy = SHUFFLE(b, c, _MM_SHUFFLE(2, 1, 3, 2)), yz = SHUFFLE(a, b, _MM_SHUFFLE(1, 0, 2, 1));
    return (lanes3){(lanes)SHUFFLE(a, xy, _MM_SHUFFLE(2, 0, 3, 0)),
                    (lanes)SHUFFLE(yz, xy, _MM_SHUFFLE(3, 1, 2, 0)),
                    (lanes)SHUFFLE(yz, c, _MM_SHUFFLE(3, 0, 3, 1))};
}
LANES_INLINE void store_run(float *at, lanes3 value) {
    const wide_lanes x = (wide_lanes)value.x, y = (wide_lanes)value.y, z = (wide_lanes)value.z;
    const wide_lanes xy = SHUFFLE(x, y, _MM_SHUFFLE(2, 0, 2, 0)), yz = SHUFFLE(y, z, _MM_SHUFFLE(3, 1, 3, 1)),
                     zx = SHUFFLE(z, x, _MM_SHUFFLE(3, 1, 2, 0));
    store_twelves(at, SHUFFLE(xy, zx, _MM_SHUFFLE(2, 0, 2, 0)));
    store_twelves(at + 4, SHUFFLE(yz, xy, _MM_SHUFFLE(3, 1, 2, 0)));
    store_twelves(at + 8, SHUFFLE(zx, yz, _MM_SHUFFLE(3, 1, 3, 1)));
}

LANES_INLINE lanes3 own3(const SimLanes3 *values, places p) {
    if (is_run(p)) return load_run((const float *)(values + p[0]));
    int32_t index[LANES];
    __builtin_memcpy(index, &p, sizeof index);
    const wide_lanes v0 = load_fours(values, index), v1 = load_fours(values, index + 1),
                     v2 = load_fours(values, index + 2), v3 = load_fours(values, index + 3);
    const wide_lanes xy01 = UNPACK_LOW(v0, v1), xy23 = UNPACK_LOW(v2, v3), z01 = UNPACK_HIGH(v0, v1),
                     z23 = UNPACK_HIGH(v2, v3);
    return (lanes3){(lanes)SHUFFLE(xy01, xy23, 0x44), (lanes)SHUFFLE(xy01, xy23, 0xee),
                    (lanes)SHUFFLE(z01, z23, 0x44)};
}

LANES_INLINE void store_four(SimLanes3 *values, const int32_t *p, __m128 xy01, __m128 xy23, __m128 z) {
    _mm_storel_pi((__m64 *)(void *)&values[p[0]], xy01);
    _mm_storeh_pi((__m64 *)(void *)&values[p[1]], xy01);
    _mm_storel_pi((__m64 *)(void *)&values[p[2]], xy23);
    _mm_storeh_pi((__m64 *)(void *)&values[p[3]], xy23);
    for (int i = 0; i < 4; i++) values[p[i]].z = z[i];
}

LANES_INLINE void set3(SimLanes3 *values, places p, lanes3 value) {
    if (is_run(p)) {
        store_run((float *)(values + p[0]), value);
        return;
    }
    int32_t index[LANES];
    __builtin_memcpy(index, &p, sizeof index);
    const wide_lanes z = (wide_lanes)value.z, xy01 = UNPACK_LOW((wide_lanes)value.x, (wide_lanes)value.y),
                     xy23 = UNPACK_HIGH((wide_lanes)value.x, (wide_lanes)value.y);
    store_four(values, index, QUARTER(xy01, 0), QUARTER(xy23, 0), QUARTER(z, 0));
#if LANES >= 8
    store_four(values, index + 4, QUARTER(xy01, 1), QUARTER(xy23, 1), QUARTER(z, 1));
#endif
#if LANES == 16
    store_four(values, index + 8, QUARTER(xy01, 2), QUARTER(xy23, 2), QUARTER(z, 2));
    store_four(values, index + 12, QUARTER(xy01, 3), QUARTER(xy23, 3), QUARTER(z, 3));
#endif
}

LANES_INLINE lanes3 wide3_at(float (*const values)[3], places p) {
    return own3((const SimLanes3 *)(const void *)values, p);
}

// The same by the names that tell other kernels of seams between strips.
#define OWN(particle) (particle)
LANES_INLINE lanes at(const float *values, places p) {
    return own(values, p);
}
LANES_INLINE void put(float *values, places p, lanes value) {
    set(values, p, value);
}
LANES_INLINE lanes3 at3(const SimLanes3 *values, places p) {
    return own3(values, p);
}
LANES_INLINE void put3(SimLanes3 *values, places p, lanes3 value) {
    set3(values, p, value);
}

// Lanes that differ
// ------------------------------------------------------------------------------------------------------------

// Lanes in which two places differ: whether there are any, and a number in those, 0 in others.
LANES_INLINE bool any_apart(places a, places b) {
    return any(a != b);
}
LANES_INLINE lanes where_apart(places a, places b, lanes value) {
    return select_lanes(a != b, value, (lanes){0});
}
LANES_INLINE lanes by_edge(const SimTopology *topology, places p, lanes inner, lanes edge) {
    return select_lanes(numbers_at(alone_order(topology)->edges, p), edge, inner);
}
LANES_INLINE lanes3 if_free3(const SimTopology *topology, places p, lanes3 free, lanes3 pinned) {
    return select3(more(own(topology->inverse_area, p), (lanes){0}), free, pinned);
}

// How many places of the mask are not those of the lane before.
LANES_INLINE SimLanes count_places(mask m, places p) {
    SimLanes count = 0.0f;
    for (int lane = 0; lane < LANES; lane++)
        count += m[lane] && (lane == 0 || p[lane] != p[lane - 1]) ? 1.0f : 0.0f;
    return count;
}

// The greatest of all lanes, in all.
LANES_INLINE lanes greatest(lanes a) {
    float most = a[0];
    for (int lane = 1; lane < LANES; lane++) most = a[lane] < most ? most : a[lane];
    return splat(most);
}
LANES_INLINE mask all_of(mask m) {
    return any(~m) ? (mask){0} : ~(mask){0};
}
