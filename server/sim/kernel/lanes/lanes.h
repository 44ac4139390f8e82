// Arithmetic on all lanes at once: the kernel reads like the scalar formula. For kernel.c and the drive
// alone. Functions that take lanes by value are always inlined, since instruction sets pass them differently.
#pragma once

#include "core/kernel.h"

#include <math.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

// Lanes in registers. They are those in memory, except where one garment has all lanes: its memory is that of
// a single lane, and a lane is one of its particles.
#ifdef SIM_ALONE
#define LANES SIM_ALONE
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef struct lanes3 {
    lanes x, y, z;
} lanes3;
typedef struct LanesPose {
    lanes3 column[4];
} LanesPose;
#else
#define LANES SIM_WIDTH
typedef SimLanes lanes;
typedef SimLanes3 lanes3;
typedef SimLanesPose LanesPose;
#endif

#if LANES == 1
typedef int32_t mask;    // all bits set or clear
typedef uint32_t hashes; // whole numbers that wrap
#else
typedef int32_t mask __attribute__((vector_size(LANES * sizeof(int32_t)))); // all bits of a lane set or clear
typedef uint32_t hashes __attribute__((vector_size(LANES * sizeof(uint32_t)))); // whole numbers that wrap
#endif

// A particle, the same in all lanes, or one a lane.
#ifdef SIM_ALONE
typedef mask places;
#else
typedef int places;
#endif

#define LANES_INLINE static inline __attribute__((always_inline, unused))

// The differences between one lane and many; the rest of the kernel is the same text for both.
#if LANES == 1

typedef float native;
#define NATIVES 1

LANES_INLINE native part_square_root(native value) {
    return sqrtf(value);
}
// The value where a number is more than the limit, else 0.
LANES_INLINE native part_where_more(native number, float limit, native value) {
    return number > limit ? value : 0.0f;
}
LANES_INLINE lanes splat(float value) {
    return value;
}
LANES_INLINE mask bits_of(lanes value) {
    mask bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}
LANES_INLINE lanes of_bits(mask bits) {
    lanes value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
LANES_INLINE mask whole_of(lanes value) {
    return (mask)value;
}
LANES_INLINE lanes of_whole(mask value) {
    return (lanes)value;
}
LANES_INLINE lanes select_lanes(mask m, lanes yes, lanes no) {
    return m ? yes : no;
}
LANES_INLINE mask less(lanes a, lanes b) {
    return -(mask)(a < b);
}
LANES_INLINE bool any(mask m) {
    return m != 0;
}
LANES_INLINE lanes square_root(lanes value) {
    return sqrtf(value);
}

#else

LANES_INLINE lanes splat(float value) {
    return value - (lanes){0};
}
LANES_INLINE mask bits_of(lanes value) {
    return (mask)value;
}
LANES_INLINE lanes of_bits(mask bits) {
    return (lanes)bits;
}
LANES_INLINE mask whole_of(lanes value) { // towards zero
    return __builtin_convertvector(value, mask);
}
LANES_INLINE lanes of_whole(mask value) {
    return __builtin_convertvector(value, lanes);
}
LANES_INLINE lanes select_lanes(mask m, lanes yes, lanes no) {
    return (lanes)((m & (mask)yes) | (~m & (mask)no));
}

// GCC splits a comparison of vectors wider than the processor's into single lanes, so it is written in
// vectors of the processor's width.
#if defined(__AVX512F__) && LANES >= 16
#define NATIVE_BYTES 64
#elif defined(__AVX2__) && LANES >= 8
#define NATIVE_BYTES 32
#else
#define NATIVE_BYTES 16
#endif
typedef float native __attribute__((vector_size(NATIVE_BYTES)));
typedef int32_t native_mask __attribute__((vector_size(NATIVE_BYTES)));
#define NATIVES (int)(sizeof(lanes) / sizeof(native))

LANES_INLINE native part_square_root(native value) {
    union {
        native whole;
        float lane[NATIVE_BYTES / sizeof(float)];
    } root = {value};
    for (size_t lane = 0; lane < NATIVE_BYTES / sizeof(float); lane++)
        root.lane[lane] = sqrtf(root.lane[lane]);
    return root.whole;
}
LANES_INLINE native part_where_more(native number, float limit, native value) {
    return (native)((number > limit) & (native_mask)value);
}

LANES_INLINE mask less(lanes a, lanes b) {
#if LANES * 4 == NATIVE_BYTES
    return a < b;
#else
    union {
        lanes whole;
        native part[NATIVES];
    } x = {a}, y = {b};
    union {
        mask whole;
        native_mask part[NATIVES];
    } m;
    for (int i = 0; i < NATIVES; i++) m.part[i] = x.part[i] < y.part[i];
    return m.whole;
#endif
}

// Called so often that it uses the processor's own instruction.
LANES_INLINE bool any(mask m) {
#if defined(__AVX512DQ__) && LANES == 16
    return _mm512_movepi32_mask((__m512i)m) != 0;
#elif defined(__AVX2__) && LANES == 8
    return _mm256_movemask_ps((__m256)m) != 0;
#elif defined(__SSE2__) && LANES == 4
    return _mm_movemask_ps((__m128)m) != 0;
#else
    int32_t bits = 0;
    for (int lane = 0; lane < LANES; lane++) bits |= m[lane];
    return bits != 0;
#endif
}

// Square root and division are exact on every instruction set. The hardware's approximations are not: a
// recording made with them would not replay on another machine.
LANES_INLINE lanes square_root(lanes value) {
    union {
        lanes whole;
        float lane[LANES];
    } root = {value};
    for (int lane = 0; lane < LANES; lane++) root.lane[lane] = sqrtf(root.lane[lane]);
    return root.whole;
}

#endif

LANES_INLINE mask more(lanes a, lanes b) {
    return less(b, a);
}

// a < b ? a : b, and a > b ? a : b: the bits of the processor's own instructions.
LANES_INLINE lanes minimum(lanes a, lanes b) {
#if defined(__AVX512F__) && LANES == 16
    return (lanes)_mm512_min_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__) && LANES == 8
    return (lanes)_mm256_min_ps((__m256)a, (__m256)b);
#else
    return select_lanes(less(a, b), a, b);
#endif
}
LANES_INLINE lanes maximum(lanes a, lanes b) {
#if defined(__AVX512F__) && LANES == 16
    return (lanes)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__) && LANES == 8
    return (lanes)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return select_lanes(less(b, a), a, b);
