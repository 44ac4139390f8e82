// A lane of 64 bits is a number, eight of them half a matrix. A number is rounded to an integer below 10^8
// (fixed.c tells how) and divided into eight bytes, a digit each, the first in the lowest. From these the
// longest text of the half is put together, at most 64 bytes: nine for each number, eleven for one of the
// position, and two for the 0 or 1 at a column's end. Those that are not to be seen, such as zeros at the
// end, are squeezed out.
#include "matrix_lanes.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define TARGET                                                                                               \
    __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx512cd,avx512vbmi,avx512vbmi2,popcnt")))
#define INLINE static inline __attribute__((always_inline)) TARGET

// A byte of the text is one of the 64 digits, or one of CHARACTERS; it is seen with a digit, or a minus with
// the first byte of its number's lane in a second vector.
enum { MINUS = 64, POINT, COMMA, SECOND = 64 };

#define CHARACTERS ('-' | '.' << 8 | ',' << 16)

#define SMALL_TEXT(at)               MINUS, at + 2, POINT, at + 3, at + 4, at + 5, at + 6, at + 7, COMMA
#define SMALL_SEEN(at)               SECOND + at, at + 2, at + 3, at + 3, at + 4, at + 5, at + 6, at + 7, at + 2
#define LARGE_TEXT(at)               MINUS, at, at + 1, at + 2, POINT, at + 3, at + 4, at + 5, at + 6, at + 7, COMMA
#define LARGE_SEEN(at)               SECOND + at, at, at + 1, at + 2, at + 3, at + 3, at + 4, at + 5, at + 6, at + 7, at + 2
#define CONSTANT_TEXT(at)            at + 2, COMMA
#define CONSTANT_SEEN(at)            at + 2, at + 2
#define COLUMN(number, constant, at) number(at), number(at + 8), number(at + 16), constant(at + 24)

// The two halves of a matrix: its third column of small numbers stands beside the position.
typedef struct Half {
    uint8_t text[64], seen[64];
    double limits[8]; // all numbers are below
} Half;

static const Half first_half = {{COLUMN(SMALL_TEXT, CONSTANT_TEXT, 0), COLUMN(SMALL_TEXT, CONSTANT_TEXT, 32)},
                                {COLUMN(SMALL_SEEN, CONSTANT_SEEN, 0), COLUMN(SMALL_SEEN, CONSTANT_SEEN, 32)},
                                {10, 10, 10, 10, 10, 10, 10, 10}};
static const Half second_half = {
    {COLUMN(SMALL_TEXT, CONSTANT_TEXT, 0), COLUMN(LARGE_TEXT, CONSTANT_TEXT, 32)},
    {COLUMN(SMALL_SEEN, CONSTANT_SEEN, 0), COLUMN(LARGE_SEEN, CONSTANT_SEEN, 32)},
    {10, 10, 10, 10, 1000, 1000, 1000, 1000}};

#define ONES     (UINT64_C(0xFF) << 16) // the digit before the point, which is always seen
#define LAST_ROW 0x8888                 // of the numbers of a matrix

typedef struct Scale {
    __m512d power; // of ten, with the decimals
    __m512i fill;  // the power of ten that makes it five decimals
} Scale;

bool text_lanes_run(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2");
}

// Divides by 10,000, 100 and 10. A division is a multiplication by the reciprocal, exact for numbers so
// small.
INLINE __m512i digits_of(__m512i number) {
    const __m512i high = _mm512_srli_epi64(_mm512_mul_epu32(number, _mm512_set1_epi64(109951163)), 40);
    const __m512i low = _mm512_sub_epi64(number, _mm512_mul_epu32(high, _mm512_set1_epi64(10000)));
    const __m512i fours = _mm512_or_si512(high, _mm512_slli_epi64(low, 32));
    const __m512i hundreds = _mm512_srli_epi16(_mm512_mulhi_epu16(fours, _mm512_set1_epi32(5243)), 3);
    const __m512i rest = _mm512_sub_epi32(fours, _mm512_mullo_epi16(hundreds, _mm512_set1_epi32(100)));
    const __m512i twos = _mm512_or_si512(hundreds, _mm512_slli_epi32(rest, 16));
    const __m512i tens = _mm512_mulhi_epu16(twos, _mm512_set1_epi16(6554));
    const __m512i ones = _mm512_sub_epi16(twos, _mm512_mullo_epi16(tens, _mm512_set1_epi16(10)));
    return _mm512_or_si512(tens, _mm512_slli_epi16(ones, 8));
}

