// Friction in closed form: contact damping towards the frame that a garment hangs from, and Coulomb's
// friction: what sticks, what slides and how fast, at every rate and over surfaces that move.
#include "sim_fixture.h"

#define G 9.81

static const int rates[] = {30, 60, 120, 240};

static void free_sheet(Fixture *fixture) {
    fixture_sheet(fixture, 5, 5, 0.06f);
    fixture_lay_flat(fixture);
    fixture_unpin(fixture);
    fixture_vacuum(fixture);
    fixture->def.environment.has_ground = true;
}

// Contact damping
// -----------------------------------------------------------------------------------------------------------

// A free sheet that lies on the ground, 1 mm below it at rest so that it touches from the first moment.
static void lie_down(Fixture *fixture, float damping, float friction) {
    free_sheet(fixture);
    fixture->garment.fabric.damping = damping;
    fixture->garment.fabric.contact_damping = friction;
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
    Fixture *fixture = *state;
    for (int i = 0; i < 4; i++) {
        lie_down(fixture, 3.0f, 25.0f);
        fixture->def.environment.gravity_world[0] = 3.0f;
        fixture_start(fixture, rates[i]);
        fixture_steps(fixture, rates[i]);
        assert_near(speed(fixture, rates[i]), 3.0 / (3.0 + 25.0), 1e-3);
        fixture_finish(fixture);
    }
    lie_down(fixture, 3.0f, 0.0f);
    fixture->def.environment.gravity_world[0] = 3.0f;
    fixture_start(fixture, 60);
    fixture_steps(fixture, 180);
    assert_near(speed(fixture, 60), 1.0, 1e-2);
}

// Friction ends with the contact.
static void test_friction_ends_with_the_contact(void **state) {
    Fixture *fixture = *state;
    lie_down(fixture, 0.0f, 25.0f);
    fixture->def.environment.gravity_world[0] = 3.0f;
    fixture_start(fixture, 60);
    fixture_steps(fixture, 60);
    SimEnvironment no_ground = *sim_world_environment(fixture->world);
    no_ground.has_ground = false;
    sim_world_set_environment(fixture->world, &no_ground);
    fixture_steps(fixture, 4);
    double before = speed(fixture, 60);
    fixture_steps(fixture, 29);
    assert_near(speed(fixture, 60) - before, 3.0 * 0.5, 0.02);
}

// The root runs at 1 m/s over a floor that cloth lies on, and the cloth feels the share a of it. The frame of
// its state moves at -a v in model space, towards which it is damped by c, and by k towards what it hangs
// from, which is at rest there: u = -a v c / (c + k).
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
    return -share * 5.0 / 25.0;
}

static void test_a_plane_and_the_ground_brake_alike(void **state) {
    (void)state;
    for (int i = 0; i < 10; i++)
        assert_near(drift_over_a_floor(i >= 5, 0.25f * (float)(i % 5)), expected_drift(0.25 * (i % 5)), 0.01);
}

// A body part that moves or spins under the cloth does not drag it along: here a large ball with the sheet on
// top.
static void test_a_moving_body_part_drags_nothing(void **state) {
    Fixture *fixture = *state;
    for (int spins = 0; spins < 2; spins++) {
        lie_down(fixture, 5.0f, 20.0f);
        fixture->def.environment.has_ground = false;
        int bone = fixture_add_bone(fixture, "ball", 0, 0.12f, -50.0f, 0.12f);
        fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, bone)->radius = 50.002f;
        fixture_add_clip(fixture, 60.0f, 121, false);
        for (int frame = 0; frame <= 120; frame++) { // its top moves at 0.5 m/s
            float seconds = (float)frame / 60.0f, turn = -0.5f / 50.0f * seconds;
            if (spins) {
                fixture->clip_rotations[2 * frame + 1][2] = sinf(turn / 2.0f);
                fixture->clip_rotations[2 * frame + 1][3] = cosf(turn / 2.0f);
            } else {
                fixture->clip_positions[2 * frame + 1][0] += 0.5f * seconds;
            }
        }
        fixture_start(fixture, 60);
        fixture_play(fixture, false);
        fixture_steps(fixture, 60);
        assert_near(speed(fixture, 60), 0.0, 0.03);
        fixture_finish(fixture);
    }
}

