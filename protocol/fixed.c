// Fixed-point numbers, the bulk of every frame.
//
// A float is m * 2^e with m < 2^24, and 10^7 < 2^24, so m * 10^decimals fits 48 bits and the rounding is
// exact in integers: nothing of printf's generality is needed. The division by the power of ten is a
// multiplication where the compiler knows the power, hence one copy of the writer for each number of
// decimals.
#include "protocol/number.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    FRACTION_BITS = 23,
    EXPONENT_BIAS = 150,
    HIDDEN_BIT = 1 << FRACTION_BITS,
    MOST_DECIMALS_POWER = 10000000, // 10^7
};

static inline size_t write_fixed(char *out, float value, int decimals, uint32_t power);
static size_t write_huge(char *out, float value);

size_t protocol_write_fixed(char *out, float value, int decimals) {
    switch (decimals) {
    case 2:
        return write_fixed(out, value, 2, 100);
    case 3:
        return write_fixed(out, value, 3, 1000);
    case 4:
        return write_fixed(out, value, 4, 10000);
    case 5:
        return write_fixed(out, value, 5, 100000);
    case 6:
        return write_fixed(out, value, 6, 1000000);
    default:
        assert(decimals == 7);
        return write_fixed(out, value, 7, MOST_DECIMALS_POWER);
    }
}

// |value| * power, rounded to an integer, halves to even; for |value| < 2^23.
static inline uint64_t scale(uint32_t magnitude_bits, uint32_t power) {
    uint32_t mantissa = (magnitude_bits & (HIDDEN_BIT - 1)) | HIDDEN_BIT;
    uint32_t shift = EXPONENT_BIAS - (magnitude_bits >> FRACTION_BITS);
    if (shift >= 49) return 0; // below 2^48 / 2^49; subnormals, which have no hidden bit, among them
    uint64_t product = (uint64_t)mantissa * power;
    uint64_t quotient = product >> shift;
    uint64_t rest = product - (quotient << shift), half = (uint64_t)1 << (shift - 1);
    return quotient + (rest > half || (rest == half && (quotient & 1) != 0));
}

static char *write_whole(char *out, uint64_t whole) {
    if (whole < 10) {
        *out = (char)('0' + whole);
        return out + 1;
    }
    char digits[20];
    size_t at = sizeof digits;
    for (; whole > 0; whole /= 10) digits[--at] = (char)('0' + whole % 10);
    memcpy(out, digits + at, sizeof digits - at);
    return out + sizeof digits - at;
}

// ".ddddddd": all digits at once, each in its byte of a word, the first in the lowest. The divisions by 100
// and 10 are multiplications that are exact for such small numbers.
static inline void write_seven(char *out, uint32_t fraction) {
    uint64_t fours = fraction / 10000 | (uint64_t)(fraction % 10000) << 32;
    uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007F0000007F;
    uint64_t pairs = hundreds | (fours - 100 * hundreds) << 16;
    uint64_t tens = (pairs * 103 >> 10) & 0x000F000F000F000F;
    uint64_t digits = (tens | (pairs - 10 * tens) << 8) + 0x3030303030303030;
    for (int i = 0; i < 8; ++i) out[i] = (char)(digits >> 8 * i);
    out[0] = '.';
}

static inline size_t write_fixed(char *out, float value, int decimals, uint32_t power) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t magnitude = bits & 0x7FFFFFFF;
    assert(magnitude < 0x7F800000); // finite
    if (magnitude >= (uint32_t)EXPONENT_BIAS << FRACTION_BITS) return write_huge(out, value);

    uint64_t scaled = scale(magnitude, power);
    uint64_t whole = scaled / power;
    uint32_t fraction = (uint32_t)(scaled - whole * power);
    *out = '-';
    char *end = write_whole(out + (bits != magnitude && scaled != 0), whole);
    if (fraction != 0) {
        write_seven(end, fraction * (MOST_DECIMALS_POWER / power));
        end += 1 + decimals;
        while (end[-1] == '0') --end;
    }
    return (size_t)(end - out);
}

// 2^23 and more: a whole number. No position that anyone looks at, so libc's exact conversion is fast enough;
// it has no decimal point, hence no locale.
static size_t write_huge(char *out, float value) {
    return (size_t)snprintf(out, PROTOCOL_FIXED_BYTES, "%.0f", (double)value);
}
