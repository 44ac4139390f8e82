// Pose stiffness of cloth: where it holds a sheet against a sideways pull, how fast the sheet swings about
// its references, and that all ways to give it and all instruction sets mean the same.
#include "sim_fixture.h"
#include "unit_test.h"

#define LENGTH 0.1  // m, of the links
#define PULL   9.81 // m/s^2, along z
#define ROWS   4
#define PLACES (ROWS * 3)

static const int rates[] = {60, 30, 120, 240};

// A row of links that hang from pinned ones, weightless but for `pull` along z.
static void hang(Fixture *fixture, int rows, float pull, float hertz) {
    fixture_sheet(fixture, rows, 3, (float)LENGTH);
    fixture_vacuum(fixture);
    fixture->def.environment.gravity_world[1] = 0.0f;
    fixture->def.environment.gravity_world[2] = pull;
    fixture->garment.pose_stiffness[0] = fixture->garment.pose_stiffness[1] = hertz;
}

static double angle(Fixture *fixture, int particle) {
    const float *x = fixture_particles(fixture)[particle];
    return atan2((double)x[2], -(double)x[1]);
}

// On a link of length L, the pull g along the arc is g cos a, and the spring's w^2 L sin a.
static void test_balance(void **state) {
    Fixture *fixture = *state;
    static const float shares[] = {1.0f, 0.5f, 0.25f};
    for (int i = 0; i < 12; i++) {
        const double hertz = 2.0, w = 2.0 * FIXTURE_PI * hertz * (double)shares[i % 3];
        hang(fixture, 2, (float)PULL, (float)hertz);
        fixture->garment.fabric.pose = shares[i % 3];
        fixture->garment.pose_damping = 1.0f;
        fixture_start(fixture, rates[i / 3]);
        fixture_steps(fixture, 4 * rates[i / 3]);
        for (int column = 0; column < 3; column++)
            assert_near(angle(fixture, 3 + column), atan2(PULL, w * w * LENGTH), 2e-3);
        fixture_finish(fixture);
    }
}

// Undamped, it swings at the frequency that is given, at every rate; a damping ratio of 1 ends that.
static void test_frequency(void **state) {
    Fixture *fixture = *state;
    for (int i = 0; i < 8; i++) {
        const int rate = rates[i / 2], seconds = 4;
        const double hertz = 3.0, at = atan2(0.5, pow(2.0 * FIXTURE_PI * hertz, 2.0) * LENGTH);
        hang(fixture, 2, 0.5f, (float)hertz);
        fixture->garment.pose_damping = i % 2 ? 1.0f : 0.0f;
        fixture_start(fixture, rate);
        int crossings = 0;
        double before = -at;
        for (int tick = 0; tick < seconds * rate; tick++) {
            sim_world_step(fixture->world);
            const double off = angle(fixture, 4) - at;
            crossings += before < 0.0 && off >= 0.0;
            before = off;
        }
        if (i % 2 == 0)
            assert_near(crossings, hertz * seconds, 1.0);
        else
            assert_near(before, 0.0, 1e-4);
        fixture_finish(fixture);
    }
}

static void hang_by(Fixture *fixture, const float *each) {
    hang(fixture, ROWS, (float)PULL, 0.0f);
    fixture->garment.pose_stiffness[0] = 6.0f, fixture->garment.pose_curve = 0.5f;
    fixture->garment.pose_damping = 0.3f;
    fixture->garment.pose_stiffnesses = each;
}

// 6 Hz at the top and none at the hem, by the root of the way down.
static void test_same_by_list_and_in_lanes(void **state) {
    float each[PLACES];
    for (int p = 0; p < PLACES; p++) each[p] = (float)(6.0 * (1.0 - sqrt((double)(p / 3) / (ROWS - 1))));
    fixture_same_by_list_and_in_lanes(*state, hang_by, each, 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_balance),
        FIXTURE_TEST(test_frequency),
        FIXTURE_TEST(test_same_by_list_and_in_lanes),
    };
    return cmocka_run_group_tests_name("pose stiffness", tests, NULL, NULL);
}
