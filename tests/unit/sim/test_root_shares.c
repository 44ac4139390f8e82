// The shares of the root's motion one by one: motion along, turns, flying out; their clamps; and that a
// change of a share is no motion.
#include "sim_fixture.h"

#define LENGTH 0.3 // m, of the pendulum
#define ARM    0.2 // m, from the root's axis to where it hangs

static SimTransform turned(double heading) {
    SimTransform root = SIM_TRANSFORM_IDENTITY;
    root.rotation[1] = (float)sin(heading / 2.0), root.rotation[3] = (float)cos(heading / 2.0);
    return root;
}

// A pendulum on an arm of a root that turns.
static void hang_on_an_arm(Fixture *fixture, int tick_rate, float angular, float centrifugal) {
    fixture_sheet(fixture, 2, 1, (float)LENGTH);
    fixture_vacuum(fixture);
    for (int p = 0; p < 2; p++) fixture->positions[p][0] += (float)ARM;
    fixture->garment.fabric.damping = 3.0f;
    fixture->garment.fabric.world_motion = 0.0f;
    fixture->garment.fabric.world_angular = angular;
    fixture->garment.fabric.world_centrifugal = centrifugal;
    fixture_start(fixture, tick_rate);
}

static void turn_steadily(Fixture *fixture, int tick_rate, double rate, int seconds) {
    for (int tick = 1; tick <= seconds * tick_rate; tick++) {
        SimTransform root = turned(rate * tick / tick_rate);
        sim_character_move(fixture->world, fixture->character, &root, SIM_TELEPORT_NONE);
        sim_world_step(fixture->world);
    }
    fixture_particles(fixture);
}

// Where it hangs in the end: along g + (share_c w)^2 r - c share_a w x r, all of it at the bob.
static void conical_pendulum(double rate, double angular, double centrifugal, double damping, float out[3]) {
    double r = ARM, t = 0.0, y = -LENGTH; // outwards, with the turn, up
    for (int i = 0; i < 2000; i++) {
        double flying = centrifugal * centrifugal * rate * rate, drag = damping * angular * rate;
        double along_r = flying * r + drag * t, along_t = flying * t - drag * r;
        double length = sqrt(along_r * along_r + along_t * along_t + 9.81 * 9.81);
        r += 0.5 * (ARM + LENGTH * along_r / length - r);
        t += 0.5 * (LENGTH * along_t / length - t);
        y += 0.5 * (-LENGTH * 9.81 / length - y);
    }
    out[0] = (float)r, out[1] = (float)y, out[2] = (float)-t; // a turn about +y takes +x towards -z
}

static double angle_between(const float a[3], const float b[3], const float from[3]) {
    double dot = 0.0, aa = 0.0, bb = 0.0;
    for (int i = 0; i < 3; i++) {
        double x = (double)a[i] - (double)from[i], y = (double)b[i] - (double)from[i];
        dot += x * y, aa += x * x, bb += y * y;
    }
    return acos(fmin(dot / sqrt(aa * bb), 1.0)) * 180.0 / FIXTURE_PI;
}

// The error is of the first order in the substep: a turn a second and whole shares would give 2.8 degrees.
static void test_flies_out_like_a_conical_pendulum(void **state) {
    (void)state;
    static Fixture fixture;
    static const int tick_rates[] = {30, 60, 120, 240, 50};
    static const struct {
        double rate;
        float angular, centrifugal;
    } cases[] = {{2, 0, 1},          {4, 0, 1},       {6, 0, 1},      {5, 0, 0.5f},   {4, 0.2f, 0.8f},
                 {5, 0.2f, 0.8f},    {6, 0.3f, 0.3f}, {4, 0.8f, 0},   {6, 0.8f, 0},   {2, 1, 1},
                 {-4, 0.12f, 0.12f}, {-4, 0.3f, 1},   {-6, 0, 0.75f}, {-3, 1, 0.25f}, {6, 0, 0}};
    for (int i = 0; i < 15; i++) {
        float expected[3];
        int tick_rate = tick_rates[i % 5];
        hang_on_an_arm(&fixture, tick_rate, cases[i].angular, cases[i].centrifugal);
        turn_steadily(&fixture, tick_rate, cases[i].rate, 6);
        conical_pendulum(cases[i].rate, (double)cases[i].angular, (double)cases[i].centrifugal, 3.0,
                         expected);
        assert_at_most(angle_between(fixture.particles[1], expected, fixture.particles[0]), 0.3);
        fixture_finish(&fixture);
    }
}

