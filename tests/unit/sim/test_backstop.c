// The backstop: how far cloth may be behind its references, on which side that is, that colliders win over
// it, and that all ways to give it and all instruction sets mean the same.
#include "sim_fixture.h"
#include "unit_test.h"

#define LENGTH 0.1  // m, of the links
#define PULL   9.81 // m/s^2
#define ROWS   4
#define PLACES (ROWS * 3)

static const int rates[] = {60, 30, 120, 240};

// Links that hang from pinned ones, weightless but for `pull` along z. Seen from +z, where columns run to the
// right and rows down, the sheet is seen from outside.
static void hang(Fixture *fixture, int rows, float pull, float backstop) {
    fixture_sheet(fixture, rows, 3, (float)LENGTH);
    fixture_vacuum(fixture);
    fixture->garment.fabric.damping = 5.0f;
    fixture->def.environment.gravity_world[1] = 0.0f;
    fixture->def.environment.gravity_world[2] = pull;
    fixture->garment.backstop[0] = fixture->garment.backstop[1] = backstop;
}

static double depth_of(Fixture *fixture, int particle) {
    return -(double)fixture_particles(fixture)[particle][2];
}

static void test_how_far_and_on_which_side(void **state) {
    Fixture *fixture = *state;
    static const struct {
        float pull, backstop;
        double depth;
    } cases[] = {{-(float)PULL, 0.03f, 0.03},
                 {-(float)PULL, 0.0f, 0.0},
                 {-(float)PULL, -1.0f, LENGTH},
                 {(float)PULL, 0.03f, -LENGTH}};
    for (int i = 0; i < 16; i++) {
        const int rate = rates[i / 4];
        hang(fixture, 2, cases[i % 4].pull, cases[i % 4].backstop);
        fixture_start(fixture, rate);
        fixture_steps(fixture, 4 * rate);
        for (int p = 3; p < 6; p++) assert_near(depth_of(fixture, p), cases[i % 4].depth, 1e-4);
        assert_at_most(fixture_stretch(fixture), 1e-5);
        assert_int_equal(sim_world_stats(fixture->world).constraint_conflicts, 0);
        fixture_finish(fixture);
    }
}

// A ball as large as a wall pushes the cloth behind its backstop, and this is no conflict.
static void test_colliders_win(void **state) {
    Fixture *fixture = *state;
    hang(fixture, 2, -(float)PULL, 0.01f);
    SimColliderDef *ball = fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, 0);
    ball->center[0] = (float)LENGTH, ball->center[1] = -(float)LENGTH, ball->center[2] = 9.97f;
    ball->radius = 10.0f;
    fixture_start(fixture, 60);
    fixture_steps(fixture, 240);
    for (int p = 3; p < 6; p++) assert_near(depth_of(fixture, p), 0.03, 1e-3);
    assert_int_equal(sim_world_stats(fixture->world).constraint_conflicts, 0);
    fixture_finish(fixture);
}

static void hang_by(Fixture *fixture, const float *each) {
    hang(fixture, ROWS, -(float)PULL, 0.0f);
    fixture->garment.backstop[1] = 0.2f, fixture->garment.backstop_curve = 0.5f;
    fixture->garment.backstops = each;
}

// None at the top and 0.2 m at the hem, by the root of the way down.
static void test_same_by_list_and_in_lanes(void **state) {
    Fixture *fixture = *state;
    float each[PLACES];
    for (int p = 0; p < PLACES; p++) each[p] = (float)(0.2 * sqrt((double)(p / 3) / (ROWS - 1)));
    fixture_same_by_list_and_in_lanes(fixture, hang_by, each, 20);
    for (int p = 0; p < PLACES; p++)
        assert_at_most(-(double)fixture->particles[p][2], (double)each[p] + 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_how_far_and_on_which_side),
        FIXTURE_TEST(test_colliders_win),
        FIXTURE_TEST(test_same_by_list_and_in_lanes),
    };
    return cmocka_run_group_tests_name("backstop", tests, NULL, NULL);
}