// Coulomb's friction
// -----------------------------------------------------------------------------------------------------------

// A free sheet on the ground. Gravity leans towards +x by the angle in degrees.
static void lie_leaning(Fixture *fixture, double coefficient, double angle) {
    free_sheet(fixture);
    fixture->garment.fabric.friction = (float)coefficient;
    fixture->def.environment.gravity_world[0] = (float)(G * sin(angle * FIXTURE_PI / 180.0));
    fixture->def.environment.gravity_world[1] = (float)(-G * cos(angle * FIXTURE_PI / 180.0));
}

// The mean displacement of the sheet along an axis.
static double moved(Fixture *fixture, int axis) {
    double sum = 0.0;
    fixture_particles(fixture);
    for (int p = 0; p < 25; p++)
        sum += (double)fixture->particles[p][axis] - (double)fixture->positions[p][axis];
    return sum / 25.0;
}

static double slide(Fixture *fixture, int rate, int seconds) {
    fixture_start(fixture, rate);
    fixture_steps(fixture, seconds * rate);
    double way = moved(fixture, 0);
    assert_near(moved(fixture, 1), 0.0, 1e-5);
    fixture_finish(fixture);
    return way;
}

// Below atan(mu) the sheet stays, above it accelerates by g (sin - mu cos).
static void test_an_inclined_plane(void **state) {
    Fixture *fixture = *state;
    static const double coefficients[] = {0.2, 0.5, 1.0};
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < 3; i++) {
            double mu = coefficients[i], critical = atan(mu) * 180.0 / FIXTURE_PI;
            lie_leaning(fixture, mu, critical - 0.5);
            assert_near(slide(fixture, rates[r], 3), 0.0, 1e-4);
            for (double over = 1.0; over < 20.0; over += 8.0) {
                double angle = (critical + over) * FIXTURE_PI / 180.0;
                lie_leaning(fixture, mu, critical + over);
                assert_near(slide(fixture, rates[r], 1) / (0.5 * G * (sin(angle) - mu * cos(angle))), 1.0,
                            0.02);
            }
        }
}

// A sheet pushed over a level floor stops after v^2 / (2 mu g), and stays there.
static void test_a_push_dies(void **state) {
    Fixture *fixture = *state;
    for (int r = 0; r < 4; r++) {
        lie_leaning(fixture, 0.4, 0.0);
        fixture_start(fixture, rates[r]);
        SimEnvironment level = *sim_world_environment(fixture->world), pushed = level;
        pushed.gravity_world[0] = 10.0f;
        sim_world_set_environment(fixture->world, &pushed);
        fixture_steps(fixture, rates[r] / 10);
        sim_world_set_environment(fixture->world, &level);
        double speed = (10.0 - 0.4 * G) * 0.1, begin = moved(fixture, 0);
        fixture_steps(fixture, rates[r]);
        double rest = moved(fixture, 0);
        assert_near((rest - begin) / (speed * speed / (2.0 * 0.4 * G)), 1.0, 0.03);
        fixture_steps(fixture, rates[r]);
        assert_near(moved(fixture, 0), rest, 1e-5);
        fixture_finish(fixture);
    }
}

// A surface that starts to move at v accelerates the sheet by mu g until both have the same speed, then the
// sheet sticks.
static void test_a_moving_surface_carries(void **state) {
    Fixture *fixture = *state;
    const double mu = 0.2, v = 0.5, gaining = v / (mu * G);
    for (int r = 0; r < 4; r++) {
        lie_leaning(fixture, mu, 0.0);
        fixture->def.environment.has_ground = false;
        int bone = fixture_add_bone(fixture, "belt", 0, 0.12f, -10.0f, 0.12f);
        SimColliderDef *belt = fixture_add_collider(fixture, SIM_COLLIDER_ELLIPSOID, bone);
        belt->radii[0] = belt->radii[2] = 100.0f, belt->radii[1] = 10.0f;
        fixture_add_clip(fixture, 60.0f, 121, false);
        for (int frame = 0; frame <= 120; frame++)
            fixture->clip_positions[2 * frame + 1][0] += (float)(v * frame / 60.0);
        fixture_start(fixture, rates[r]);
        fixture_play(fixture, false);
        fixture_steps(fixture, rates[r]);
        double first = moved(fixture, 0);
        assert_near(first, v * (1.0 - gaining) + 0.5 * v * gaining, 0.01);
        fixture_steps(fixture, rates[r] / 2);
        assert_near((moved(fixture, 0) - first) / (0.5 * v), 1.0, 0.01);
        fixture_finish(fixture);
    }
}

