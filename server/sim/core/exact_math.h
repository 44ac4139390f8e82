// Trigonometry and powers with the same bits on every machine: C libraries differ in the last bit, and glibc
// even between processors with and without fused multiply-adds. Sums and products of doubles, and square
// roots, are exact to the bit by IEEE 754; the error of the polynomials lies below 1e-10, so that what is
// returned is nearly always the float that is nearest to the true value.
#pragma once

#include <math.h>

#define SIM_QUARTER_TURN 1.5707963267948966 // rad

// Sine and cosine of x in -pi/4..pi/4, by Taylor's series.
static inline double sim_sine_near(double x) {
    double s = x * x;
    return x + x * s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 + s * (1.0 / 362880 - s / 39916800))));
}
static inline double sim_cosine_near(double x) {
    double s = x * x;
    double rest = -1.0 / 720 + s * (1.0 / 40320 + s * (-1.0 / 3628800 + s * (1.0 / 479001600)));
    return 1.0 + s * (-0.5 + s * (1.0 / 24 + s * rest));
}

// Of x + `quarters` quarter turns; |x| below 1e6 rad, else NaN: past that a float has no angle to speak of.
static inline float sim_sine_of(double x, int quarters) {
    if (!(fabs(x) < 1e6)) return NAN;
    int nearest = (int)(x * (1.0 / SIM_QUARTER_TURN) + (x < 0.0 ? -0.5 : 0.5));
    double rest = x - nearest * SIM_QUARTER_TURN;
    int quarter = (nearest + quarters) & 3;
    double value = quarter & 1 ? sim_cosine_near(rest) : sim_sine_near(rest);
    return (float)(quarter & 2 ? -value : value);
}
static inline float sim_sin(float x) {
    return sim_sine_of((double)x, 0);
}
static inline float sim_cos(float x) {
    return sim_sine_of((double)x, 1);
}

// Of y / x for x, y >= 0, not both 0: an eighth of a turn and the rest, which is within pi/8, by a polynomial
// that is least wrong there.
static inline double sim_arc_tangent(double y, double x) {
    const double tangent = 0.41421356237309503; // of pi/8
    double base = 0.0, up = y, along = x;
    if (y * tangent > x)
        base = SIM_QUARTER_TURN, up = -x, along = y;
    else if (y > x * tangent)
        base = 0.5 * SIM_QUARTER_TURN, up = y - x, along = y + x;
    double t = up / along, s = t * t;
    double far = 0.11103456766 + s * (-0.089925518098 + s * (0.069741934409 - s * 0.037655040623));
    return base + t * (1.0 + s * (-0.33333333277 + s * (0.19999993053 + s * (-0.14285386544 + s * far))));
}

// The angle of (x, y), -pi..pi; 0 for 0, 0.
static inline double sim_angle_of(double y, double x) {
    if (x == 0.0 && y == 0.0) return 0.0;
    double angle = sim_arc_tangent(fabs(y), fabs(x));
    if (x < 0.0) angle = 2.0 * SIM_QUARTER_TURN - angle;
    return y < 0.0 ? -angle : angle;
}
static inline float sim_atan2(float y, float x) {
    return (float)sim_angle_of((double)y, (double)x);
}

// base^exponent for base >= 0, exponent >= 0: e^(exponent log base), each by its series.
static inline float sim_pow(float base, float exponent) {
    if (base <= 0.0f) return exponent > 0.0f ? 0.0f : 1.0f;
    int power;
    double mantissa = frexp((double)base, &power); // 0.5..1
    double z = (mantissa - 0.75) / (mantissa + 0.75), s = z * z, sum = 0.0;
    for (int odd = 19; odd > 0; odd -= 2) sum = 1.0 / odd + s * sum;
    const double log_2 = 0.693147180559945309, log_three_quarters = -0.287682072451780927;
    double log_base = 2.0 * z * sum + log_three_quarters + power * log_2;
    double x = (double)exponent * log_base, whole = floor(x / log_2 + 0.5), rest = x - whole * log_2;
    double e = 1.0;
    for (int n = 14; n > 0; n--) e = 1.0 + rest * e / n;
    return (float)ldexp(e, (int)whole);
}
