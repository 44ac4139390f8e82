// Cloth that nothing acts on settles where it is held. Cloth that hangs freely or in wind is unchanged to
// the bit.
#include "sim_fixture.h"

enum { ROWS = 5, COLUMNS = 5, RATE = 60 };
#define HOLDS 0.2f // m, of max distance: the lower rows cannot hang down

// A sheet released from the horizontal. With a small max distance it reaches that on the way down. Its hard
// constraints are those of Alan Wake, which add energy, so that it moves until it is slowed.
static void sheet(Fixture *fixture, bool settle, float max_distance, float damping, float wind) {
    fixture_sheet(fixture, ROWS, COLUMNS, 0.06f);
    fixture_lay_flat(fixture);
    fixture_vacuum(fixture);
    fixture->garment.hard = SIM_HARD_ALAN_WAKE;
    fixture->garment.fabric.damping = damping;
    fixture->garment.max_distance_top = fixture->garment.max_distance_bottom = max_distance;
    if (wind > 0.0f) fixture->garment.fabric.wind = 1.0f;
    fixture->def.settle = settle;
    fixture->def.environment.wind.velocity_world[2] = wind;
}

static void start(Fixture *fixture, bool settle, float max_distance, float damping, float wind) {
    sheet(fixture, settle, max_distance, damping, wind);
    fixture_start(fixture, RATE);
}

// m/s
static double speed(Fixture *fixture) {
    return fixture_way_of_a_tick(fixture) * RATE;
}

static void assert_same_bits_after(float max_distance, float damping, float wind, int ticks, bool same) {
    static Fixture settles, swings;
    start(&settles, true, max_distance, damping, wind);
    start(&swings, false, max_distance, damping, wind);
    fixture_steps(&settles, ticks);
    fixture_steps(&swings, ticks);
    int differ = memcmp(fixture_particles(&settles), fixture_particles(&swings),
                        ROWS * COLUMNS * sizeof settles.particles[0]);
    assert_int_equal(differ == 0, same);
    fixture_finish(&settles);
    fixture_finish(&swings);
}

static void test_cloth_that_hangs_freely_swings_on(void **state) {
    (void)state;
    assert_same_bits_after(10.0f, 0.5f, 0.0f, 14 * RATE, true);
}

static void test_in_a_wind_it_flutters_on(void **state) {
    (void)state;
    assert_same_bits_after(HOLDS, 5.0f, 0.0f, 4 * RATE, false);
    assert_same_bits_after(HOLDS, 5.0f, 3.0f, 4 * RATE, true);
}

// Settling starts after 2.5 s, and not before 5 time constants of the fabric's damping.
static void test_it_has_time_to_swing(void **state) {
    (void)state;
    assert_same_bits_after(HOLDS, 5.0f, 0.0f, 5 * RATE / 2 - 1, true);
    assert_same_bits_after(HOLDS, 5.0f, 0.0f, 5 * RATE / 2 + 6, false);
    assert_same_bits_after(HOLDS, 1.0f, 0.0f, 5 * RATE - 1, true);
    assert_same_bits_after(HOLDS, 1.0f, 0.0f, 5 * RATE + 6, false);
    assert_same_bits_after(HOLDS, 0.0f, 0.0f, 60 * RATE, true);
}

static void test_held_cloth_comes_to_rest(void **state) {
    (void)state;
    static Fixture settles, swings;
    start(&settles, true, HOLDS, 2.0f, 0.0f);
    start(&swings, false, HOLDS, 2.0f, 0.0f);
    fixture_steps(&settles, 4 * RATE);
    fixture_steps(&swings, 4 * RATE);
    double slow = speed(&settles), fast = speed(&swings);
    assert_at_most(slow, 1e-4);
    assert_at_least(fast, 1e-3);
    assert_at_most(fixture_stretch(&settles), 1e-5);
    assert_at_most(fixture_beyond_max_distance(&settles), 1e-5);
    fixture_move_to(&settles, 0.0f, 0.01f, 0.0f);
    assert_at_least(speed(&settles), 2e-3);
    fixture_finish(&settles);
    fixture_finish(&swings);
}