// The root runs over a floor that cloth lies on; in the world the cloth stays where it was, whatever share of
// the motion it feels.
static void test_the_world_holds_cloth_under_a_running_root(void **state) {
    Fixture *fixture = *state;
    for (int share = 0; share <= 2; share++) {
        lie_leaning(fixture, 0.8, 0.0);
        fixture->garment.fabric.world_motion = 0.5f * (float)share;
        fixture_start(fixture, 60);
        for (int tick = 1; tick <= 60; tick++) {
            fixture_move_to(fixture, 0.05f * (float)tick / 60.0f, 0.0f, 0.0f);
            sim_world_step(fixture->world);
        }
        assert_near(moved(fixture, 0), -0.05, 1e-3);
        fixture_finish(fixture);
    }
}

// Draped over a ball, where only points between particles touch: with friction it stays, without it slides
// off.
static void test_a_sheet_on_a_ball(void **state) {
    Fixture *fixture = *state;
    for (int rubs = 0; rubs < 2; rubs++) {
        lie_leaning(fixture, rubs ? 1.0 : 0.0, 8.0);
        fixture->def.environment.has_ground = false;
        int bone = fixture_add_bone(fixture, "ball", 0, 0.12f, -0.505f, 0.12f);
        fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, bone)->radius = 0.5f;
        fixture->garment.fabric.damping = 1.0f;
        fixture_start(fixture, 60);
        fixture_steps(fixture, 60);
        double first = moved(fixture, 0);
        fixture_steps(fixture, 60);
        if (rubs)
            assert_near(moved(fixture, 0), first, 2e-3);
        else
            assert_at_least(moved(fixture, 0), 0.2);
        fixture_finish(fixture);
    }
}

// Friction of neighbours in other lanes changes no bit.
static void test_friction_is_its_lanes_own(void **state) {
    (void)state;
    static Fixture alone, crowd;
    for (int rubs = 0; rubs < 2; rubs++) {
        lie_leaning(&alone, rubs ? 0.3 : 0.0, 20.0);
        lie_leaning(&crowd, rubs ? 0.3 : 0.0, 20.0);
        fixture_start(&alone, 60);
        fixture_start(&crowd, 60);
        for (int i = 0; i < 5; i++) {
            SimCharacterId other = fixture_another(&crowd);
            SimFabric fabric = crowd.garment.fabric;
            fabric.friction = 0.2f * (float)i;
            sim_garment_set_fabric(crowd.world, other, 0, &fabric, false);
        }
        fixture_steps(&alone, 60);
        fixture_steps(&crowd, 60);
        assert_memory_equal(fixture_particles(&alone), fixture_particles(&crowd), 25 * sizeof(float[3]));
        fixture_finish(&alone);
        fixture_finish(&crowd);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_friction_slows_a_sliding_sheet),
        FIXTURE_TEST(test_friction_ends_with_the_contact),
        cmocka_unit_test(test_a_plane_and_the_ground_brake_alike),
        FIXTURE_TEST(test_a_moving_body_part_drags_nothing),
        FIXTURE_TEST(test_an_inclined_plane),
        FIXTURE_TEST(test_a_push_dies),
        FIXTURE_TEST(test_a_moving_surface_carries),
        FIXTURE_TEST(test_the_world_holds_cloth_under_a_running_root),
        FIXTURE_TEST(test_a_sheet_on_a_ball),
        cmocka_unit_test(test_friction_is_its_lanes_own),
    };
    return cmocka_run_group_tests_name("sim friction", tests, NULL, NULL);
}
