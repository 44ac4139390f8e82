// The number writers against libc: fixed point is snprintf's rounding, shortest gives back the same bits with
// the fewest digits.
#include "sanitized.h"
#include "unit_test.h"

#include <cjson/cJSON.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/buffer.h>
#include <text/number.h>
#include <time.h>

enum { RANDOM_FLOATS = SANITIZED ? 20000 : 100000, RANDOM_DOUBLES = SANITIZED ? 15000 : 100000 };

// Factor on the number of random cases; ./dev soak sets it.
static int rounds(void) {
    const char *text = getenv("TWEED_NUMBER_ROUNDS");
    return text ? atoi(text) : 1;
}

static uint64_t random_state;

static uint32_t random_bits(void) { // splitmix64
    uint64_t z = random_state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return (uint32_t)((z ^ z >> 31) >> 32);
}

static float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The expected JSON: snprintf's rounding of the exact value, without trailing zeros and -0.
static void expect_fixed(float value, int decimals, char out[64]) {
    int length = snprintf(out, 64, "%.*f", decimals, (double)value);
    while (out[length - 1] == '0') length--;
    if (out[length - 1] == '.') length--;
    out[length] = '\0';
    if (strcmp(out, "-0") == 0) strcpy(out, "0");
}

static void check_fixed(float value) {
    for (int decimals = 2; decimals <= 7; decimals++) {
        char text[TEXT_FIXED_BYTES + 1], expected[64];
        size_t length = text_write_fixed(text, value, decimals);
        if (length > TEXT_FIXED_BYTES) fail_msg("%zu bytes for %a", length, (double)value);
        text[length] = '\0';
        expect_fixed(value, decimals, expected);
        if (strcmp(text, expected) != 0) {
            fail_msg("%a with %d decimals: \"%s\" instead of \"%s\"", (double)value, decimals, text,
                     expected);
        }
    }
}

static void check_both_signs(float value) {
    check_fixed(value);
    check_fixed(-value);
}

static void test_fixed_is_snprintf_without_trailing_zeros(void **state) {
    (void)state;
    random_state = 1;
    for (int i = 0; i < RANDOM_FLOATS * rounds(); i++) {
        uint32_t bits = random_bits();
        float any = float_of_bits(bits);
        if (isfinite(any)) check_fixed(any);
        check_fixed(float_of_bits((bits & 0x807FFFFF) | (100 + random_bits() % 52) << 23)); // 2^-27 to 2^25
        check_fixed((float)random_bits() / 4294967296.0f * 20 - 10);                        // positions
        check_fixed(((float)random_bits() / 4294967296.0f - 0.5f) * 1e-4f); // about the last decimal
    }
}

static void test_fixed_at_the_edges(void **state) {
    (void)state;
    static const float edges[] = {
        0.0f,         1.0f,  0.1f,          9.999999f,     99.99999f,     0.99999994f, 8388607.5f, 8388608.0f,
        16777216.0f,  1e9f,  1e10f,         4294967296.0f, 1.8446744e19f, 3e19f,       FLT_MAX,    FLT_MIN,
        FLT_TRUE_MIN, 5e-8f, 4.9999998e-8f, 0.005f,        0.015f,        1e-7f};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        check_both_signs(edges[i]);
        check_both_signs(nextafterf(edges[i], 0));
        if (edges[i] < FLT_MAX) check_both_signs(nextafterf(edges[i], FLT_MAX));
    }
    for (int exponent = -149; exponent < 128; exponent++) check_both_signs(ldexpf(1, exponent));
    for (uint32_t bits = 0; bits < 100; bits++) check_both_signs(float_of_bits(bits * 83886)); // subnormals
}

// Halves test rounding to nearest: k/8 at 2 decimals, k/256 at 7.
static void test_fixed_rounds_halves_to_even(void **state) {
    (void)state;
    for (int shift = 3; shift <= 8; shift++) {
        for (int k = 0; k < 20000; k++) check_both_signs(ldexpf((float)k, -shift));
    }
    char text[TEXT_FIXED_BYTES];
    assert_int_equal(text_write_fixed(text, 0.125f, 2), 4);
    assert_memory_equal(text, "0.12", 4);
    assert_int_equal(text_write_fixed(text, 0.375f, 2), 4);
    assert_memory_equal(text, "0.38", 4);
    assert_int_equal(text_write_fixed(text, -0.004f, 2), 1);
    assert_memory_equal(text, "0", 1);
}