#endif
}
LANES_INLINE lanes round_down(lanes a) {
    lanes whole = of_whole(whole_of(a));
    return whole - select_lanes(more(whole, a), splat(1.0f), splat(0.0f));
}
// From 0 at low to 1 at high, level at both.
LANES_INLINE lanes smoothstep(float low, float high, lanes a) {
    lanes t = minimum(maximum((a - low) * (1.0f / (high - low)), splat(0.0f)), splat(1.0f));
    return t * t * (3.0f - 2.0f * t);
}
LANES_INLINE lanes absolute(lanes a) {
    return of_bits(bits_of(a) & 0x7fffffff);
}
LANES_INLINE lanes with_sign_of(lanes magnitude, lanes sign) {
    return of_bits(bits_of(magnitude) | (bits_of(sign) & (int32_t)0x80000000));
}

// e^-x for x >= 0: 2^i times a polynomial on half a bit around it; relative error below 3e-7.
LANES_INLINE lanes exp_minus(lanes x) {
    lanes scaled = minimum(x, splat(80.0f)) * -1.44269504f;
    mask whole = whole_of(scaled - 0.5f);
    lanes f = (scaled - of_whole(whole)) * 0.693147181f;
    lanes p = 1.0f +
              f * (1.0f + f * (0.5f + f * (0.166666667f +
                                           f * (0.0416666667f + f * (0.00833333333f + f * 0.00138888889f)))));
    return p * of_bits((whole + 127) << 23);
}

