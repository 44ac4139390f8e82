// The wind: the statistics of its field, its effect on light cloth, and bodies that shelter cloth.
#include "core/rotation.h"
#include "sim_fixture.h"
#include "world/world.h"

static SimWorldDef windy(float speed, float turbulence, float gust, uint64_t seed, int tick_rate) {
    SimWorldDef def = sim_default_world_def();
    def.tick_rate = tick_rate;
    def.seed = seed;
    def.environment.wind = (SimWind){{0.0f, 0.0f, speed}, turbulence, gust};
    return def;
}

static SimWorld *world_of(SimWorldDef def) {
    SimIssue issue;
    SimWorld *world = sim_world_create(&def, &issue);
    assert_non_null(world);
    return world;
}

// Speed of the air along z.
static double speed_at(const SimWorld *world, float x, float z) {
    vec3 point = {x, 1.0f, z}, air;
    sim_world_air(world, point, air);
    return (double)air[2];
}

static void steps(SimWorld *world, int ticks) {
    for (int i = 0; i < ticks; i++) sim_world_step(world);
}

static void test_still_air_is_still(void **state) {
    Fixture *fixture = *state;
    SimWorldDef def = windy(0.0f, 2.0f, 2.0f, 3, 60); // without a mean wind there is nothing to gust
    SimWorld *world = world_of(def);
    for (int i = 0; i < 100; i++) {
        vec3 air = {1.0f, 1.0f, 1.0f}, point = {0.3f * (float)i, 0.0f, 7.0f};
        sim_world_air(world, point, air);
        assert_true(air[0] == 0.0f && air[1] == 0.0f && air[2] == 0.0f);
        sim_world_step(world);
    }
    sim_world_destroy(world);
    fixture_sheet(fixture, 3, 3, 0.05f);
    fixture->def.environment = def.environment;
    fixture_start(fixture, 60);
    fixture_steps(fixture, 300);
    const float(*x)[3] = fixture_particles(fixture);
    for (int p = 0; p < 9; p++) assert_at_most(fixture_distance(x[p], fixture->positions[p]), 1e-5);
}

// Over hours the mean is the wind's velocity; gusts and eddies have their shares of it, symmetric about the
// mean.
static void test_mean_and_shares(void **state) {
    (void)state;
    static const float turbulences[] = {0.0f, 0.0f, 0.0f, 0.6f}, gusts[] = {0.0f, 0.4f, 0.8f, 0.0f};
    double deviation[4];
    for (int i = 0; i < 4; i++) {
        SimWorld *world = world_of(windy(5.0f, turbulences[i], gusts[i], 11, 3));
        double sum = 0.0, squares = 0.0;
        const int samples = 40000;
        for (int k = 0; k < samples; k++) {
            double speed = speed_at(world, 0.0f, 0.0f);
            sum += speed, squares += speed * speed;
            assert_near(speed, 5.0, 5.0 * (double)(turbulences[i] + gusts[i]) + 1e-5);
            sim_world_step(world);
        }
        deviation[i] = sqrt(fmax(squares / samples - sum / samples * sum / samples, 0.0));
        assert_near(sum / samples, 5.0, 0.05);
        sim_world_destroy(world);
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
        SimWorld *world = world_of(windy(5.0f, eddies ? 1.0f : 0.0f, eddies ? 0.0f : 1.0f, 2, 60));
        double before = speed_at(world, 0.0f, 0.0f), change = 0.0, most = 0.0;
        for (int tick = 0; tick < 6000; tick++) {
            sim_world_step(world);
            double now = speed_at(world, 0.0f, 0.0f);
            change += fabs(now - before) / 6000.0 * 60.0;
            most = fmax(most, fabs(now - before));
            before = now;
        }
        assert_true(eddies ? change > 2.0 && change < 12.0 : change > 0.5 && change < 2.5); // m/s^2
        assert_at_most(most, eddies ? 1.0 : 0.2);
        sim_world_destroy(world);
    }
}

