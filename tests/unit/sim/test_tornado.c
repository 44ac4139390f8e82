// Tornadoes: their air against closed forms, their start, motion, change and end, and cloth in them.
#include "sanitized.h"
#include "sim_fixture.h"

static SimWorld *calm_world(void) {
    SimIssue issue;
    SimWorldDef def = sim_default_world_def();
    SimWorld *world = sim_world_create(&def, &issue);
    assert_non_null(world);
    return world;
}

static void steps(SimWorld *world, int ticks) {
    for (int i = 0; i < ticks; i++) sim_world_step(world);
}

// Velocity of the air, round an axis through x, z: outwards, up, anticlockwise from above.
static void air_round(const SimWorld *world, const float axis[3], double r, double angle, double height,
                      double out[3]) {
    vec3 point = {axis[0] + (float)(r * cos(angle)), axis[1] + (float)height,
                  axis[2] - (float)(r * sin(angle))}; // from +X to -Z is anticlockwise, seen from +Y
    vec3 air;
    sim_world_air(world, point, air);
    out[0] = (double)air[0] * cos(angle) - (double)air[2] * sin(angle);
    out[1] = (double)air[1];
    out[2] = -(double)air[0] * sin(angle) - (double)air[2] * cos(angle);
}

static double fastest_swirl(const SimWorld *world, const float axis[3]) {
    double air[3], most = 0.0;
    for (double r = 0.0; r < 4.0; r += 0.01) {
        air_round(world, axis, r, 0.3, 1.0, air);
        most = fmax(most, fabs(air[2]));
    }
    return most;
}

// Lamb and Oseen: u = G / (2 pi r) (1 - e^(-r^2/rc^2)), greatest at 1.1209 rc, where it is the strength; as
// much air comes in as goes up over a layer one core radius deep.
static void test_closed_form(void **state) {
    (void)state;
    static const SimTornado kinds[] = {{{3.0f, 0.5f, -2.0f}, 0.8f, 12.0f, 5.0f, {0}},
                                       {{-40.0f, 0.0f, 9.0f}, 25.0f, -90.0f, -30.0f, {0}},
                                       {{0.0f, 0.0f, 0.0f}, 0.05f, 150.0f, 0.0f, {0}}};
    for (int kind = 0; kind < 3; kind++) {
        const SimTornado *tornado = &kinds[kind];
        double core = (double)tornado->radius, strength = (double)tornado->strength;
        double peak = 1.120906, circulation_share = (1.0 - exp(-peak * peak)) / peak;
        SimWorld *world = calm_world();
        assert_true(sim_world_set_tornado(world, "one", tornado));
        for (double s = 1e-4; s < 200.0; s *= 1.3)
            for (int turn = 0; turn < 7; turn++) {
                double air[3], profile = (1.0 - exp(-s * s)) / s;
                if (s < 1e-3) profile = s; // the limit on the axis
                air_round(world, tornado->position_world, s * core, 0.9 * turn, 2.0 + turn, air);
                double tolerance = 1e-4 * (fabs(strength) + fabs((double)tornado->lift)) + 1e-3 * profile;
                assert_near(air[2], strength * profile / circulation_share, tolerance);
                assert_near(air[1], (double)tornado->lift * exp(-s * s), tolerance);
                assert_near(air[0], -0.5 * (double)tornado->lift * profile, tolerance);
            }
        double top[3], beside[3];
        air_round(world, tornado->position_world, peak * core, 0.0, 1.0, top);
        assert_near(top[2], strength, 1e-4 * fabs(strength));
        for (int side = 0; side < 2; side++) {
            air_round(world, tornado->position_world, (side ? 1.0 : 1.25) * core, 0.0, 1.0, beside);
            assert_true(fabs(beside[2]) < fabs(top[2]));
        }
        sim_world_destroy(world);
    }
}