static void test_a_list_is_its_numbers_with_commas(void **state) {
    (void)state;
    static const float values[] = {0.5f, -0.0f, -1e-9f, FLT_MAX, 12.25f, -8388607.5f, 1, -0.1f};
    enum { COUNT = sizeof values / sizeof *values };
    for (int decimals = 2; decimals <= 7; decimals++) {
        char list[COUNT * (TEXT_FIXED_BYTES + 1)], expected[sizeof list];
        size_t length = 0;
        for (size_t count = 1; count <= COUNT; count++) {
            if (count > 1) expected[length++] = ',';
            length += text_write_fixed(expected + length, values[count - 1], decimals);
            assert_int_equal(text_write_fixed_list(list, values, count, decimals), length);
            assert_memory_equal(list, expected, length);
        }
        assert_int_equal(text_write_fixed_list(list, values, 0, decimals), 0);
    }
}

static void check_matrices(const float matrices[][16], size_t count) {
    enum { MOST = 9 };
    static char text[MOST * TEXT_FIXED_MATRIX_BYTES], expected[sizeof text];
    const float *pointers[MOST];
    for (size_t i = 0; i < count; i++) pointers[i] = matrices[i];
    for (int decimals = 2; decimals <= 7; decimals++) {
        char *end = expected;
        for (size_t i = 0; i < 16 * count; i++) {
            char number[64];
            expect_fixed(matrices[i / 16][i % 16], decimals, number);
            end += sprintf(end, "%s%s", i == 0 ? "" : i % 16 == 0 ? "],[" : ",", number);
        }
        const size_t length = text_write_fixed_matrices(text, pointers, count, decimals);
        text[length] = '\0';
        *end = '\0';
        assert_string_equal(text, expected);
    }
}

static void fill_matrix(float matrix[16], float range) {
    for (int i = 0; i < 16; i++) matrix[i] = (2 * ((float)random_bits() / 4294967296.0f) - 1) * range;
    for (int i = 3; i < 15; i += 4) matrix[i] = 0;
    for (int i = 12; i < 15; i++) matrix[i] *= (float)(1 << random_bits() % 12);
    matrix[15] = 1;
}

// Ranges above and below what is written in lanes, numbers that round to 0, and lists of each length.
static void test_matrices_are_their_numbers(void **state) {
    (void)state;
    random_state = 5;
    float matrices[9][16];
    static const float ranges[] = {1, 3, 9, 11, 1e4f, 1e12f, 2e-5f, 1e-3f};
    enum { RANGES = sizeof ranges / sizeof *ranges };
    for (int i = 0; i < RANDOM_FLOATS / 100 * rounds(); i++) {
        for (int k = 0; k < 9; k++) fill_matrix(matrices[k], ranges[i % 2 ? 0 : random_bits() % RANGES]);
        if (i % 3 == 0) matrices[random_bits() % 9][random_bits() % 16] = ranges[random_bits() % RANGES];
        check_matrices((const float(*)[16])matrices, (size_t)i % 10);
    }
    check_matrices(NULL, 0);
}

// Each at each place of a matrix that else has a sign and all digits.
static void test_matrices_at_the_edges(void **state) {
    (void)state;
    static const float edges[] = {0.0f,       -0.0f,     1.0f,        0.1f,         9.999999f, 10.0f,
                                  99.99999f,  99.9999f,  999.99994f,  1000.0f,      999.9999f, 10.1f,
                                  9.999995f,  100.0f,    100.1f,      5e-6f,        4.9e-6f,   1e-5f,
                                  0.015f,     0.005f,    0.99999994f, 1e10f,        FLT_MAX,   FLT_MIN,
                                  8388608.0f, 0.999995f, 0.00048828f, FLT_TRUE_MIN, 12.3456f};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        for (int place = 0; place < 32; place++) {
            float matrix[1][16];
            for (int k = 0; k < 16; k++) matrix[0][k] = k % 4 == 3 ? 0 : k < 12 ? -2.34567f : -234.56789f;
            matrix[0][15] = 1;
            matrix[0][place / 2] = place % 2 ? -edges[i] : edges[i];
            check_matrices((const float(*)[16])matrix, 1);
        }
}