// A fabric that gives world_motion alone has one share for all; edges have their factor on each.
static void test_shares_that_are_not_given(void **state) {
    (void)state;
    static Fixture fixture;
    static float found[3][4][3];
    for (int i = 0; i < 3; i++) {
        fixture_sheet(&fixture, 2, 2, (float)LENGTH);
        for (int p = 0; p < 4; p++) fixture.positions[p][0] += (float)ARM;
        SimFabric *fabric = &fixture.garment.fabric;
        fabric->world_motion = 0.4f;
        if (i == 1) fabric->world_angular = fabric->world_centrifugal = 0.4f;
        fabric->edge.world_motion = 1.5f; // all of so small a sheet is edge
        if (i == 2) fabric->world_motion = 0.6f, fabric->edge.world_motion = 1.0f;
        fixture_start(&fixture, 60);
        turn_steadily(&fixture, 60, 5.0, 2);
        memcpy(found[i], fixture.particles, sizeof found[i]);
        fixture_finish(&fixture);
    }
    assert_memory_equal(found[0], found[1], sizeof found[0]);
    assert_at_most(fixture_distance(found[0][2], found[2][2]), 1e-5);
    float expected[3];
    hang_on_an_arm(&fixture, 60, 0.4f, -1.0f); // centrifugal follows angular
    turn_steadily(&fixture, 60, 5.0, 6);
    conical_pendulum(5.0, 0.4, 0.4, 3.0, expected);
    assert_at_most(angle_between(fixture.particles[1], expected, fixture.particles[0]), 0.3);
    fixture_finish(&fixture);
}

// Turns alone: cloth that feels them and nothing else trails on the arm, and not behind a straight run.
static void test_shares_are_separate(void **state) {
    (void)state;
    static Fixture fixture;
    hang_on_an_arm(&fixture, 60, 1.0f, 0.0f);
    for (int tick = 1; tick <= 120; tick++) {
        fixture_move_to(&fixture, 0.0f, 0.0f, 0.05f * (float)tick);
        sim_world_step(fixture.world);
    }
    fixture_particles(&fixture);
    assert_near(fixture.particles[1][2], 0.0, 1e-6);
    turn_steadily(&fixture, 60, 3.0, 4);
    assert_at_least(fabs((double)fixture.particles[1][2]), 0.03);
    fixture_finish(&fixture);
}

// Clamps
// -----------------------------------------------------------------------------------------------------------

static double trail_angle(float speed, float fastest) {
    static Fixture fixture;
    fixture_sheet(&fixture, 5, 3, 0.08f);
    fixture_vacuum(&fixture);
    fixture.garment.fabric.damping = 3.0f;
    fixture.garment.fabric.world_motion = 0.5f;
    fixture.garment.fabric.world_speed = fastest;
    fixture_start(&fixture, 60);
    for (int tick = 1; tick <= 360; tick++) {
        fixture_move_to(&fixture, 0.0f, 0.0f, speed * (float)tick / 60.0f);
        sim_world_step(fixture.world);
    }
    const float(*x)[3] = fixture_particles(&fixture);
    double angle = atan2((double)-x[13][2], (double)-x[13][1]) * 180.0 / FIXTURE_PI;
    fixture_finish(&fixture);
    return angle;
}

static void test_fastest_motion(void **state) {
    (void)state;
    assert_near(trail_angle(8.0f, 2.0f), atan(3.0 * 0.5 * 2.0 / 9.81) * 180.0 / FIXTURE_PI, 0.3);
    assert_near(trail_angle(1.5f, 2.0f), atan(3.0 * 0.5 * 1.5 / 9.81) * 180.0 / FIXTURE_PI, 0.3);
    assert_near(trail_angle(8.0f, 0.0f), 0.0, 1e-3);
}

static void test_fastest_turn(void **state) {
    (void)state;
    static Fixture fixture;
    for (int i = 0; i < 2; i++) {
        float expected[3];
        hang_on_an_arm(&fixture, 60, 0.5f, 1.0f);
        SimFabric fabric = fixture.garment.fabric;
        fabric.world_spin = 2.5f;
        sim_garment_set_fabric(fixture.world, fixture.character, 0, &fabric, false);
        turn_steadily(&fixture, 60, i ? -9.0 : 2.0, 6);
        conical_pendulum(i ? -2.5 : 2.0, 0.5, 1.0, 3.0, expected);
        assert_at_most(angle_between(fixture.particles[1], expected, fixture.particles[0]), 0.3);
        fixture_finish(&fixture);
    }
}