// The same at every height above the foot. It vanishes within a radius below it.
static void test_it_stands_on_its_foot(void **state) {
    (void)state;
    const SimTornado tornado = {{1.0f, 4.0f, 1.0f}, 2.0f, 10.0f, 3.0f, {0}};
    SimWorld *world = calm_world();
    sim_world_set_tornado(world, "one", &tornado);
    double foot[3], high[3], half[3], below[3];
    air_round(world, tornado.position_world, 1.5, 0.0, 0.0, foot);
    air_round(world, tornado.position_world, 1.5, 0.0, 500.0, high);
    air_round(world, tornado.position_world, 1.5, 0.0, -1.0, half);
    air_round(world, tornado.position_world, 1.5, 0.0, -2.0, below);
    for (int i = 0; i < 3; i++) {
        assert_near(high[i], foot[i], 1e-6);
        assert_near(half[i], 0.5 * foot[i], 1e-5);
        assert_near(below[i], 0.0, 0.0);
    }
    sim_world_destroy(world);
}

// Tornadoes add to each other and to the wind. Far from the origin they are as exact as near it.
static void test_several_and_far(void **state) {
    (void)state;
    const SimTornado one = {{0.0f, 0.0f, 0.0f}, 0.8f, 12.0f, 5.0f, {0}},
                     other = {{2.0f, 0, 1}, 0.5f, -8.0f, 1, {0}};
    SimWorld *worlds[3] = {calm_world(), calm_world(), calm_world()};
    sim_world_set_tornado(worlds[0], "one", &one);
    sim_world_set_tornado(worlds[1], "other", &other);
    sim_world_set_tornado(worlds[2], "one", &one);
    sim_world_set_tornado(worlds[2], "other", &other);
    SimEnvironment environment = *sim_world_environment(worlds[2]);
    environment.wind.velocity_world[2] = 3.0f;
    sim_world_set_environment(worlds[2], &environment);
    vec3 point = {0.7f, 1.0f, 0.4f}, air[3];
    for (int i = 0; i < 3; i++) sim_world_air(worlds[i], point, air[i]);
    for (int i = 0; i < 3; i++) assert_near(air[2][i], air[0][i] + air[1][i] + (i == 2 ? 3.0f : 0.0f), 1e-5);
    for (int i = 0; i < 3; i++) sim_world_destroy(worlds[i]);

    SimTornado far = one;
    SimWorld *world = calm_world();
    far.position_world[0] = 524288.0f, far.position_world[2] = -65536.0f;
    sim_world_set_tornado(world, "far", &far);
    double air_here[3], air_there[3];
    SimWorld *here = calm_world();
    sim_world_set_tornado(here, "one", &one);
    air_round(here, one.position_world, 0.5, 0.0, 1.0, air_here);
    air_round(world, far.position_world, 0.5, 0.0, 1.0, air_there);
    for (int i = 0; i < 3; i++) assert_near(air_there[i], air_here[i], 1e-5);
    sim_world_destroy(world);
    sim_world_destroy(here);
}

// It moves by its velocity, to the millimetre after a minute.
static void test_it_moves(void **state) {
    (void)state;
    const SimTornado tornado = {{1.0f, 0.0f, 0.0f}, 0.8f, 12.0f, 5.0f, {0.7f, 0.0f, -0.3f}};
    SimWorld *world = calm_world();
    sim_world_set_tornado(world, "one", &tornado);
    steps(world, 3600);
    SimTornado now;
    assert_true(sim_world_tornado(world, "one", &now));
    assert_near(now.position_world[0], 43.0, 1e-3);
    assert_near(now.position_world[2], -18.0, 1e-3);
    double air[3];
    air_round(world, now.position_world, 1e-3, 0.0, 1.0, air);
    assert_near(air[1], 5.0, 0.01);
    air_round(world, now.position_world, 0.8 * 1.120906, 0.0, 1.0, air);
    assert_near(air[2], 12.0, 0.01);
    sim_world_destroy(world);
}

