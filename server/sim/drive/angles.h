// Trigonometry in lanes: the operations of core/exact_math.h, for the angles that occur between rotations.
#pragma once

#include "core/exact_math.h"
#include "kernel/lanes/lanes.h"

#if LANES == 1

// Of 0 to a quarter turn.
LANES_INLINE lanes quarter_sine(lanes angle) {
    return sim_sin(angle);
}
// The angle of (x, y), neither of which is negative.
LANES_INLINE lanes quarter_angle(lanes y, lanes x) {
    return sim_atan2(y, x);
}

#else

// Half of the lanes, in double precision.
typedef double halves __attribute__((vector_size(LANES * sizeof(float))));
typedef int64_t halves_mask __attribute__((vector_size(LANES * sizeof(float))));
typedef float half __attribute__((vector_size(LANES / 2 * sizeof(float))));

LANES_INLINE halves select_halves(halves_mask m, halves yes, halves no) {
    return (halves)((m & (halves_mask)yes) | (~m & (halves_mask)no));
}

LANES_INLINE halves sine_of_halves(halves x) {
    const halves_mask is_nearer_to_top = x * (1.0 / SIM_QUARTER_TURN) + 0.5 >= 1.0;
    const halves r = select_halves(is_nearer_to_top, x - SIM_QUARTER_TURN, x), s = r * r;
    const halves odd = -1.0 / 5040 + s * (1.0 / 362880 - s / 39916800.0);
    const halves from_zero = r + r * s * (-1.0 / 6 + s * (1.0 / 120 + s * odd));
    const halves even = -1.0 / 720 + s * (1.0 / 40320 + s * (-1.0 / 3628800 + s * (1.0 / 479001600)));
    const halves from_top = 1.0 + s * (-0.5 + s * (1.0 / 24 + s * even));
    return select_halves(is_nearer_to_top, from_top, from_zero);
}

LANES_INLINE halves angle_of_halves(halves y, halves x) {
    const double tangent = 0.41421356237309503; // of pi/8
    const halves zero = {0};
    const halves_mask is_high = y * tangent > x, is_middle = ~is_high & (y > x * tangent);
    const halves base = select_halves(is_high, zero + SIM_QUARTER_TURN,
                                      select_halves(is_middle, zero + 0.5 * SIM_QUARTER_TURN, zero));
    const halves up = select_halves(is_high, -x, select_halves(is_middle, y - x, y));
    const halves along = select_halves(is_high, y, select_halves(is_middle, y + x, x));
    const halves t = up / along, s = t * t;
    const halves far = 0.11103456766 + s * (-0.089925518098 + s * (0.069741934409 - s * 0.037655040623));
    const halves angle =
        base + t * (1.0 + s * (-0.33333333277 + s * (0.19999993053 + s * (-0.14285386544 + s * far))));
    return select_halves((x == 0.0) & (y == 0.0), zero, angle);
}

typedef union Halves {
    lanes whole;
    half part[2];
} Halves;

LANES_INLINE lanes quarter_sine(lanes angle) {
    Halves x = {angle};
    for (int i = 0; i < 2; i++)
        x.part[i] = __builtin_convertvector(sine_of_halves(__builtin_convertvector(x.part[i], halves)), half);
    return x.whole;
}
LANES_INLINE lanes quarter_angle(lanes y, lanes x) {
    Halves up = {y}, along = {x};
    for (int i = 0; i < 2; i++) {
        const halves angle = angle_of_halves(__builtin_convertvector(up.part[i], halves),
                                             __builtin_convertvector(along.part[i], halves));
        up.part[i] = __builtin_convertvector(angle, half);
    }
    return up.whole;
}

#endif