static void test_seeds(void **state) {
    (void)state;
    SimWorld *one = world_of(windy(5.0f, 0.5f, 0.5f, 1, 10));
    SimWorld *again = world_of(windy(5.0f, 0.5f, 0.5f, 1, 10));
    SimWorld *other = world_of(windy(5.0f, 0.5f, 0.5f, 2, 10));
    double difference = 0.0;
    for (int i = 0; i < 100; i++) {
        assert_true(speed_at(one, 2.0f, 3.0f) == speed_at(again, 2.0f, 3.0f));
        difference += fabs(speed_at(one, 2.0f, 3.0f) - speed_at(other, 2.0f, 3.0f)) / 100.0;
        sim_world_step(one);
        sim_world_step(again);
        sim_world_step(other);
    }
    assert_at_least(difference, 0.3);
    sim_world_destroy(one);
    sim_world_destroy(again);
    sim_world_destroy(other);
}

// The same noise, written for one point: values at the corners of a cell from a hash, between them the cubic
// that is level at both ends, 8 m a cell for gusts and 1.5 m for eddies.
static double plain_noise(uint32_t seed, const double point[3], double size, int part) {
    double value = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        uint32_t hash = seed;
        double weight = 1.0;
        for (int i = 0; i < 3; i++) {
            static const uint32_t factors[3] = {0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du};
            int64_t cell = (int64_t)floor(point[i] / size);
            double t = point[i] / size - (double)cell, up = t * t * (3.0 - 2.0 * t);
            int far = corner >> i & 1;
            hash += (uint32_t)((cell + far) & (SIM_LATTICE_PERIOD - 1)) * factors[i];
            weight *= far ? up : 1.0 - up;
        }
        hash = (hash ^ hash >> 16) * 0x7feb352du;
        hash = (hash ^ hash >> 15) * 0x846ca68bu;
        hash ^= hash >> 16;
        value += weight * ((hash >> (22 - 10 * part) & 1023u) * 2.0 / 1023.0 - 1.0);
    }
    return value;
}

static void test_the_field_is_the_plain_formula(void **state) {
    (void)state;
    SimWorld *world = world_of(windy(5.0f, 0.3f, 0.6f, 77, 60));
    world->weather.drift_world[2] = 3.0 * 86400.0 * 5.0; // three days
    for (int i = 0; i < 500; i++) {
        vec3 point = {13.7f * (float)(i % 17) - 80.0f, 0.2f * (float)i, -900.0f + 7.31f * (float)i}, air;
        double carried[3] = {(double)point[0], (double)point[1],
                             (double)point[2] - world->weather.drift_world[2]};
        sim_world_air(world, point, air);
        double swell = 1.0 + (double)0.6f * plain_noise(77, carried, 8.0, 0);
        for (int axis = 0; axis < 3; axis++) {
            double eddy = 5.0 * (double)0.3f * plain_noise(77 + 0x6a09e667u, carried, 1.5, axis);
            assert_near(air[axis], (axis == 2 ? 5.0 * swell : 0.0) + eddy, 2e-5);
        }
    }
    sim_world_destroy(world);
}

// Gusts travel with the wind: 4 m downwind 0.8 s later. Places beside differ.
static void test_it_drifts_along(void **state) {
    (void)state;
    SimWorld *world = world_of(windy(5.0f, 0.5f, 0.5f, 4, 60)),
             *later = world_of(windy(5.0f, 0.5f, 0.5f, 4, 60));
    double beside = 0.0;
    steps(later, 48);
    for (int i = 0; i < 100; i++) {
        assert_near(speed_at(later, 1.0f, 6.0f), speed_at(world, 1.0f, 2.0f), 1e-3);
        beside += fabs(speed_at(later, 13.0f, 6.0f) - speed_at(world, 1.0f, 2.0f)) / 100.0;
        steps(world, 30);
        steps(later, 30);
    }
    assert_at_least(beside, 0.3);
    sim_world_destroy(world);
    sim_world_destroy(later);
}

// Far out, and after a year, the field is as smooth as near the origin, also across cell borders.
static void test_far_and_late(void **state) {
    (void)state;
    SimWorld *world = world_of(windy(5.0f, 0.5f, 0.5f, 4, 60));
    world->weather.drift_world[2] = 5.0 * 365.0 * 86400.0;
    double before = speed_at(world, 90000.0f, 90000.0f);
    for (int tick = 0; tick < 600; tick++) {
        sim_world_step(world);
        double now = speed_at(world, 90000.0f, 90000.0f);
        assert_near(now, before, 0.5);
        assert_near(now, 5.0, 5.0);
        before = now;
    }
    world->weather.drift_world[2] = 0.0;
    for (int cell = -3; cell <= 3; cell++)
        assert_near(speed_at(world, 0.3f, 1.5f * (float)cell - 1e-5f),
                    speed_at(world, 0.3f, 1.5f * (float)cell), 1e-3);
    sim_world_destroy(world);
}

