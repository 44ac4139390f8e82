// Friction: damping towards the surface that a particle touches, in closed form.
#include "sim_fixture.h"

// A free sheet that lies on the ground, 1 mm below it at rest so that it touches from the first moment.
static void lie_down(Fixture *fixture, float damping, float friction) {
    fixture_sheet(fixture, 5, 5, 0.06f);
    fixture_lay_flat(fixture);
    fixture_unpin(fixture);
    fixture_vacuum(fixture);
    fixture->garment.fabric.damping = damping;
    fixture->garment.fabric.contact_damping = friction;
    fixture->def.environment.has_ground = true;
    fixture->def.environment.ground = 0.001f;
}

// Mean speed along x over the last tick.
static double speed(Fixture *fixture, int tick_rate) {
    double before = 0.0, after = 0.0;
    for (int p = 0; p < 25; p++) before += (double)fixture_particles(fixture)[p][0];
    sim_world_step(fixture->world);
    for (int p = 0; p < 25; p++) after += (double)fixture_particles(fixture)[p][0];
    return (after - before) / 25.0 * tick_rate;
}

// Down a slope the sheet slides at g_x / (c + k).
static void test_friction_slows_a_sliding_sheet(void **state) {
    (void)state;
    static Fixture fixture;
    static const int rates[] = {30, 60, 120, 240};
    for (int i = 0; i < 4; i++) {
        lie_down(&fixture, 3.0f, 25.0f);
        fixture.def.environment.gravity_world[0] = 3.0f;
        fixture_start(&fixture, rates[i]);
        fixture_steps(&fixture, rates[i]);
        assert_near(speed(&fixture, rates[i]), 3.0 / (3.0 + 25.0), 1e-3);
        fixture_finish(&fixture);
    }
    lie_down(&fixture, 3.0f, 0.0f);
    fixture.def.environment.gravity_world[0] = 3.0f;
    fixture_start(&fixture, 60);
    fixture_steps(&fixture, 180);
    assert_near(speed(&fixture, 60), 1.0, 1e-2);
    fixture_finish(&fixture);
}

// Off the ground there is no friction.
static void test_friction_ends_with_the_contact(void **state) {
    (void)state;
    static Fixture fixture;
    lie_down(&fixture, 0.0f, 25.0f);
    fixture.def.environment.gravity_world[0] = 3.0f;
    fixture_start(&fixture, 60);
    fixture_steps(&fixture, 60);
    SimEnvironment no_ground = *sim_world_environment(fixture.world);
    no_ground.has_ground = false;
    sim_world_set_environment(fixture.world, &no_ground);
    fixture_steps(&fixture, 4);
    double before = speed(&fixture, 60);
    fixture_steps(&fixture, 29);
    assert_near(speed(&fixture, 60) - before, 3.0 * 0.5, 0.02);
    fixture_finish(&fixture);
}

// The root runs at 1 m/s over a floor that cloth lies on, and the cloth feels the share a of it. The frame of
// its state moves at -a v in model space, the floor at -v: u = -(1 - a) v k / (c + k) in that frame.
static double drift_over_a_floor(bool ground, float share) {
    static Fixture fixture;
    lie_down(&fixture, 5.0f, 20.0f);
    fixture.garment.fabric.world_motion = share;
    if (!ground) {
        fixture.def.environment.has_ground = false;
        fixture_add_collider(&fixture, SIM_COLLIDER_PLANE, -1)->offset = 0.001f;
    }
    fixture_start(&fixture, 60);
    for (int tick = 1; tick <= 60; tick++) {
        fixture_move_to(&fixture, (float)tick / 60.0f, 0.0f, 0.0f);
        if (tick < 60) sim_world_step(fixture.world);
    }
    double drift = speed(&fixture, 60);
    fixture_finish(&fixture);
    return drift;
}

static double expected_drift(double share) {
    return -share - (1.0 - share) * 20.0 / 25.0;
}

static void test_a_plane_of_the_world_drags(void **state) {
    (void)state;
    for (int i = 0; i <= 4; i++)
        assert_near(drift_over_a_floor(false, 0.25f * (float)i), expected_drift(0.25 * i), 0.01);
}

static void test_the_ground_drags_like_a_plane(void **state) {
    (void)state;
    for (int i = 0; i <= 4; i++)
        assert_near(drift_over_a_floor(true, 0.25f * (float)i), expected_drift(0.25 * i), 0.01);
}

// A body part that moves or spins under the cloth takes it along: here a large ball whose top the sheet lies
// on.
static void test_a_moving_body_part_drags(void **state) {
    (void)state;
    static Fixture fixture;
    for (int spins = 0; spins < 2; spins++) {
        lie_down(&fixture, 5.0f, 20.0f);
        fixture.def.environment.has_ground = false;
        int bone = fixture_add_bone(&fixture, "ball", 0, 0.12f, -50.0f, 0.12f);
        fixture_add_collider(&fixture, SIM_COLLIDER_SPHERE, bone)->radius = 50.002f;
        fixture_add_clip(&fixture, 60.0f, 121, false);
        for (int frame = 0; frame <= 120; frame++) { // its top moves at 0.5 m/s
            float seconds = (float)frame / 60.0f, turn = -0.5f / 50.0f * seconds;
            if (spins) {
                fixture.clip_rotations[2 * frame + 1][2] = sinf(turn / 2.0f);
                fixture.clip_rotations[2 * frame + 1][3] = cosf(turn / 2.0f);
            } else {
                fixture.clip_positions[2 * frame + 1][0] += 0.5f * seconds;
            }
        }
        fixture_start(&fixture, 60);
        fixture_play(&fixture, false);
        fixture_steps(&fixture, 60);
        assert_near(speed(&fixture, 60), 0.5 * 20.0 / 25.0, 0.03);
        fixture_finish(&fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_friction_slows_a_sliding_sheet),
        cmocka_unit_test(test_friction_ends_with_the_contact),
        cmocka_unit_test(test_a_plane_of_the_world_drags),
        cmocka_unit_test(test_the_ground_drags_like_a_plane),
        cmocka_unit_test(test_a_moving_body_part_drags),
    };
    return cmocka_run_group_tests_name("sim friction", tests, NULL, NULL);
}
