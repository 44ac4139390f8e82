// Elementary functions against the C library's in double precision: exact to the last bit of a float.
#include "core/exact_math.h"
#include "sim_fixture.h"

static void assert_close(float found, double exact, const char *what, double x) {
    double bit = fmax(fabs(exact), 1e-30) * 6.0e-8; // half a unit in the last place, and a thousandth more
    if (fabs((double)found - exact) <= fmax(bit, 1e-12)) return;
    print_error("%s of %.9g is %.9g, expected %.9g\n", what, x, (double)found, exact);
    fail();
}

static void test_sine_and_cosine(void **state) {
    (void)state;
    for (int i = -200000; i <= 200000; i++) {
        float x = 0.0007f * (float)i;
        assert_close(sim_sin(x), sin((double)x), "sine", (double)x);
        assert_close(sim_cos(x), cos((double)x), "cosine", (double)x);
    }
    assert_true(sim_sin(0.0f) == 0.0f && sim_cos(0.0f) == 1.0f);
    assert_true(isnan(sim_sin(INFINITY)) && isnan(sim_cos(NAN)));
}

static void test_angles(void **state) {
    (void)state;
    for (int i = 0; i < 100000; i++) {
        double turn = 0.0001 * i;
        float x = (float)cos(turn), y = (float)sin(turn);
        assert_close(sim_atan2(y, x), atan2((double)y, (double)x), "angle", turn);
        assert_close(sim_atan2(y * 1e-6f, x), atan2((double)(y * 1e-6f), (double)x), "angle", turn);
    }
    assert_true(sim_atan2(0.0f, 0.0f) == 0.0f);
    assert_near(sim_atan2(0.0f, -1.0f), FIXTURE_PI, 1e-6);
}

static void test_powers(void **state) {
    (void)state;
    for (int i = 1; i <= 1000; i++)
        for (int k = 0; k <= 40; k++) {
            float base = i < 500 ? 0.002f * (float)i : 37.0f * (float)(i - 499), exponent = 0.05f * (float)k;
            assert_close(sim_pow(base, exponent), pow((double)base, (double)exponent), "power", (double)base);
        }
    assert_true(sim_pow(0.0f, 0.5f) == 0.0f && sim_pow(1.0f, 0.3f) == 1.0f && sim_pow(0.0f, 0.0f) == 1.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sine_and_cosine),
        cmocka_unit_test(test_angles),
        cmocka_unit_test(test_powers),
    };
    return cmocka_run_group_tests_name("sim exact math", tests, NULL, NULL);
}
