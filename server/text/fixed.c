// Fixed-point numbers, the bulk of every frame.
//
// A float is m * 2^e with m < 2^24, and 10^7 < 2^24, so the product with a power of ten is exact in a double,
// and adding 2^52 rounds it to an integer, halves to even, that stands in the sum's low bits: nothing of
// printf's generality is needed. Digits come from a table, three at a time. Divisions by the power of ten are
// multiplications where the compiler knows the power, hence one copy of the writer for each number of
// decimals.
#include "matrix_lanes.h"
#include "text/number.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Three digits as text, the first in the lowest byte.
typedef struct Digits {
    uint32_t ones;      // "d.dd"
    uint32_t thousands; // "ddd"; the highest byte counts them, less the zeros at their end
} Digits;

#define BYTES(a, b, c, d)    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define SIGNIFICANT(a, b, c) ((c) > 0 ? 3 : (b) > 0 ? 2 : (a) > 0 ? 1 : 0)
#define DIGITS(a, b, c)                                                                                      \
    {                                                                                                        \
        BYTES('0' + (a), '.', '0' + (b), '0' + (c)),                                                         \
            BYTES('0' + (a), '0' + (b), '0' + (c), SIGNIFICANT(a, b, c))                                     \
    }
#define TEN(a, b)                                                                                            \
    DIGITS(a, b, 0), DIGITS(a, b, 1), DIGITS(a, b, 2), DIGITS(a, b, 3), DIGITS(a, b, 4), DIGITS(a, b, 5),    \
        DIGITS(a, b, 6), DIGITS(a, b, 7), DIGITS(a, b, 8), DIGITS(a, b, 9)
#define HUNDRED(a)                                                                                           \
    TEN(a, 0), TEN(a, 1), TEN(a, 2), TEN(a, 3), TEN(a, 4), TEN(a, 5), TEN(a, 6), TEN(a, 7), TEN(a, 8),       \
        TEN(a, 9)
static const Digits table[1000] = {HUNDRED(0), HUNDRED(1), HUNDRED(2), HUNDRED(3), HUNDRED(4),
                                   HUNDRED(5), HUNDRED(6), HUNDRED(7), HUNDRED(8), HUNDRED(9)};

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

size_t text_write_fixed_matrices(char *out, const float *const matrices[], size_t count, int decimals) {
    const bool in_lanes = decimals <= TEXT_LANES_MOST_DECIMALS && text_lanes_run();
    char *end = out;
    for (size_t i = 0; i < count; i++) {
        if (in_lanes) i += text_write_matrix_lanes(&end, matrices + i, count - i, decimals);
        if (i == count) break;
        end += text_write_fixed_list(end, matrices[i], 16, decimals);
        memcpy(end, "],[", 3);
        end += 3;
    }
    return count > 0 ? (size_t)(end - out) - 3 : 0;
}

// The digits before the last one of the whole part; most numbers have none.
static char *write_tens(char *out, uint64_t tens) {
    char digits[20];
    size_t at = sizeof digits;
    for (; tens > 0; tens /= 10) digits[--at] = (char)('0' + tens % 10);
    memcpy(out, digits + at, sizeof digits - at);
    return out + sizeof digits - at;
}

// Less than ten, without the zeros at the end. Stores whole words; what follows overwrites the excess.
static inline char *write_small(char *out, uint32_t scaled, int decimals, uint32_t power) {
    uint32_t last = 0; // the sixth and the seventh decimal
    if (decimals > 5) {
        scaled *= 10000000 / power;
        last = scaled % 100;
        scaled /= 100;
    } else {
        scaled *= 100000 / power;
    }
    const uint64_t middle = table[scaled % 1000].thousands;
    const uint64_t first = table[scaled / 1000].ones | middle << 32;
    for (int i = 0; i < 8; i++) out[i] = (char)(first >> 8 * i);
    if (last > 0) {
        const uint32_t end = table[10 * last].thousands;
        for (int i = 0; i < 4; i++) out[7 + i] = (char)(end >> 8 * i);
        return out + 7 + (end >> 24);
    }
    if (middle >> 24 > 0) return out + 4 + (middle >> 24);
    out += 4;
    while (out[-1] == '0') out--;
    return out[-1] == '.' ? out - 1 : out;
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
    *out = '0';
    if (scaled == 0) return out + 1; // three numbers of each rigid matrix
    *out = '-';
    out += value < 0;
    const uint64_t ten = 10 * (uint64_t)power;
    if (scaled >= ten) {
        out = write_tens(out, scaled / ten);
        scaled %= ten;
    }
    return write_small(out, (uint32_t)scaled, decimals, power);
}

static inline char *write_list(char *out, const float *values, size_t count, int decimals, uint32_t power) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0) *out++ = ',';
        out = write_fixed(out, values[i], decimals, power);
    }
    return out;
}
