// Keys of curves: as few as the error allows, and never off by more between them.
#include "gltf/keys.h"
#include "unit_test.h"

#include <math.h>
#include <string.h>

#define FRAMES 61

static SimTransform frames[FRAMES];
static int keys[FRAMES], stack[FRAMES];

static AssetCurve curve_of(AssetCurvePart part) {
    return (AssetCurve){frames, FRAMES, 1, part};
}

static void lie_still(void) {
    for (int i = 0; i < FRAMES; i++) frames[i] = SIM_TRANSFORM_IDENTITY;
}

// The greatest error of all frames between keys.
static double worst(const AssetCurve *curve, int count) {
    double most = 0.0;
    for (int i = 0; i + 1 < count; i++)
        for (int frame = keys[i]; frame <= keys[i + 1]; frame++)
            most = fmax(most, asset_curve_error(curve, keys[i], keys[i + 1], frame));
    return most;
}

static void test_what_does_not_move_has_one_key(void **state) {
    (void)state;
    lie_still();
    const AssetCurve positions = curve_of(ASSET_CURVE_POSITION), rotations = curve_of(ASSET_CURVE_ROTATION);
    assert_int_equal(asset_curve_keys(&positions, 0.0, keys, stack), 1);
    assert_int_equal(asset_curve_keys(&rotations, 0.0, keys, stack), 1);
    frames[30].position[1] = 1e-3f;
    assert_int_equal(asset_curve_keys(&positions, 1.1e-3, keys, stack), 1);
    assert_int_equal(asset_curve_keys(&positions, 0.9e-3, keys, stack), 5); // both ends, and the spike's foot
    assert_int_equal(keys[2], 30);
}

static void test_even_motion_has_two_keys(void **state) {
    (void)state;
    lie_still();
    for (int i = 0; i < FRAMES; i++) {
        frames[i].position[0] = (float)i;
        const double half = 1.5 * i / (FRAMES - 1); // 3 radians in all
        frames[i].rotation[0] = (float)sin(half);
        frames[i].rotation[3] = (float)cos(half);
    }
    const AssetCurve positions = curve_of(ASSET_CURVE_POSITION), rotations = curve_of(ASSET_CURVE_ROTATION);
    assert_int_equal(asset_curve_keys(&positions, 1e-5, keys, stack), 2);
    assert_int_equal(keys[1], FRAMES - 1);
    assert_int_equal(asset_curve_keys(&rotations, 1e-6, keys, stack), 2);
}

// Between keys h apart a parabola x^2 is off by h^2 / 4 in the middle.
static void test_a_parabola_has_the_keys_that_its_curvature_takes(void **state) {
    (void)state;
    lie_still();
    for (int i = 0; i < FRAMES; i++) frames[i].position[2] = (float)(i * i);
    const AssetCurve curve = curve_of(ASSET_CURVE_POSITION);
    for (int h = 2; h <= 60; h *= 2) {
        const double error = h * h / 4.0 + 1e-3;
        const int count = asset_curve_keys(&curve, error, keys, stack);
        assert_true(worst(&curve, count) <= error);
        assert_true(count - 1 >= 60 / (h + 1));
        assert_true(count - 1 <= 2 * 60 / h + 1); // halving gives twice the least at most
    }
}

static void test_an_error_of_zero_keeps_every_frame(void **state) {
    (void)state;
    lie_still();
    for (int i = 0; i < FRAMES; i++) frames[i].position[0] = (float)i;
    const AssetCurve curve = curve_of(ASSET_CURVE_POSITION);
    assert_int_equal(asset_curve_keys(&curve, 0.0, keys, stack), FRAMES);
    for (int i = 0; i < FRAMES; i++) assert_int_equal(keys[i], i);
}

static void test_errors_of_rotations_are_angles(void **state) {
    (void)state;
    lie_still();
    for (int i = 1; i <= 3; i++) {
        const double angle = pow(10.0, -2.0 * i); // 0.01 down to 1e-6 radians
        frames[1] = SIM_TRANSFORM_IDENTITY;
        frames[1].rotation[1] = (float)sin(angle / 2.0);
        frames[1].rotation[3] = (float)-cos(angle / 2.0); // the same rotation as with the other sign
        frames[1].rotation[1] = -frames[1].rotation[1];
        const AssetCurve curve = curve_of(ASSET_CURVE_ROTATION);
        assert_true(fabs(asset_curve_error(&curve, 0, 2, 1) / angle - 1.0) < 1e-5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_does_not_move_has_one_key),
        cmocka_unit_test(test_even_motion_has_two_keys),
        cmocka_unit_test(test_a_parabola_has_the_keys_that_its_curvature_takes),
        cmocka_unit_test(test_an_error_of_zero_keeps_every_frame),
        cmocka_unit_test(test_errors_of_rotations_are_angles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
