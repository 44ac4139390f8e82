// The wind: what its field is like, and what it does to cloth that it could tear away.
#include "sim_fixture.h"

#include "../../server/sim/wind.h"

// Speed of the air along z at a place, after so many seconds.
static double speed_at(SimWindField *field, float x, float z) {
    vec3 point = {x, 1.0f, z}, air;
    sim_wind_at(field, point, air);
    return (double)air[2];
}

static SimWindField windy(float speed, float turbulence, float gust, uint64_t seed) {
    return (SimWindField){.wind = {{0.0f, 0.0f, speed}, turbulence, gust}, .seed = seed};
}

static void test_still_air_is_still(void **state) {
    (void)state;
    SimWindField field = windy(0.0f, 2.0f, 2.0f, 3); // without a mean wind there is nothing to gust
    static Fixture fixture;
    for (int i = 0; i < 100; i++) {
        vec3 air = {1.0f, 1.0f, 1.0f}, point = {0.3f * (float)i, 0.0f, 7.0f};
        sim_wind_at(&field, point, air);
        assert_true(air[0] == 0.0f && air[1] == 0.0f && air[2] == 0.0f);
        sim_wind_advance(&field, 0.1f);
    }
    fixture_sheet(&fixture, 3, 3, 0.05f);
    fixture.def.environment.wind = field.wind;
    fixture_start(&fixture, 60);
    fixture_steps(&fixture, 300);
    const float(*x)[3] = fixture_particles(&fixture);
    for (int p = 0; p < 9; p++) assert_at_most(fixture_distance(x[p], fixture.positions[p]), 1e-5);
    fixture_finish(&fixture);
}

// Over hours it blows by its mean; gusts and eddies by their shares of it, each side of it alike.
static void test_mean_and_shares(void **state) {
    (void)state;
    static const float turbulences[] = {0.0f, 0.0f, 0.0f, 0.6f}, gusts[] = {0.0f, 0.4f, 0.8f, 0.0f};
    double deviation[4];
    for (int i = 0; i < 4; i++) {
        SimWindField field = windy(5.0f, turbulences[i], gusts[i], 11);
        double sum = 0.0, squares = 0.0;
        const int samples = 40000;
        for (int k = 0; k < samples; k++) {
            double speed = speed_at(&field, 0.0f, 0.0f);
            sum += speed, squares += speed * speed;
            assert_near(speed, 5.0, 5.0 * (double)(turbulences[i] + gusts[i]) + 1e-5);
            sim_wind_advance(&field, 0.3f);
        }
        deviation[i] = sqrt(fmax(squares / samples - sum / samples * sum / samples, 0.0));
        assert_near(sum / samples, 5.0, 0.05);
    }
    assert_near(deviation[0], 0.0, 1e-3);
    assert_true(deviation[1] > 0.15 * 0.4 * 5.0 && deviation[1] < 0.6 * 0.4 * 5.0);
    assert_near(deviation[2] / deviation[1], 2.0, 0.01);
    assert_true(deviation[3] > 0.15 * 0.6 * 5.0 && deviation[3] < 0.6 * 0.6 * 5.0);
}

// Gusts swell over seconds, eddies are a metre or two: how fast the speed changes while it passes.
static void test_sizes(void **state) {
    (void)state;
    for (int eddies = 0; eddies < 2; eddies++) {
        SimWindField field = windy(5.0f, eddies ? 1.0f : 0.0f, eddies ? 0.0f : 1.0f, 2);
        double before = speed_at(&field, 0.0f, 0.0f), change = 0.0, most = 0.0;
        for (int tick = 0; tick < 6000; tick++) {
            sim_wind_advance(&field, 1.0f / 60.0f);
            double now = speed_at(&field, 0.0f, 0.0f);
            change += fabs(now - before) / 6000.0 * 60.0;
            most = fmax(most, fabs(now - before));
            before = now;
        }
        assert_true(eddies ? change > 2.0 && change < 12.0 : change > 0.5 && change < 2.5); // m/s^2
        assert_at_most(most, eddies ? 1.0 : 0.2);
    }
}

static void test_seeds(void **state) {
    (void)state;
    SimWindField one = windy(5.0f, 0.5f, 0.5f, 1), again = one, other = windy(5.0f, 0.5f, 0.5f, 2);
    double difference = 0.0;
    for (int i = 0; i < 100; i++) {
        assert_true(speed_at(&one, 2.0f, 3.0f) == speed_at(&again, 2.0f, 3.0f));
        difference += fabs(speed_at(&one, 2.0f, 3.0f) - speed_at(&other, 2.0f, 3.0f)) / 100.0;
        sim_wind_advance(&one, 0.1f);
        sim_wind_advance(&again, 0.1f);
        sim_wind_advance(&other, 0.1f);
    }
    assert_at_least(difference, 0.3);
}