// In a running world a change ramps over 0.2 s; before the first tick it is immediate.
static void test_changes_ramp(void **state) {
    (void)state;
    SimWorld *world = world_of(windy(0.0f, 0.0f, 0.0f, 4, 60));
    SimEnvironment environment = *sim_world_environment(world);
    environment.wind.velocity_world[2] = 6.0f;
    sim_world_set_environment(world, &environment);
    assert_near(speed_at(world, 0.0f, 0.0f), 6.0, 0.0);
    steps(world, 1);
    environment.wind.velocity_world[2] = -6.0f;
    sim_world_set_environment(world, &environment);
    assert_near(sim_world_environment(world)->wind.velocity_world[2], -6.0, 0.0);
    for (int tick = 0; tick <= 12; tick++) {
        assert_near(speed_at(world, 0.0f, 0.0f), 6.0 - tick, 1e-5);
        sim_world_step(world);
    }
    assert_near(speed_at(world, 0.0f, 0.0f), -6.0, 0.0);
    sim_world_destroy(world);
}

// A sheet that hangs across a steady wind leans by tan = k u^2 / g.
static void test_cloth_leans_on_the_wind(void **state) {
    Fixture *fixture = *state;
    for (int i = 1; i <= 3; i++) {
        double u = 0.7 * i;
        fixture_sheet(fixture, 3, 3, 0.05f);
        fixture->garment.fabric.edge = (SimFabricEdge){1.0f, 1.0f, 1.0f, 1.0f};
        fixture->def.environment.wind.velocity_world[2] = (float)u;
        fixture_start(fixture, 60);
        fixture_steps(fixture, 480);
        const float(*x)[3] = fixture_particles(fixture);
        assert_near((double)x[7][2] / (double)-x[7][1], 1.225 / 0.4 * u * u / 9.81, 0.02 * u * u);
        fixture_finish(fixture);
    }
}

// The wind is fixed in world space while the root turns: a loose sheet is blown along the world's z although
// the root turns by 60 degrees within a tick; one that has turned along by 90 degrees has the wind at its
// side.
static void test_the_wind_is_the_worlds(void **state) {
    Fixture *fixture = *state;
    for (int turned = 0; turned < 2; turned++) {
        fixture_sheet(fixture, 3, 3, 0.05f);
        fixture_vacuum(fixture);
        fixture_unpin(fixture);
        fixture->garment.fabric.wind = 1.0f;
        fixture->garment.fabric.world_motion = 1.0f;
        memset(fixture->def.environment.gravity_world, 0, sizeof(vec3));
        fixture->def.environment.wind.velocity_world[2] = 2.0f;
        fixture_start(fixture, 60);
        SimTransform root = SIM_TRANSFORM_IDENTITY;
        double angle = FIXTURE_PI / (turned ? 2.0 : 3.0);
        root.rotation[1] = (float)sin(angle / 2.0), root.rotation[3] = (float)cos(angle / 2.0);
        sim_character_move(fixture->world, fixture->character, &root, turned);
        fixture_steps(fixture, 30);
        const float(*x)[3] = fixture_particles(fixture);
        vec3 centre;
        sim_quat_rotate(root.rotation, x[4], centre);
        assert_near(centre[0], turned ? 0.0 : 0.05, 1e-3);
        if (turned) // dragged along its face alone
            assert_near(centre[2], -0.05 + 0.035, 0.01);
        else
            assert_at_least(centre[2], 0.3);
        fixture_finish(fixture);
    }
}

