// Fixed-point numbers, the bulk of every frame.
//
// A float is m * 2^e with m < 2^24, and 10^7 < 2^24, so the product with a power of ten is exact in a double,
// and adding 2^52 rounds it to an integer, halves to even, that stands in the sum's low bits: nothing of
// printf's generality is needed. Divisions by the power of ten are multiplications where the compiler knows
// the power, hence one copy of the writer for each number of decimals.
#include "text/number.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DECIMALS_POWER = 10000000 }; // 10^7

static inline char *write_list(char *out, const float *values, size_t count, int decimals, uint32_t power);

size_t text_write_fixed(char *out, float value, int decimals) {
    return text_write_fixed_list(out, &value, 1, decimals);
}

size_t text_write_fixed_list(char *out, const float *values, size_t count, int decimals) {
    char *end = out;
    switch (decimals) {
    case 2:
        end = write_list(out, values, count, 2, 100);
        break;
    case 3:
        end = write_list(out, values, count, 3, 1000);
        break;
    case 4:
        end = write_list(out, values, count, 4, 10000);
        break;
    case 5:
        end = write_list(out, values, count, 5, 100000);
        break;
    case 6:
        end = write_list(out, values, count, 6, 1000000);
        break;
    default:
        assert(decimals == 7);
        end = write_list(out, values, count, 7, 10000000);
    }
    return (size_t)(end - out);
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
    uint64_t digits = (tens | (pairs - 10 * tens) << 8) + 0x303030303030302E;
    for (int i = 0; i < 8; i++) out[i] = (char)(digits >> 8 * i);
}

// 2^23 and more are whole numbers. They are rare, so libc's exact conversion is fast enough; without a
// decimal point it does not depend on the locale.
static char *write_huge(char *out, float value) {
    assert(isfinite(value));
    return out + snprintf(out, TEXT_FIXED_BYTES, "%.0f", (double)value);
}

static inline char *write_fixed(char *out, float value, int decimals, uint32_t power) {
    double magnitude = fabs((double)value);
    if (!(magnitude < 0x1p23)) return write_huge(out, value);
    double sum = magnitude * power + 0x1p52;
    uint64_t scaled;
    memcpy(&scaled, &sum, sizeof scaled);
    scaled &= ((uint64_t)1 << 52) - 1;

    uint64_t whole = scaled / power;
    uint32_t fraction = (uint32_t)(scaled - whole * power);
    *out = '-';
    out = write_whole(out + ((value < 0) & (scaled != 0)), whole);
    if (fraction == 0) return out;
    write_seven(out, fraction * (MOST_DECIMALS_POWER / power));
    out += 1 + decimals;
    while (out[-1] == '0') out--;
    return out;
}

static inline char *write_list(char *out, const float *values, size_t count, int decimals, uint32_t power) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0) *out++ = ',';
        out = write_fixed(out, values[i], decimals, power);
    }
    return out;
}