// A free cloth without weight stays behind by the share of what is felt: after a start from rest to V at the
// felt acceleration a, by share (V t - V^2 / 2 a).
static void test_felt_acceleration(void **state) {
    (void)state;
    static Fixture fixture;
    static const int tick_rates[] = {30, 60, 240};
    for (int i = 0; i < 3; i++) {
        fixture_sheet(&fixture, 4, 4, 0.06f);
        fixture_unpin(&fixture);
        fixture_vacuum(&fixture);
        fixture.def.environment.gravity_world[1] = 0.0f;
        fixture.garment.fabric.world_motion = 0.5f;
        fixture.garment.fabric.world_acceleration = 4.0f;
        fixture_start(&fixture, tick_rates[i]);
        for (int tick = 1; tick <= 2 * tick_rates[i]; tick++) {
            fixture_move_to(&fixture, 0.0f, 0.0f, 3.0f * (float)tick / (float)tick_rates[i]);
            sim_world_step(fixture.world);
        }
        const float(*x)[3] = fixture_particles(&fixture);
        double felt = 3.0 * 2.0 - 3.0 * 3.0 / (2.0 * 4.0);
        for (int p = 0; p < 16; p++) assert_near(x[p][2], -0.5 * felt, 0.01);
        fixture_finish(&fixture);
    }
}

static void test_felt_spin_acceleration(void **state) {
    (void)state;
    static Fixture fixture;
    hang_on_an_arm(&fixture, 60, 0.0f, 1.0f);
    SimFabric fabric = fixture.garment.fabric;
    fabric.world_spin_acceleration = 1.0f;
    sim_garment_set_fabric(fixture.world, fixture.character, 0, &fabric, false);
    float expected[3];
    turn_steadily(&fixture, 60, 5.0, 2); // 2 rad/s felt: not far behind its rest for so slow a rise
    conical_pendulum(2.0, 0.0, 1.0, 3.0, expected);
    assert_at_most(angle_between(fixture.particles[1], expected, fixture.particles[0]), 3.0);
    turn_steadily(&fixture, 60, 5.0, 8);
    conical_pendulum(5.0, 0.0, 1.0, 3.0, expected);
    assert_at_most(angle_between(fixture.particles[1], expected, fixture.particles[0]), 0.3);
    fixture_finish(&fixture);
}

// Changes
// ----------------------------------------------------------------------------------------------------------

// Free and undamped, cloth goes on in model space as it did, whatever its share or its clamps become.
static void test_a_change_of_share_is_no_motion(void **state) {
    (void)state;
    static Fixture fixture;
    for (int i = 0; i < 4; i++) {
        fixture_sheet(&fixture, 4, 4, 0.06f);
        fixture_unpin(&fixture);
        fixture_vacuum(&fixture);
        fixture.def.environment.gravity_world[1] = 0.0f;
        fixture.garment.fabric.world_motion = 0.2f;
        fixture_start(&fixture, 60);
        SimFabric fabric = fixture.garment.fabric;
        if (i < 2)
            fabric.world_motion = 1.0f;
        else
            fabric.world_speed = 1.0f;
        for (int tick = 1; tick <= 120; tick++) {
            fixture_move_to(&fixture, 0.0f, 0.0f, 0.05f * (float)tick);
            if (tick == 40) sim_garment_set_fabric(fixture.world, fixture.character, 0, &fabric, i % 2 == 0);
            sim_world_step(fixture.world);
        }
        const float(*x)[3] = fixture_particles(&fixture);
        for (int p = 0; p < 16; p++) assert_near(x[p][2], -0.2 * 0.05 * 120, 1e-4);
        fixture_finish(&fixture);
    }
}

// On a turning root likewise: the pendulum that hangs still begins to change from rest.
static void test_a_change_of_the_angular_share_is_no_motion(void **state) {
    (void)state;
    static Fixture fixture;
    static float before[2][3];
    hang_on_an_arm(&fixture, 240, 0.2f, 0.2f);
    turn_steadily(&fixture, 240, 4.0, 8);
    memcpy(before, fixture.particles, sizeof before);
    SimFabric fabric = fixture.garment.fabric;
    fabric.world_angular = 1.0f;
    sim_garment_set_fabric(fixture.world, fixture.character, 0, &fabric, false);
    SimTransform root = turned(4.0 * (8.0 * 240.0 + 1.0) / 240.0);
    sim_character_move(fixture.world, fixture.character, &root, SIM_TELEPORT_NONE);
    sim_world_step(fixture.world);
    fixture_particles(&fixture);
    // c w r h^2 of new drag, and not w r h of speed: 3 mm
    assert_at_most(fixture_distance(before[1], fixture.particles[1]), 1e-4);
    fixture_finish(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flies_out_like_a_conical_pendulum),
        cmocka_unit_test(test_shares_that_are_not_given),
        cmocka_unit_test(test_shares_are_separate),
        cmocka_unit_test(test_fastest_motion),
        cmocka_unit_test(test_fastest_turn),
        cmocka_unit_test(test_felt_acceleration),
        cmocka_unit_test(test_felt_spin_acceleration),
        cmocka_unit_test(test_a_change_of_share_is_no_motion),
        cmocka_unit_test(test_a_change_of_the_angular_share_is_no_motion),
    };
    return cmocka_run_group_tests_name("sim root shares", tests, NULL, NULL);
}