// A light sheet in front of a body is blown, one behind it is not, one beside it is: by every shape that has
// a lee. How far its lower edge has got after 3 ticks.
static double blown(SimColliderShape shape, float x, float z) {
    static Fixture fixture;
    fixture_sheet(&fixture, 3, 3, 0.02f);
    fixture_vacuum(&fixture);
    fixture.garment.fabric.wind = 1.0f;
    fixture.garment.fabric.density = 0.4f;
    memset(fixture.def.environment.gravity_world, 0, sizeof(vec3));
    fixture.def.environment.wind.velocity_world[2] = 1.0f;
    int bone = fixture_add_bone(&fixture, "body", 0, -x + 0.02f, -0.02f, -z);
    SimColliderDef *body = fixture_add_collider(&fixture, shape, bone);
    body->radius = body->radius_end = 0.2f;
    body->radii[0] = 0.2f, body->radii[1] = 0.5f, body->radii[2] = 0.1f;
    body->offset = -2.0f;
    body->from[1] = -0.4f, body->to[1] = 0.4f;
    fixture_start(&fixture, 60);
    fixture_steps(&fixture, 3);
    double away = (double)fixture_particles(&fixture)[7][2];
    fixture_finish(&fixture);
    return away;
}

static void test_a_body_is_in_the_way(void **state) {
    (void)state;
    static const SimColliderShape shapes[] = {SIM_COLLIDER_ELLIPSOID, SIM_COLLIDER_SPHERE,
                                              SIM_COLLIDER_CAPSULE};
    double open = blown(SIM_COLLIDER_SPHERE, 5.0f, 0.0f);
    assert_near(open, 0.5 * 1.225 / 0.4 * 0.05 * 0.05, 0.002); // 1/2 k u^2 t^2
    for (int i = 0; i < 3; i++) {
        assert_at_most(blown(shapes[i], 0.0f, 0.4f), 1e-6);           // in the lee, however far
        assert_at_most(blown(shapes[i], 0.1f, 2.0f), 1e-6);           // half a radius beside the middle
        assert_near(blown(shapes[i], 0.0f, -0.4f) / open, 1.0, 1e-3); // windward
        assert_near(blown(shapes[i], 0.3f, 0.4f) / open, 1.0, 1e-3);  // beside its lee, at 1.5 radii
        double half = blown(shapes[i], 0.19f, 0.6f) / open;           // at the lee's border
        assert_true(half > 0.1 && half < 0.9);
    }
    assert_near(blown(SIM_COLLIDER_PLANE, 0.0f, 0.4f) / open, 1.0, 1e-3); // the ground shelters nothing
}

// A veil in 30 m/s: the drag's rate of 1260 1/s is far beyond the substeps. Finite, no faster than the air,
// rows stretched by no more than half, lengths exact.
static void test_a_veil_in_a_storm(void **state) {
    Fixture *fixture = *state;
    static const int rates[] = {30, 60, 240};
    for (int i = 0; i < 6; i++) {
        static float before[100][3];
        int rate = rates[i % 3];
        fixture_sheet(fixture, 10, 10, 0.06f);
        fixture->garment.fabric = fixture_preset(2);
        fixture->garment.max_distance_top = 0.0f;
        fixture->garment.max_distance_bottom = -1.0f;
        fixture->def.environment.wind =
            (SimWind){{5.0f, 0.0f, 29.6f}, i < 3 ? 0.0f : 0.5f, i < 3 ? 0.0f : 0.5f};
        fixture_start(fixture, rate);
        double fastest = 0.0, mean = 0.0;
        for (int tick = 0; tick < 4 * rate; tick++) {
            memcpy(before, fixture_particles(fixture), sizeof before);
            sim_world_step(fixture->world);
            const float(*x)[3] = fixture_particles(fixture);
            fastest = fmax(fastest, fixture_farthest(before, x, 100) * rate); // not for NaN
            assert_at_most(fixture_stretch(fixture), 1e-5);
            assert_at_most(fixture_beyond_max_distance(fixture), 1e-5);
            for (int p = 0; p < 100; p++)
                if (p % 10 < 9 && tick > rate)
                    mean += fixture_distance(x[p], x[p + 1]) / (90.0 * (3 * rate - 1));
        }
        assert_at_most(fastest, i < 3 ? 45.0 : 75.0);
        assert_true(mean / (double)0.06f > 0.3 && mean / (double)0.06f < 1.5);
        assert_int_equal(sim_world_stats(fixture->world).unstable, 0);
        fixture_finish(fixture);
    }
}