// In a running world it starts, changes and ends over 0.2 s.
static void test_it_comes_and_goes_gently(void **state) {
    (void)state;
    SimTornado tornado = {{0}, 0.5f, 12.0f, 0.0f, {0}};
    const float origin[3] = {0};
    SimWorld *world = calm_world();
    sim_world_set_tornado(world, "one", &tornado);
    assert_near(fastest_swirl(world, origin), 12.0, 0.01); // nothing has moved yet: at once
    assert_true(sim_world_remove_tornado(world, "one"));
    assert_near(fastest_swirl(world, origin), 0.0, 0.0);
    steps(world, 1);
    sim_world_set_tornado(world, "one", &tornado);
    for (int tick = 0; tick <= 12; tick++) {
        assert_near(fastest_swirl(world, origin), tick, 0.01);
        sim_world_step(world);
    }
    tornado.strength = 24.0f;
    sim_world_set_tornado(world, "one", &tornado);
    steps(world, 6);
    assert_near(fastest_swirl(world, origin), 18.0, 0.02);
    SimTornado asked;
    assert_true(sim_world_tornado(world, "one", &asked) && asked.strength == 24.0f);
    assert_true(sim_world_remove_tornado(world, "one"));
    assert_false(sim_world_remove_tornado(world, "one")); // it ends already
    assert_false(sim_world_tornado(world, "one", &asked));
    for (int tick = 0; tick <= 12; tick++) {
        assert_near(fastest_swirl(world, origin), 18.0 - 1.5 * tick, 0.02);
        sim_world_step(world);
    }
    vec3 point = {0.3f, 1.0f, 0.0f}, air;
    sim_world_air(world, point, air);
    assert_true(air[0] == 0.0f && air[1] == 0.0f && air[2] == 0.0f);
    sim_world_destroy(world);
}

static void test_names_and_their_number(void **state) {
    (void)state;
    const SimTornado tornado = {{0}, 0.5f, 12.0f, 0.0f, {0}};
    const char *names[SIM_MAX_TORNADOS];
    char name[24];
    SimWorld *world = calm_world();
    assert_int_equal(sim_world_tornado_names(world, names), 0);
    assert_false(sim_world_remove_tornado(world, "one"));
    steps(world, 1);
    for (int round = 0; round < 5; round++) { // many that end, more than there is room for
        for (int i = 0; i < SIM_MAX_TORNADOS; i++) {
            snprintf(name, sizeof name, "%d.%d", round, i);
            assert_true(sim_world_set_tornado(world, name, &tornado));
        }
        assert_false(sim_world_set_tornado(world, "one too many", &tornado));
        assert_true(sim_world_set_tornado(world, name, &tornado)); // that one is there
        assert_int_equal(sim_world_tornado_names(world, names), SIM_MAX_TORNADOS);
        snprintf(name, sizeof name, "%d.0", round);
        assert_string_equal(names[0], name);
        for (int i = 0; i < SIM_MAX_TORNADOS; i++) {
            snprintf(name, sizeof name, "%d.%d", round, i);
            assert_true(sim_world_remove_tornado(world, name));
        }
        assert_int_equal(sim_world_tornado_names(world, names), 0);
        steps(world, round == 2 ? 20 : 0);
    }
    sim_world_destroy(world);
}

static void test_ranges(void **state) {
    (void)state;
    const SimTornado good = {{0}, 0.5f, 12.0f, 3.0f, {0}};
    SimIssue issue;
    assert_true(sim_validate_tornado(&good, &issue));
    SimTornado bad = good;
    bad.radius = 0.01f;
    assert_false(sim_validate_tornado(&bad, &issue));
    assert_string_equal(issue.path, "radius");
    assert_string_equal(issue.message, "expected 0.05 to 1000 m, found 0.01");
    bad = good, bad.strength = -151.0f;
    assert_false(sim_validate_tornado(&bad, &issue));
    assert_string_equal(issue.message, "expected -150 to 150 m/s, found -151");
    bad = good, bad.lift = NAN;
    assert_false(sim_validate_tornado(&bad, &issue));
    assert_string_equal(issue.path, "lift");
    bad = good, bad.position_world[2] = 2e6f;
    assert_false(sim_validate_tornado(&bad, &issue));
    assert_string_equal(issue.path, "position");
    bad = good, bad.velocity_world[0] = 301.0f;
    assert_false(sim_validate_tornado(&bad, &issue));
    assert_string_equal(issue.path, "velocity");
}

