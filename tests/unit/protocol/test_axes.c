// The conventions on random transforms: a conversion keeps the geometry.
#include "protocol/axes.h"
#include "unit_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRANSFORMS = 200 };

static uint32_t random_state;

// -1 to 1
static float random_float(void) {
    random_state = random_state * 1664525 + 1013904223;
    return (float)(random_state >> 8) / 8388608.0f - 1.0f;
}

static void random_quaternion(float out[4]) {
    float squares = 0;
    for (int i = 0; i < 4; i++) {
        out[i] = random_float();
        squares += out[i] * out[i];
    }
    for (int i = 0; i < 4; i++) out[i] /= sqrtf(squares);
}

static void transform(const float m[16], const float p[3], float w, float out[3]) {
    for (int row = 0; row < 3; row++)
        out[row] = m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row] * w;
}

static void assert_near(const float *a, const float *b, int count, float tolerance) {
    for (int i = 0; i < count; i++) {
        if (!(fabsf(a[i] - b[i]) <= tolerance)) fail_msg("[%d] is %g, not %g", i, (double)a[i], (double)b[i]);
    }
}

static void check_transform(ProtocolAxes axes) {
    float t[3], q[4], scale[3], m[16], point[3];
    for (int i = 0; i < 3; i++) {
        t[i] = 2 * random_float();
        scale[i] = 1.25f + random_float();
        point[i] = 2 * random_float();
    }
    random_quaternion(q);
    protocol_compose(t, q, scale, m);
    float unit = protocol_axes_unit(axes), tolerance = 2e-5f * unit;

    // A point moved and converted is the converted point moved by the converted matrix.
    float converted[16], moved[3], expected[3], actual[3];
    protocol_axes_matrix(axes, m, converted);
    transform(m, point, 1, moved);
    protocol_axes_position(axes, moved, expected);
    float start[3];
    protocol_axes_position(axes, point, start);
    transform(converted, start, 1, actual);
    assert_near(actual, expected, 3, tolerance);

    // The same for a direction, without the unit.
    transform(m, point, 0, moved);
    protocol_axes_direction(axes, moved, expected);
    protocol_axes_direction(axes, point, start);
    transform(converted, start, 0, actual);
    assert_near(actual, expected, 3, 2e-5f);

    // Back again.
    float back[16], back_q[4];
    protocol_axes_from_matrix(axes, converted, back);
    assert_near(back, m, 16, 1e-6f);
    protocol_axes_position(axes, point, start);
    protocol_axes_from_position(axes, start, actual);
    assert_near(actual, point, 3, 1e-6f);
    protocol_axes_direction(axes, point, start);
    protocol_axes_from_direction(axes, start, actual);
    assert_near(actual, point, 3, 0);
    protocol_axes_scale(axes, scale, start);
    protocol_axes_from_scale(axes, start, actual);
    assert_near(actual, scale, 3, 0);
    protocol_axes_quaternion(axes, q, back_q);
    protocol_axes_from_quaternion(axes, back_q, back_q);
    assert_near(back_q, q, 4, 0);

    // Converted translation, rotation and scale make the converted matrix, and the other way round.
    float parts[3], turn[4], factors[3], composed[16], found_t[3], found_q[4], found_scale[3];
    protocol_axes_position(axes, t, parts);
    protocol_axes_quaternion(axes, q, turn);
    protocol_axes_scale(axes, scale, factors);
    protocol_compose(parts, turn, factors, composed);
    assert_near(composed, converted, 16, tolerance);
    protocol_decompose(converted, found_t, found_q, found_scale);
    assert_near(found_t, parts, 3, 0);
    assert_near(found_scale, factors, 3, 1e-5f);
    float sign = turn[3] < 0 ? -1.0f : 1.0f;
    for (int i = 0; i < 4; i++) turn[i] *= sign;
    assert_near(found_q, turn, 4, 1e-5f);
}