// Integers up to 10^6, and to 10^8 in positions, which are divided into digits in lanes.
static void test_matrices_have_the_right_digits(void **state) {
    (void)state;
    for (uint32_t first = 0; first < 1000000; first += SANITIZED ? 900 : 9) {
        float matrix[16];
        fill_matrix(matrix, 1);
        for (uint32_t i = 0; i < 9; i++) matrix[i + i / 3] = (float)(first + i) / 100000.0f;
        for (uint32_t i = 12; i < 15; i++) matrix[i] = (float)(first * 100 + i) / 100000.0f;
        check_matrices((const float(*)[16])(void *)matrix, 1);
    }
}

static bool float_comes_back(const char *text, float value) {
    float back = strtof(text, NULL);
    return memcmp(&back, &value, sizeof back) == 0;
}

// The number of significant digits of a decimal text.
static int count_digits(const char *text) {
    int count = 0, zeros = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (count + zeros == 0 && *text == '0')) continue;
        if (*text == '0') {
            zeros++;
        } else {
            count += zeros + 1;
            zeros = 0;
        }
    }
    return count;
}

static int fewest_digits(float value) {
    char text[64];
    for (int digits = 1; digits < 9; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, (double)value);
        if (float_comes_back(text, value)) return digits;
    }
    return 9;
}

static void check_shortest(float value) {
    char text[TEXT_FLOAT_BYTES + 1];
    size_t length = text_write_float(text, value);
    if (length > TEXT_FLOAT_BYTES) fail_msg("%zu bytes for %a", length, (double)value);
    text[length] = '\0';
    if (!float_comes_back(text, value)) fail_msg("%a is written \"%s\"", (double)value, text);
    if (count_digits(text) > fewest_digits(value)) {
        fail_msg("%a is written \"%s\", but %d digits are enough", (double)value, text, fewest_digits(value));
    }
    double near = text_double_from_float(value);
    if (near != strtod(text, NULL)) fail_msg("%a becomes the double %a, not %s", (double)value, near, text);
}

static void test_shortest_float_gives_back_the_bits(void **state) {
    (void)state;
    random_state = 2;
    for (int i = 0; i < RANDOM_FLOATS * rounds(); i++) {
        float any = float_of_bits(random_bits());
        if (isfinite(any) && any != 0) check_shortest(any);
        check_shortest(0.001f + (float)random_bits() / 4294967296.0f * 20 - 10);
        check_shortest((float)(random_bits() % 200000) / 10000.0f + 0.0001f); // what an author writes
    }
    for (int exponent = -149; exponent < 128; exponent++) {
        float power = ldexpf(1, exponent);
        check_shortest(power);
        check_shortest(-nextafterf(power, FLT_MAX));
        if (exponent > -149) check_shortest(nextafterf(power, 0));
    }
    for (int exponent = -45; exponent <= 38; exponent++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", exponent);
        check_shortest(strtof(text, NULL));
    }
    check_shortest(FLT_MAX);
}