LANES_INLINE lanes3 add3(lanes3 a, lanes3 b) {
    return (lanes3){a.x + b.x, a.y + b.y, a.z + b.z};
}
LANES_INLINE lanes3 sub3(lanes3 a, lanes3 b) {
    return (lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}
LANES_INLINE lanes3 scale3(lanes3 a, lanes s) {
    return (lanes3){a.x * s, a.y * s, a.z * s};
}
// a + b s
LANES_INLINE lanes3 mad3(lanes3 a, lanes3 b, lanes s) {
    return (lanes3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}
LANES_INLINE lanes dot3(lanes3 a, lanes3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
LANES_INLINE lanes3 cross3(lanes3 a, lanes3 b) {
    return (lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
LANES_INLINE lanes length3(lanes3 a) {
    return square_root(dot3(a, a));
}
LANES_INLINE lanes3 select3(mask m, lanes3 yes, lanes3 no) {
    return (lanes3){select_lanes(m, yes.x, no.x), select_lanes(m, yes.y, no.y), select_lanes(m, yes.z, no.z)};
}
LANES_INLINE lanes3 zero3(void) {
    return (lanes3){(lanes){0}, (lanes){0}, (lanes){0}};
}

// a / |a|, zero where a is no longer than 1e-9.
LANES_INLINE lanes3 direction3(lanes3 a, lanes *out_length) {
    lanes length = length3(a);
    mask long_enough = more(length, splat(1e-9f));
    lanes inverse = 1.0f / maximum(length, splat(1e-9f));
    *out_length = length;
    return scale3(a, select_lanes(long_enough, inverse, (lanes){0}));
}

// A vector at right angles to the unit vector u, at least 0.7 long.
LANES_INLINE lanes3 perpendicular3(lanes3 u) {
    mask steep = more(absolute(u.x), splat(0.7f));
    return select3(steep, (lanes3){-u.y, u.x, (lanes){0}}, (lanes3){(lanes){0}, u.z, -u.y});
}

// Numbers that each garment has once, in its lane or in all.
#ifdef SIM_ALONE
LANES_INLINE lanes in_lanes(SimLanes value) {
    return splat(value);
}
LANES_INLINE lanes3 in_lanes3(SimLanes3 value) {
    return (lanes3){splat(value.x), splat(value.y), splat(value.z)};
}
// Back, of lanes that are all the same.
LANES_INLINE SimLanes once(lanes value) {
    return value[0];
}
#else
LANES_INLINE lanes in_lanes(SimLanes value) {
    return value;
}
LANES_INLINE lanes3 in_lanes3(SimLanes3 value) {
    return value;
}
LANES_INLINE SimLanes once(lanes value) {
    return value;
}
#endif

LANES_INLINE lanes3 rotate_by3(lanes3 x, lanes3 y, lanes3 z, lanes3 v) {
    return mad3(mad3(scale3(x, v.x), y, v.y), z, v.z);
}
LANES_INLINE lanes3 rotate3(const SimLanesPose *pose, lanes3 v) {
    return rotate_by3(in_lanes3(pose->column[0]), in_lanes3(pose->column[1]), in_lanes3(pose->column[2]), v);
}
LANES_INLINE lanes3 transform3(const SimLanesPose *pose, lanes3 v) {
    return add3(rotate3(pose, v), in_lanes3(pose->column[3]));
}
LANES_INLINE lanes3 rotate_back3(const SimLanesPose *pose, lanes3 v) {
    return (lanes3){dot3(in_lanes3(pose->column[0]), v), dot3(in_lanes3(pose->column[1]), v),
                    dot3(in_lanes3(pose->column[2]), v)};
}
// The same with a pose of each lane.
LANES_INLINE lanes3 rotate_each3(const LanesPose *pose, lanes3 v) {
    return rotate_by3(pose->column[0], pose->column[1], pose->column[2], v);
}
LANES_INLINE lanes3 transform_each3(const LanesPose *pose, lanes3 v) {
    return add3(rotate_each3(pose, v), pose->column[3]);
}

// Lanes split into parts, vectors of the processor's width.
typedef struct Part3 {
    native x, y, z;
} Part3;
typedef struct Parts3 {
    Part3 part[NATIVES];
} Parts3;

LANES_INLINE const native *parts_of(const lanes *value) {
    return (const native *)value;
}
LANES_INLINE Part3 part3_of(const lanes3 *value, int part) {
    return (Part3){parts_of(&value->x)[part], parts_of(&value->y)[part], parts_of(&value->z)[part]};
}
LANES_INLINE void put_part3(lanes3 *value, int part, const Part3 *at) {
    ((native *)&value->x)[part] = at->x;
    ((native *)&value->y)[part] = at->y;
    ((native *)&value->z)[part] = at->z;
}
LANES_INLINE Parts3 parts3_of(const lanes3 *value) {
    Parts3 parts;
    for (int i = 0; i < NATIVES; i++) parts.part[i] = part3_of(value, i);
    return parts;
}
LANES_INLINE void put_parts3(lanes3 *value, const Parts3 *parts) {
    for (int i = 0; i < NATIVES; i++) put_part3(value, i, &parts->part[i]);
}