// A loose scrap of veil on the axis goes up at the speed at which drag bears its weight: k (w - v)^2 = g.
static void test_a_scrap_rises(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, 3, 3, 0.02f);
    fixture_lay_flat(fixture);
    fixture_vacuum(fixture);
    fixture_unpin(fixture);
    fixture->garment.fabric.wind = 1.0f;
    fixture->garment.fabric.density = 0.1f;
    fixture->garment.max_distance_top = fixture->garment.max_distance_bottom = 10.0f;
    fixture_start(fixture, 60);
    const SimTornado tornado = {{0.02f, -1.0f, 0.02f}, 50.0f, 0.0f, 1.5f, {0}};
    sim_world_set_tornado(fixture->world, "updraft", &tornado);
    fixture_steps(fixture, 120);
    double before = (double)fixture_particles(fixture)[4][1];
    fixture_steps(fixture, 60);
    double speed = (double)fixture_particles(fixture)[4][1] - before;
    assert_near(speed, 1.5 - sqrt(9.81 / (1.225 / 0.1)), 0.015); // forces act one after the other
}

// A skirt on a body in all presets while a tornado passes at half a metre: it moves within every limit, and
// rests again afterwards.
static void test_a_skirt_in_its_way(void **state) {
    Fixture *fixture = *state;
    static float still[FIXTURE_PARTICLES][3];
    for (int preset = 0; preset < (SANITIZED ? 1 : FIXTURE_PRESETS); preset++) {
        fixture_sheet(fixture, 8, 12, 0.06f);
        fixture->garment.closed = true;
        for (int p = 0; p < 96; p++) {
            float turn = (float)(2.0 * FIXTURE_PI / 12.0 * (p % 12));
            fixture->positions[p][0] = 0.15f * sinf(turn);
            fixture->positions[p][2] = 0.15f * cosf(turn);
        }
        fixture->garment.fabric = fixture_preset(preset);
        fixture->garment.max_distance_top = 0.0f;
        fixture->garment.max_distance_bottom = -1.0f;
        SimColliderDef *body = fixture_add_collider(fixture, SIM_COLLIDER_ELLIPSOID, 0);
        body->radii[0] = body->radii[2] = 0.12f, body->radii[1] = 1.0f;
        fixture_start(fixture, 60);
        fixture_steps(fixture, 300);
        memcpy(still, fixture_particles(fixture), sizeof still);
        const SimTornado tornado = {{-6.0f, -1.0f, 0.5f}, 0.5f, 25.0f, 10.0f, {3.0f, 0.0f, 0.0f}};
        assert_true(sim_world_set_tornado(fixture->world, "passing", &tornado));
        double thrown = 0.0;
        for (int tick = 0; tick < 240; tick++) {
            sim_world_step(fixture->world);
            const float(*x)[3] = fixture_particles(fixture);
            if (preset != 6) assert_at_most(fixture_stretch(fixture), 1e-5);
            assert_at_most(fixture_beyond_max_distance(fixture), 1e-5);
            thrown = fmax(thrown, fixture_farthest(x, still, 96));
        }
        assert_at_least(thrown, preset == 5 ? 0.05 : 0.1); // m; leather is heavy
        sim_world_remove_tornado(fixture->world, "passing");
        fixture_steps(fixture, 60 * 9);
        static float last[2][FIXTURE_PARTICLES][3];
        memcpy(last[0], fixture_particles(fixture), sizeof last[0]);
        sim_world_step(fixture->world);
        memcpy(last[1], fixture_particles(fixture), sizeof last[1]);
        sim_world_step(fixture->world);
        const float(*x)[3] = fixture_particles(fixture);
        for (int p = 0; p < 96; p++) {
            float change[3];
            for (int i = 0; i < 3; i++) change[i] = x[p][i] - 2.0f * last[1][p][i] + last[0][p][i];
            assert_at_most(fixture_distance(change, (const float[3]){0}) * 3600.0, 0.1);
        }
        SimWorldStats stats = sim_world_stats(fixture->world);
        assert_int_equal(stats.unstable, 0);
        assert_int_equal(stats.constraint_conflicts, 0);
        fixture_finish(fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_form),
        cmocka_unit_test(test_it_stands_on_its_foot),
        cmocka_unit_test(test_several_and_far),
        cmocka_unit_test(test_it_moves),
        cmocka_unit_test(test_it_comes_and_goes_gently),
        cmocka_unit_test(test_names_and_their_number),
        cmocka_unit_test(test_ranges),
        FIXTURE_TEST(test_a_scrap_rises),
        FIXTURE_TEST(test_a_skirt_in_its_way),
    };
    return cmocka_run_group_tests_name("sim tornado", tests, NULL, NULL);
}