static void test_shortest_looks_like_ecmascript(void **state) {
    (void)state;
    static const struct {
        float value;
        const char *text;
    } cases[] = {
        {0.0f, "0"},
        {-0.0f, "0"},
        {1.0f, "1"},
        {-9.81f, "-9.81"},
        {0.1f, "0.1"},
        {100.0f, "100"},
        {1e-6f, "0.000001"},
        {1e-7f, "1e-7"},
        {-4.371139e-8f, "-4.371139e-8"},
        {1e20f, "100000000000000000000"},
        {1e21f, "1e+21"},
        {16777216.0f, "16777216"},
        {0.33333334f, "0.33333334"},
        {1234.5f, "1234.5"},
        {FLT_TRUE_MIN, "1e-45"},
        {FLT_MAX, "3.4028235e+38"},
        {9.5367432e-7f, "9.536743e-7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[TEXT_FLOAT_BYTES + 1];
        text[text_write_float(text, cases[i].value)] = '\0';
        assert_string_equal(text, cases[i].text);
    }
}

static void check_double(double value) {
    char text[TEXT_DOUBLE_BYTES + 1], shorter[64];
    size_t length = text_write_double(text, value);
    if (length > TEXT_DOUBLE_BYTES) fail_msg("%zu bytes for %a", length, value);
    text[length] = '\0';
    if (strtod(text, NULL) != value) fail_msg("%a is written \"%s\"", value, text);
    snprintf(shorter, sizeof shorter, "%.*e", count_digits(text) > 1 ? count_digits(text) - 2 : 0, value);
    if (count_digits(text) > 1 && strtod(shorter, NULL) == value)
        fail_msg("\"%s\" where %s is enough", text, shorter);
}

static void test_shortest_double_gives_back_the_bits(void **state) {
    (void)state;
    random_state = 3;
    for (int i = 1; i < RANDOM_DOUBLES; i++) {
        check_double(i / 60.0); // times
        check_double(i / 120.0);
        uint64_t bits = (uint64_t)random_bits() << 32 | random_bits();
        double any;
        memcpy(&any, &bits, sizeof any);
        if (isfinite(any)) check_double(any);
    }
    static const double edges[] = {1,
                                   1e15,
                                   1e16,
                                   9007199254740991.0,
                                   9007199254740992.0,
                                   1e21,
                                   1e22,
                                   1e23,
                                   1e-3,
                                   1e-7,
                                   DBL_MAX,
                                   DBL_MIN,
                                   DBL_TRUE_MIN,
                                   0.1,
                                   0.3,
                                   1.0 / 3,
                                   5e-324,
                                   123456789012345680.0};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        check_double(edges[i]);
        check_double(nextafter(edges[i], 0));
    }
    char text[TEXT_DOUBLE_BYTES + 1];
    text[text_write_double(text, 13 / 60.0)] = '\0';
    assert_string_equal(text, "0.21666666666666667");
}

static void test_locale_does_not_matter(void **state) {
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C.UTF-8"};
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        if (!setlocale(LC_ALL, locales[i])) continue;
        char text[TEXT_DOUBLE_BYTES + 1];
        text[text_write_double(text, 1 / 3.0)] = '\0';
        assert_string_equal(text, "0.3333333333333333");
        text[text_write_float(text, 1e-30f)] = '\0';
        assert_string_equal(text, "1e-30");
        text[text_write_fixed(text, 1.5f, 5)] = '\0';
        assert_string_equal(text, "1.5");
        assert_true(text_double_from_float(1.1e-30f) == 1.1e-30);
    }
    setlocale(LC_ALL, "C");
}

#if defined(__OPTIMIZE__) && !SANITIZED
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// The promise is 40 times. Here 20, so that a busy machine does not fail. The benchmark prints the real
// ratio.
static void test_fixed_is_much_faster_than_cjson(void **state) {
    (void)state;
    enum { COUNT = 6000, ROUNDS = 20 };
    static float values[COUNT];
    random_state = 4;
    for (int i = 0; i < COUNT; i++) values[i] = (float)random_bits() / 4294967296.0f * 4 - 2;
    cJSON *array = cJSON_CreateFloatArray(values, COUNT);
    TextBuffer text = {0};
    double ours = 1e9, theirs = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        text_buffer_clear(&text);
        double start = seconds();
        text_buffer_append_fixed(&text, values, COUNT, 5);
        double middle = seconds();
        free(cJSON_PrintUnformatted(array));
        double end = seconds();
        if (middle - start < ours) ours = middle - start;
        if (end - middle < theirs) theirs = end - middle;
    }
    print_message("a number: %.1f ns, cJSON %.1f ns, ratio %.0f\n", ours / COUNT * 1e9, theirs / COUNT * 1e9,
                  theirs / ours);
    assert_true(theirs > 20 * ours);
    text_buffer_finish(&text);
    cJSON_Delete(array);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_is_snprintf_without_trailing_zeros),
        cmocka_unit_test(test_fixed_at_the_edges),
        cmocka_unit_test(test_fixed_rounds_halves_to_even),
        cmocka_unit_test(test_a_list_is_its_numbers_with_commas),
        cmocka_unit_test(test_matrices_are_their_numbers),
        cmocka_unit_test(test_matrices_at_the_edges),
        cmocka_unit_test(test_matrices_have_the_right_digits),
        cmocka_unit_test(test_shortest_float_gives_back_the_bits),
        cmocka_unit_test(test_shortest_looks_like_ecmascript),
        cmocka_unit_test(test_shortest_double_gives_back_the_bits),
        cmocka_unit_test(test_locale_does_not_matter),
#if defined(__OPTIMIZE__) && !SANITIZED
        cmocka_unit_test(test_fixed_is_much_faster_than_cjson),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