// Exact constraints add no energy: such cloth comes to rest by its own damping.
static void test_exact_cloth_comes_to_rest_by_itself(void **state) {
    (void)state;
    static Fixture fixture;
    sheet(&fixture, false, HOLDS, 2.0f, 0.0f);
    fixture.garment.hard = SIM_HARD_EXACT;
    fixture_start(&fixture, RATE);
    fixture_steps(&fixture, 4 * RATE);
    assert_at_most(speed(&fixture), 1e-4);
    fixture_finish(&fixture);
}

// Cloth pushed by another garment does not settle: a swinging bob carries a ball through a sheet that would
// settle otherwise.
static void start_by_bob(Fixture *fixture, bool settle) {
    static SimGarmentDef garments[2];
    static const float bob[2][3] = {{0.12f, 0.15f, 0.1f}, {0.12f, 0.15f, 0.5f}};
    fixture_sheet(fixture, ROWS, COLUMNS, 0.06f);
    fixture_vacuum(fixture);
    fixture_add_bob(fixture, garments, bob);
    garments[0].fabric.damping = 5.0f;
    garments[1].fabric.damping = 0.2f;
    SimColliderDef *ball = fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, 0);
    ball->bone = sim_garment_bone_index(&fixture->rig, 1, 0, 0);
    ball->center[0] = 0.3f; // x points at the bob
    ball->radius = 0.1f;
    fixture->def.settle = settle;
    fixture_start(fixture, RATE);
}

static void test_pushed_cloth_swings_on(void **state) {
    (void)state;
    static Fixture settles, swings;
    start_by_bob(&settles, true);
    start_by_bob(&swings, false);
    fixture_steps(&settles, 8 * RATE);
    fixture_steps(&swings, 8 * RATE);
    assert_at_least(speed(&swings), 0.05);
    fixture_steps(&settles, 1);
    assert_memory_equal(fixture_particles(&settles), fixture_particles(&swings),
                        ROWS * COLUMNS * sizeof settles.particles[0]);
    fixture_finish(&settles);
    fixture_finish(&swings);
}

// A sleeping character that wind wakes does not change another one that settles.
static void settle_in_company(Fixture *fixture, bool company) {
    sheet(fixture, true, HOLDS, 2.0f, 0.0f);
    fixture->garment.fabric.wind = 1.0f;
    fixture->def.sleep = true;
    fixture_start(fixture, RATE);
    if (company) fixture_another(fixture);
    fixture_steps(fixture, 6 * RATE);
    fixture_move_to(fixture, 0.0f, 0.05f, 0.0f);
    fixture_steps(fixture, 5 * RATE / 2 + 9);
    assert_int_equal(sim_world_stats(fixture->world).asleep, company ? 1 : 0);
    SimEnvironment environment = *sim_world_environment(fixture->world);
    environment.wind.velocity_world[2] = 3.0f;
    sim_world_set_environment(fixture->world, &environment);
    fixture_steps(fixture, 4);
}

static void test_company_changes_nothing(void **state) {
    (void)state;
    static Fixture alone, together;
    settle_in_company(&alone, false);
    settle_in_company(&together, true);
    assert_memory_equal(fixture_particles(&alone), fixture_particles(&together),
                        ROWS * COLUMNS * sizeof alone.particles[0]);
    fixture_finish(&alone);
    fixture_finish(&together);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cloth_that_hangs_freely_swings_on),
        cmocka_unit_test(test_in_a_wind_it_flutters_on),
        cmocka_unit_test(test_it_has_time_to_swing),
        cmocka_unit_test(test_held_cloth_comes_to_rest),
        cmocka_unit_test(test_exact_cloth_comes_to_rest_by_itself),
        cmocka_unit_test(test_pushed_cloth_swings_on),
        cmocka_unit_test(test_company_changes_nothing),
    };
    return cmocka_run_group_tests_name("settle", tests, NULL, NULL);
}
