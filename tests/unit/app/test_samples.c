// Percentiles by nearest rank over the last samples.
#include "ticks/stats.h"
#include "unit_test.h"

static void assert_percentiles(const AppSamples *samples, float p50, float p95, float p99, float max) {
    const AppPercentiles found = app_samples_percentiles(samples);
    assert_true(found.p50 == p50);
    assert_true(found.p95 == p95);
    assert_true(found.p99 == p99);
    assert_true(found.max == max);
}

static void test_none_is_zero(void **state) {
    (void)state;
    const AppSamples samples = {0};
    assert_percentiles(&samples, 0, 0, 0, 0);
}

static void test_one_is_all(void **state) {
    (void)state;
    AppSamples samples = {0};
    app_samples_add(&samples, 2.5f);
    assert_percentiles(&samples, 2.5, 2.5, 2.5, 2.5);
}

static void test_a_hundred_in_any_order(void **state) {
    (void)state;
    AppSamples samples = {0};
    for (int i = 0; i < 100; i++) app_samples_add(&samples, (float)(i * 37 % 100 + 1)); // 1 to 100, shuffled
    assert_percentiles(&samples, 50, 95, 99, 100);
}

static void test_the_last_six_hundred_count(void **state) {
    (void)state;
    AppSamples samples = {0};
    for (int i = 0; i < 1000; i++) app_samples_add(&samples, 1e6f);
    for (int i = APP_SAMPLES; i >= 1; i--) app_samples_add(&samples, (float)i);
    assert_percentiles(&samples, 300, 570, 594, 600);
    app_samples_add(&samples, 1000.0f);
    assert_percentiles(&samples, 300, 570, 594, 1000); // in place of the 600
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none_is_zero),
        cmocka_unit_test(test_one_is_all),
        cmocka_unit_test(test_a_hundred_in_any_order),
        cmocka_unit_test(test_the_last_six_hundred_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