// What passes one place reaches the next: 4 m down the wind, 0.8 s later; beside it blows another gust.
static void test_it_drifts_along(void **state) {
    (void)state;
    SimWindField field = windy(5.0f, 0.5f, 0.5f, 4);
    double beside = 0.0;
    for (int i = 0; i < 100; i++) {
        SimWindField later = field;
        sim_wind_advance(&later, 0.8f);
        assert_near(speed_at(&later, 1.0f, 6.0f), speed_at(&field, 1.0f, 2.0f), 1e-3);
        beside += fabs(speed_at(&later, 13.0f, 6.0f) - speed_at(&field, 1.0f, 2.0f)) / 100.0;
        sim_wind_advance(&field, 1.0f);
    }
    assert_at_least(beside, 0.3);
}

// Far out, and after a year, it is as smooth as here and now.
static void test_far_and_late(void **state) {
    (void)state;
    SimWindField field = windy(5.0f, 0.5f, 0.5f, 4);
    field.drift_world[2] = 5.0 * 365.0 * 86400.0;
    double before = speed_at(&field, 9000.0f, 9000.0f);
    for (int tick = 0; tick < 600; tick++) {
        sim_wind_advance(&field, 1.0f / 60.0f);
        double now = speed_at(&field, 9000.0f, 9000.0f);
        assert_near(now, before, 0.5);
        assert_near(now, 5.0, 5.0);
        before = now;
    }
}

// A sheet that hangs across a steady wind leans by tan = k u^2 / g.
static void test_cloth_leans_on_the_wind(void **state) {
    (void)state;
    static Fixture fixture;
    for (int i = 1; i <= 3; i++) {
        double u = 0.7 * i;
        fixture_sheet(&fixture, 3, 3, 0.05f);
        fixture.garment.fabric.edge = (SimFabricEdge){1.0f, 1.0f, 1.0f, 1.0f};
        fixture.def.environment.wind.velocity_world[2] = (float)u;
        fixture_start(&fixture, 60);
        fixture_steps(&fixture, 480);
        const float(*x)[3] = fixture_particles(&fixture);
        assert_near((double)x[7][2] / (double)-x[7][1], 1.225 / 0.4 * u * u / 9.81, 0.02 * u * u);
        fixture_finish(&fixture);
    }
}

// A veil in 30 m/s: the drag's rate of 1260 1/s is far beyond the substeps. Finite, no faster than the air,
// rows stretched by no more than half, lengths exact.
static void test_a_veil_in_a_storm(void **state) {
    (void)state;
    static Fixture fixture;
    static const int rates[] = {30, 60, 240};
    for (int i = 0; i < 6; i++) {
        static float before[100][3];
        int rate = rates[i % 3];
        fixture_sheet(&fixture, 10, 10, 0.06f);
        fixture.garment.fabric = fixture_preset(2);
        fixture.def.environment.wind =
            (SimWind){{5.0f, 0.0f, 29.6f}, i < 3 ? 0.0f : 0.5f, i < 3 ? 0.0f : 0.5f};
        fixture_start(&fixture, rate);
        double fastest = 0.0, mean = 0.0;
        for (int tick = 0; tick < 4 * rate; tick++) {
            memcpy(before, fixture_particles(&fixture), sizeof before);
            sim_world_step(fixture.world);
            const float(*x)[3] = fixture_particles(&fixture);
            for (int p = 0; p < 100; p++)
                fastest = fmax(fastest, fixture_distance(before[p], x[p]) * rate); // not for NaN
            assert_at_most(fixture_stretch(&fixture), 1e-5);
            for (int p = 0; p < 100; p++) {
                assert_at_most(fixture_distance(x[p], fixture.positions[p]), 1.5);
                if (p % 10 < 9 && tick > rate)
                    mean += fixture_distance(x[p], x[p + 1]) / (90.0 * (3 * rate - 1));
            }
        }
        assert_at_most(fastest, i < 3 ? 45.0 : 75.0);
        assert_true(mean / (double)0.06f > 0.3 && mean / (double)0.06f < 1.5);
        assert_int_equal(sim_world_stats(fixture.world).unstable, 0);
        fixture_finish(&fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_still_air_is_still),
        cmocka_unit_test(test_mean_and_shares),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_it_drifts_along),
        cmocka_unit_test(test_far_and_late),
        cmocka_unit_test(test_cloth_leans_on_the_wind),
        cmocka_unit_test(test_a_veil_in_a_storm),
    };
    return cmocka_run_group_tests_name("sim wind", tests, NULL, NULL);
}