static void test_converting_commutes_with_moving(void **state) {
    (void)state;
    random_state = 5;
    for (int axes = 0; axes < PROTOCOL_AXES_COUNT; axes++) {
        for (int i = 0; i < TRANSFORMS; i++) check_transform((ProtocolAxes)axes);
    }
}

// The table of axes in protocol/README.md.
static void test_conventions_are_the_documented_ones(void **state) {
    (void)state;
    const float p[3] = {1, 2, 3}, q[4] = {0.1f, 0.2f, 0.3f, 0.9f};
    static const struct {
        ProtocolAxes axes;
        float position[3], quaternion[4], scale[3];
    } cases[] = {
        {PROTOCOL_AXES_GLTF, {1, 2, 3}, {0.1f, 0.2f, 0.3f, 0.9f}, {1, 2, 3}},
        {PROTOCOL_AXES_BLENDER, {1, -3, 2}, {0.1f, -0.3f, 0.2f, 0.9f}, {1, 3, 2}},
        {PROTOCOL_AXES_UNREAL, {100, 300, 200}, {-0.1f, -0.3f, -0.2f, 0.9f}, {1, 3, 2}},
        {PROTOCOL_AXES_UNITY, {-1, 2, 3}, {0.1f, -0.2f, -0.3f, 0.9f}, {1, 2, 3}},
        {PROTOCOL_AXES_MAYA, {100, 200, 300}, {0.1f, 0.2f, 0.3f, 0.9f}, {1, 2, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float out[4];
        protocol_axes_position(cases[i].axes, p, out);
        assert_near(out, cases[i].position, 3, 0);
        protocol_axes_quaternion(cases[i].axes, q, out);
        assert_near(out, cases[i].quaternion, 4, 0);
        protocol_axes_scale(cases[i].axes, p, out);
        assert_near(out, cases[i].scale, 3, 0);
    }
    assert_string_equal(protocol_axes_names[PROTOCOL_AXES_UNREAL], "unreal");
    assert_null(protocol_axes_names[PROTOCOL_AXES_COUNT]);
}

static void assert_recomposes(const float m[16]) {
    float t[3], q[4], scale[3], back[16];
    protocol_decompose(m, t, q, scale);
    assert_true(q[3] >= 0);
    assert_true(fabsf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 1e-5f);
    protocol_compose(t, q, scale, back);
    assert_near(back, m, 16, 1e-5f);
    // A column of length 0 takes its sign from the handedness of the other two.
    if (scale[0] * scale[1] * scale[2] == 0) assert_true(scale[0] >= 0 && scale[1] >= 0 && scale[2] >= 0);
}

// Half turns, mirrored and flat matrices: decomposition and composition give the matrix again.
static void test_decomposes_awkward_matrices(void **state) {
    (void)state;
    static const float half_turns[][4] = {
        {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0.6f, 0, 0.8f, 0}, {0, 0, 0, 1}};
    static const float scales[][3] = {{1, 1, 1}, {-1, 1, 1}, {1, -2, 1}, {-1, -1, -1},
                                      {0, 1, 1}, {1, 0, 1},  {1, 1, 0},  {0, 0, 1},
                                      {0, 1, 0}, {1, 0, 0},  {0, 0, 0},  {1e-12f, 1, 1}};
    const float t[3] = {1, -2, 3};
    for (size_t i = 0; i < sizeof half_turns / sizeof *half_turns; i++) {
        for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
            float m[16];
            protocol_compose(t, half_turns[i], scales[k], m);
            assert_recomposes(m);
        }
    }
    random_state = 6;
    for (int i = 0; i < 1000; i++) {
        float q[4], scale[3], m[16];
        random_quaternion(q);
        for (int k = 0; k < 3; k++) scale[k] = i % 4 == k ? 0 : 2 * random_float();
        protocol_compose(t, q, scale, m);
        assert_recomposes(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_converting_commutes_with_moving),
        cmocka_unit_test(test_conventions_are_the_documented_ones),
        cmocka_unit_test(test_decomposes_awkward_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
