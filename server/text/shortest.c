// Shortest decimals: the fewest digits that give back the same number.
//
// The fast path scales the number so that n digits stand before the point, rounds, and checks that the
// decimal lies between the midpoints to the neighbouring floats. All of it is done in doubles with a power of
// ten that a double holds exactly, so each step rounds once and monotonically: a decimal on or beyond a
// midpoint can't seem to lie inside. Other numbers (tiny, huge, more than 15 digits) are left to libc, with
// one digit more at each try and with the decimal point left out so that no locale matters.
#include "text/number.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// digits * 10^exponent; digits does not end in 0.
typedef struct Decimal {
    uint64_t digits;
    int exponent;
} Decimal;

enum { LAST_EXACT_POWER = 22, FLOAT_DIGITS = FLT_DECIMAL_DIG, DOUBLE_DIGITS = DBL_DECIMAL_DIG };

static const double powers[LAST_EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static Decimal shortest_float(float magnitude);
static Decimal shortest_double(double magnitude);
static size_t write_decimal(char *out, bool negative, Decimal decimal);
static size_t write_zero(char *out);
static double read_decimal(Decimal decimal);

size_t text_write_float(char *out, float value) {
    assert(isfinite(value));
    if (value == 0.0f) return write_zero(out);
    return write_decimal(out, value < 0.0f, shortest_float(fabsf(value)));
}

size_t text_write_double(char *out, double value) {
    assert(isfinite(value));
    if (value == 0.0) return write_zero(out);
    return write_decimal(out, value < 0.0, shortest_double(fabs(value)));
}

double text_double_from_float(float value) {
    assert(isfinite(value));
    if (value == 0.0f) return 0.0;
    double magnitude = read_decimal(shortest_float(fabsf(value)));
    return value < 0.0f ? -magnitude : magnitude;
}

// x * 10^power, rounded once.
static double scale(double x, int power) {
    return power < 0 ? x / powers[-power] : x * powers[power];
}

static bool is_exact_power(int power) {
    return abs(power) <= LAST_EXACT_POWER;
}

static Decimal trimmed(uint64_t digits, int exponent) {
    for (; digits % 10 == 0; digits /= 10) exponent++;
    return (Decimal){digits, exponent};
}

// floor(log10(magnitude)), or one off beside a power of ten: then a digit more or less is tried, no harm.
static int decimal_exponent(double magnitude) {
    int binary;
    frexp(magnitude, &binary);
    int exponent = (int)floor((binary - 1) * 0.30102999566398120);
    if (exponent + 1 >= 0 && exponent + 1 <= LAST_EXACT_POWER)
        return exponent + (magnitude >= powers[exponent + 1]);
    return exponent + (exponent + 1 < 0 && exponent + 1 >= -LAST_EXACT_POWER &&
                       magnitude * powers[-exponent - 1] >= 1.0);
}

// `count` digits as libc rounds them.
static Decimal decimal_by_libc(double magnitude, int count) {
    char text[48];
    snprintf(text, sizeof text, "%.*e", count - 1, magnitude);
    uint64_t digits = 0;
    const char *at = text;
    for (; *at != 'e'; at++) {
        if (*at >= '0' && *at <= '9') digits = digits * 10 + (uint64_t)(*at - '0');
    }
    return trimmed(digits, atoi(at + 1) - (count - 1));
}

static void print_decimal(Decimal decimal, char out[32]) {
    snprintf(out, 32, "%llue%d", (unsigned long long)decimal.digits, decimal.exponent);
}

static double read_decimal(Decimal decimal) {
    if (decimal.digits >> DBL_MANT_DIG == 0 && is_exact_power(decimal.exponent)) {
        return scale((double)decimal.digits, decimal.exponent);
    }
    char text[32];
    print_decimal(decimal, text);
    return strtod(text, NULL);
}

static float read_decimal_float(Decimal decimal) {
    char text[32];
    print_decimal(decimal, text);
    return strtof(text, NULL);
}

// What lies between these midpoints gives back the float; a decimal on one of them as well where the float's
// mantissa is even. Only whole numbers can be on one with fewer digits than any inside, and below 2^53 those
// are exact.
typedef struct Interval {
    double low, high;
    bool even;
} Interval;

static bool is_inside(Interval interval, double decimal, bool exact) {
    if (decimal > interval.low && decimal < interval.high) return true;
    return exact && interval.even && (decimal == interval.low || decimal == interval.high);
}

// The nearest decimal of so many digits. At a power of two, where the interval is wider upwards, the next one
// might fit where the nearest does not; it never does in the range that comes here.
static bool try_digits(double magnitude, Interval interval, int power, Decimal *out_decimal) {
    uint64_t digits = (uint64_t)(scale(magnitude, power) + 0.5);
    if (!is_inside(interval, scale((double)digits, -power), power <= 0)) return false;
    *out_decimal = trimmed(digits, -power);
    return true;
}

static Interval midpoints(float magnitude) {
    uint32_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    double middle = (double)magnitude;
    return (Interval){(middle + (double)nextafterf(magnitude, 0.0f)) / 2,
                      (middle + (double)nextafterf(magnitude, FLT_MAX)) / 2, bits % 2 == 0};
}

static Decimal shortest_float(float magnitude) {
    Decimal decimal = {0, 0};
    if (magnitude >= FLT_MIN && magnitude < 0x1p53f) {
        Interval interval = midpoints(magnitude);
        int exponent = decimal_exponent((double)magnitude);
        // A float gives back every decimal of 6 digits, so fewer are found by trimming those.
        for (int count = FLT_DIG; count <= FLOAT_DIGITS; count++) {
            int power = count - 1 - exponent;
            if (!is_exact_power(power)) break;
            if (try_digits((double)magnitude, interval, power, &decimal)) return decimal;
        }
    }
    for (int count = 1; count <= FLOAT_DIGITS; count++) {
        decimal = decimal_by_libc((double)magnitude, count);
        if (read_decimal_float(decimal) == magnitude) break;
    }
    return decimal;
}

static Decimal shortest_double(double magnitude) {
    int first_count = magnitude < DBL_MIN ? 1 : DBL_DIG;
    int power = DBL_DIG - 1 - decimal_exponent(magnitude);
    if (is_exact_power(power)) {
        uint64_t digits = (uint64_t)(scale(magnitude, power) + 0.5);
        if (scale((double)digits, -power) == magnitude) return trimmed(digits, -power);
        first_count = DBL_DIG + 1;
    }
    Decimal decimal = {0, 0};
    for (int count = first_count; count <= DOUBLE_DIGITS; count++) {
        decimal = decimal_by_libc(magnitude, count);
        if (count == DOUBLE_DIGITS || read_decimal(decimal) == magnitude) break;
    }
    return decimal;
}

// As ECMAScript prints numbers: plain from 1e-6 up to 1e21, with an exponent elsewhere.
static size_t write_decimal(char *out, bool negative, Decimal decimal) {
    char all_digits[24], *digits = all_digits + sizeof all_digits;
    for (uint64_t rest = decimal.digits; rest > 0; rest /= 10) *--digits = (char)('0' + rest % 10);
    int count = (int)(all_digits + sizeof all_digits - digits);
    int point = count + decimal.exponent; // digits before the decimal point
    char *end = out;
    if (negative) *end++ = '-';
    if (point > 21 || point <= -6) {
        *end++ = digits[0];
        if (count > 1) *end++ = '.';
        memcpy(end, digits + 1, (size_t)count - 1);
        end += count - 1;
        return (size_t)(end - out) + (size_t)snprintf(end, 8, "e%+d", point - 1);
    }
    if (point <= 0) {
        *end++ = '0';
        *end++ = '.';
        for (int i = point; i < 0; i++) *end++ = '0';
    }
    for (int i = 0; i < count; i++) {
        if (i == point && i > 0) *end++ = '.';
        *end++ = digits[i];
    }
    for (int i = count; i < point; i++) *end++ = '0';
    return (size_t)(end - out);
}

static size_t write_zero(char *out) {
    *out = '0';
    return 1;
}