// All bits of the digits from the first to the last that is not zero, ONES counted as such.
INLINE __m512i seen_digits(__m512i digits) {
    const __m512i any =
        _mm512_or_si512(_mm512_movm_epi8(_mm512_test_epi8_mask(digits, digits)), _mm512_set1_epi64(ONES));
    const __m512i from_first = _mm512_or_si512(any, _mm512_sub_epi64(_mm512_setzero_si512(), any));
    const __m512i to_last = _mm512_srlv_epi64(_mm512_set1_epi64(-1), _mm512_lzcnt_epi64(any));
    return _mm512_and_si512(from_first, to_last);
}

// Returns NULL where a number is too large.
INLINE char *write_half(char *out, const float values[8], const Half *half, const Scale *scale) {
    const __m512d number = _mm512_cvtps_pd(_mm256_loadu_ps(values)), shift = _mm512_set1_pd(0x1p52);
    const __m512d sum = _mm512_add_pd(_mm512_mul_pd(_mm512_abs_pd(number), scale->power), shift);
    const __m512d limit = _mm512_add_pd(_mm512_mul_pd(_mm512_loadu_pd(half->limits), scale->power), shift);
    if (_mm512_cmp_pd_mask(sum, limit, _CMP_NLT_UQ)) return NULL;
    const __m512i integer = _mm512_xor_si512(_mm512_castpd_si512(sum), _mm512_castpd_si512(shift));
    const __mmask8 is_negative =
        _mm512_mask_test_epi64_mask(_mm512_movepi64_mask(_mm512_castpd_si512(number)), integer, integer);
    const __m512i digits = digits_of(_mm512_mul_epu32(integer, scale->fill));
    const __m512i text =
        _mm512_permutex2var_epi8(_mm512_or_si512(digits, _mm512_set1_epi8('0')),
                                 _mm512_loadu_si512(half->text), _mm512_set1_epi32(CHARACTERS));
    const __m512i seen = _mm512_permutex2var_epi8(seen_digits(digits), _mm512_loadu_si512(half->seen),
                                                  _mm512_movm_epi64(is_negative));
    const __mmask64 kept = _mm512_movepi8_mask(seen);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, text));
    return out + _mm_popcnt_u64(kept);
}

TARGET size_t text_write_matrix_lanes(char **out, const float *const matrices[], size_t count, int decimals) {
    static const double powers[] = {1, 10, 100, 1e3, 1e4, 1e5};
    const double fill = powers[TEXT_LANES_MOST_DECIMALS - decimals];
    const Scale scale = {_mm512_set1_pd(powers[decimals]), _mm512_set1_epi64((int64_t)fill)};
    const __m512 last_row = _mm512_maskz_mov_ps(1 << 15, _mm512_set1_ps(1));
    size_t done = 0;
    for (; done < count; done++) {
        const float *matrix = matrices[done];
        if (_mm512_mask_cmp_ps_mask(LAST_ROW, _mm512_loadu_ps(matrix), last_row, _CMP_NEQ_UQ)) break;
        char *end = write_half(*out, matrix, &first_half, &scale);
        if (end) end = write_half(end, matrix + 8, &second_half, &scale);
        if (!end) break;
        memcpy(end - 1, "],[", 3);
        *out = end + 2;
    }
    return done;
}
#else
bool text_lanes_run(void) {
    return false;
}

size_t text_write_matrix_lanes(char **out, const float *const matrices[], size_t count, int decimals) {
    (void)out, (void)matrices, (void)count, (void)decimals;
    return 0;
}
#endif