// Cloth whose wind is set to 0 feels none of it at once, also beside a lane that does. Where no lane does,
// the kernel skips the wind.
static void without_wind(bool company, float out_particles[25][3]) {
    static Fixture fixture;
    fixture_sheet(&fixture, 5, 5, 0.05f);
    fixture.garment.fabric.wind = 1.0f;
    fixture.def.environment.wind = (SimWind){{0.0f, 0.0f, 8.0f}, 0.0f, 0.0f};
    fixture_start(&fixture, 60);
    for (int i = 0; company && i < 3; i++) fixture_another(&fixture);
    fixture_steps(&fixture, 20);
    SimFabric calm = fixture.garment.fabric;
    calm.wind = 0.0f;
    sim_garment_set_fabric(fixture.world, fixture.character, 0, &calm, false);
    fixture_steps(&fixture, 40);
    memcpy(out_particles, fixture_particles(&fixture), 25 * sizeof out_particles[0]);
    fixture_finish(&fixture);
}

static void test_cloth_that_takes_no_wind(void **state) {
    (void)state;
    float alone[25][3], beside[25][3];
    without_wind(false, alone);
    without_wind(true, beside);
    assert_memory_equal(alone, beside, sizeof alone);
}

// A world that begins late, and one that hears of each change some ticks later, have the air of the first
// one.
static void test_worlds_of_one_seed_have_one_air(void **state) {
    (void)state;
    SimWorld *first = world_of(windy(5.0f, 0.5f, 0.4f, 11, 60)),
             *late = world_of(windy(5.0f, 0.5f, 0.4f, 11, 60));
    SimTornado tornado = {.position_world = {3.0f, 0.0f, 2.0f},
                          .radius = 1.5f,
                          .strength = 9.0f,
                          .lift = 2.0f,
                          .velocity_world = {0.3f, 0.0f, -0.2f}};
    steps(first, 700);
    sim_world_set_tick(late, 700);
    assert_int_equal(sim_world_tick(late), 700);
    for (int round = 0; round < 20; round++) {
        const int behind = round; // ticks; changes overtake the ramps of the ones before
        SimEnvironment environment = *sim_world_environment(first);
        environment.wind.velocity_world[2] = 1.0f + (float)round;
        environment.wind.gust = 0.1f * (float)(round % 5);
        sim_world_set_environment(first, &environment);
        const SimWindState wind = sim_world_wind_state(first);
        tornado.position_world[0] += 1.0f;
        if (round == 3) sim_world_set_tornado(first, "one", &tornado);
        steps(first, behind);
        steps(late, behind);
        sim_world_set_environment(late, &environment);
        sim_world_repeat_wind(late, &wind, (uint64_t)behind);
        if (round == 3) {
            sim_world_set_tornado(late, "one", &tornado);
            sim_world_repeat_tornado(late, "one", (uint64_t)behind);
        }
        for (int tick = 0; tick < 7; tick++) {
            for (int i = 0; i < 5; i++)
                assert_true(speed_at(first, (float)i, 2.0f * (float)i) ==
                            speed_at(late, (float)i, 2.0f * (float)i));
            steps(first, 1);
            steps(late, 1);
        }
    }
    // Hours are skipped at once, and back again; what differs is the rounding of a sum.
    const uint64_t now = sim_world_tick(first);
    steps(first, 60);
    steps(late, 60);
    const double before = speed_at(late, 1.0f, 1.0f);
    sim_world_set_tick(late, now + 60 + 4 * 3600 * 60);
    for (int i = 0; i < 4 * 3600 * 60; i++) sim_world_step(first);
    assert_near(speed_at(late, 1.0f, 1.0f), speed_at(first, 1.0f, 1.0f), 1e-4);
    sim_world_set_tick(late, now + 60);
    assert_near(speed_at(late, 1.0f, 1.0f), before, 1e-4);
    sim_world_destroy(first);
    sim_world_destroy(late);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_still_air_is_still),
        cmocka_unit_test(test_mean_and_shares),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_the_field_is_the_plain_formula),
        cmocka_unit_test(test_it_drifts_along),
        cmocka_unit_test(test_worlds_of_one_seed_have_one_air),
        cmocka_unit_test(test_far_and_late),
        cmocka_unit_test(test_changes_ramp),
        FIXTURE_TEST(test_cloth_leans_on_the_wind),
        FIXTURE_TEST(test_the_wind_is_the_worlds),
        cmocka_unit_test(test_a_body_is_in_the_way),
        FIXTURE_TEST(test_a_veil_in_a_storm),
        cmocka_unit_test(test_cloth_that_takes_no_wind),
    };
    return cmocka_run_group_tests_name("sim wind", tests, NULL, NULL);
}
