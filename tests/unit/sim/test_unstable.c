// Values out of all bounds: the garment restarts at its references, reports it, and continues. Other
// characters are unchanged.
#include "sim_fixture.h"

#include <sim/ranges.h>

#define MAXIMUM(unit, minimum, maximum, otherwise) ((float)(maximum))
#define STRONGEST                                  SIM_WITH_RANGE(MAXIMUM, SIM_RANGE_GRAVITY) // m/s^2

static void assert_finite(Fixture *fixture) {
    const float(*x)[3] = fixture_particles(fixture);
    for (int p = 0; p < fixture_particle_count(fixture); p++)
        for (int i = 0; i < 3; i++) assert_true(isfinite(x[p][i]));
    const mat4 *bones = sim_character_bones_model(fixture->world, fixture->character);
    int count = sim_rig_info(fixture->world, fixture->rig_id)->bone_count;
    for (int bone = 0; bone < count; bone++)
        for (int i = 0; i < 16; i++) assert_true(isfinite(bones[bone][i / 4][i % 4]));
}

static int unstable_now(const Fixture *fixture) {
    int count;
    const SimUnstable *unstable = sim_world_unstable(fixture->world, &count);
    for (int i = 0; i < count; i++) assert_int_equal(unstable[i].garment, 0);
    return count;
}

// Asserts that all were reset, with a cause that begins and ends like this.
static void assert_cause(const Fixture *fixture, const char *begins, const char *ends) {
    int count;
    const SimUnstable *unstable = sim_world_unstable(fixture->world, &count);
    for (int i = 0; i < count; i++) {
        const char *cause = unstable[i].cause;
        size_t length = strlen(cause), end = strlen(ends);
        if (strncmp(cause, begins, strlen(begins)) || length < end || strcmp(cause + length - end, ends))
            fail_msg("\"%s\", expected \"%s ... %s\"", cause, begins, ends);
    }
}

// A chain that nothing holds, in the strongest gravity allowed: after 10 km it is reset, and falls again.
static void test_a_fall_without_end(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, 4, 1, 0.05f);
    fixture_unpin(fixture);
    fixture_vacuum(fixture);
    fixture->garment.max_distance_top = 0.0f;
    fixture->garment.max_distance_bottom = -1.0f; // none, for a chain
    fixture->def.environment.gravity_world[1] = -STRONGEST;
    fixture_start(fixture, 60);
    SimCharacterId other = fixture_another(fixture);
    int resets[2] = {0, 0};
    for (int tick = 0; tick < 1000; tick++) {
        sim_world_step(fixture->world);
        assert_finite(fixture);
        int count;
        const SimUnstable *unstable = sim_world_unstable(fixture->world, &count);
        for (int i = 0; i < count; i++) resets[unstable[i].character.index == other.index]++;
        if (unstable_now(fixture) == 0) continue;
        assert_cause(fixture, "the position of row 0, column 0 is 100",
                     " m from the root, 10000 at most; pose, colliders and air are within bounds");
        // Both fall alike. Now they are at their references, at rest.
        assert_int_equal(count, 2);
        const double fall = sqrt(2.0 * 10000.0 / (double)STRONGEST); // s
        assert_near(fmod(tick / 60.0 + 1.0, fall), 1.0, 0.1);
        const float(*x)[3] = fixture_particles(fixture);
        for (int p = 0; p < 4; p++) assert_at_most(fixture_distance(x[p], fixture->positions[p]), 1e-5);
        sim_world_step(fixture->world);
        tick++;
        assert_int_equal(unstable_now(fixture), 0);
        assert_near(fixture_particles(fixture)[0][1],
                    (double)-STRONGEST / 60.0 * (1.0 / 60.0 + 1.0 / 240.0) / 2.0, 1e-3);
    }
    assert_int_equal(resets[0], 2);
    assert_int_equal(resets[1], 2);
    assert_int_equal(sim_world_stats(fixture->world).unstable, 4);
}

static const char by_the_pose[] = " m from the root";

// A clip moves the skeleton out of all bounds. When it returns the cloth hangs as before.
static void test_a_skeleton_out_of_bounds(void **state) {
    Fixture *fixture = *state;
    static const float far[] = {1e5f, 1e18f, 1e30f, 3e38f};
    static const char overflow[] =
        "the pose put bone \"root\" beyond 1e+09 m: the skeleton rests in this tick";
    for (int i = 0; i < 4; i++) {
        fixture_sheet(fixture, 6, 5, 0.06f);
        SimColliderDef *body = fixture_add_collider(fixture, SIM_COLLIDER_ELLIPSOID, 0);
        body->center[1] = -0.2f, body->center[2] = -0.1f;
        body->radii[0] = 0.2f, body->radii[1] = 0.1f, body->radii[2] = 0.1f;
        fixture_add_clip(fixture, 60.0f, 10, false);
        fixture->def.environment.gravity_world[2] = 6.0f;
        for (int frame = 3; frame < 6; frame++) fixture->clip_positions[frame][i % 3] = far[i];
        fixture_start(fixture, 60);
        SimCharacterId calm = fixture_another(fixture);
        fixture_steps(fixture, 240); // until it leans, far from its references
        fixture_play(fixture, false);
        int resets = 0;
        for (int tick = 0; tick < 240; tick++) {
            sim_world_step(fixture->world);
            assert_finite(fixture);
            int count;
            const SimUnstable *unstable = sim_world_unstable(fixture->world, &count);
            for (int k = 0; k < count; k++)
                assert_int_equal(unstable[k].character.index, fixture->character.index);
            resets += unstable_now(fixture);
            assert_cause(fixture, i ? overflow : "the ", i ? "" : by_the_pose);
            static float before[30][3], after[30][3];
            sim_garment_particles_model(fixture->world, calm, 0, after);
            for (int p = 0; tick > 0 && p < 30; p++)
                assert_at_most(fixture_distance(before[p], after[p]), 5e-3);
            memcpy(before, after, sizeof before);
            assert_true(count == 0 || (tick >= 1 && tick < 9));
        }
        assert_true(resets >= 2);
        assert_int_equal(sim_world_stats(fixture->world).unstable, resets);
        static float hangs[30][3];
        memcpy(hangs, fixture_particles(fixture), sizeof hangs);
        assert_at_most(fixture_stretch(fixture), 1e-5);
        fixture->character = calm;
        fixture_particles(fixture);
        for (int p = 0; p < 30; p++) assert_at_most(fixture_distance(hangs[p], fixture->particles[p]), 5e-3);
        fixture_finish(fixture);
    }
}

// Bones whose positions overflow, and one whose aim overflows with them: frames stay finite, and all
// garments of the character restart.
static void test_a_pose_that_overflows(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, 6, 5, 0.06f);
    for (int i = 0; i < 2; i++) fixture_add_bone(fixture, i ? "hand" : "arm", i, 0.0f, 0.2f, 0.0f);
    for (int column = 3; column < 5; column++) fixture->attach[column].bones[0] = 2;
    fixture_add_clip(fixture, 60.0f, 5, false);
    for (int bone = 1; bone < 3; bone++) fixture_clip_position(fixture, 2, bone)[1] = 3e38f;
    fixture_start(fixture, 60);
    fixture_play(fixture, false);
    for (int tick = 0; tick < 60; tick++) {
        sim_world_step(fixture->world);
        assert_finite(fixture);
        int resets = unstable_now(fixture);
        assert_cause(fixture, "the pose put bone \"arm\" beyond 1e+09 m: the skeleton rests in this tick",
                     "");
        assert_int_equal(resets, tick == 1);
        if (resets)
            for (int p = 0; p < 30; p++)
                assert_at_most(fixture_distance(fixture->particles[p], fixture->positions[p]), 1e-5);
    }
    assert_at_most(fixture_stretch(fixture), 1e-5);
}

// A root that moves out of all bounds counts as a teleport: nothing changes in model space.
static void test_a_root_at_the_end_of_numbers(void **state) {
    Fixture *fixture = *state;
    static float before[30][3];
    static const float places[][3] = {
        {1e30f, 0, 0}, {0, 0, -1e30f}, {3e38f, 0, 3e38f}, {0, 1e6f, 0}, {0, -1e6f, 0}};
    for (int i = 0; i < 5; i++) {
        fixture_sheet(fixture, 6, 5, 0.06f);
        fixture->def.environment.wind.velocity_world[2] = 0.5f;
        fixture_start(fixture, 60);
        fixture_steps(fixture, 300);
        memcpy(before, fixture_particles(fixture), sizeof before);
        for (int tick = 0; tick < 60; tick++) {
            if (tick == 0) fixture_move_to(fixture, places[i][0], places[i][1], places[i][2]);
            if (tick == 30) fixture_move_to(fixture, 0.0f, 0.0f, 0.0f);
            sim_world_step(fixture->world);
            assert_finite(fixture);
            assert_int_equal(unstable_now(fixture), 0);
            for (int p = 0; p < 30; p++)
                assert_at_most(fixture_distance(before[p], fixture->particles[p]), 2e-3);
        }
        fixture_finish(fixture);
    }
}

// The strongest gravity and wind allowed do not reset cloth that is held.
static void test_the_strongest_forces(void **state) {
    Fixture *fixture = *state;
    for (int preset = 0; preset < FIXTURE_PRESETS; preset++) {
        fixture_sheet(fixture, 8, 6, 0.06f);
        fixture->garment.fabric = fixture_preset(preset);
        fixture->garment.max_distance_top = 0.0f;
        fixture->garment.max_distance_bottom = -1.0f;
        fixture->def.environment.gravity_world[0] = STRONGEST;
        fixture->def.environment.gravity_world[1] = -STRONGEST;
        fixture->def.environment.wind = (SimWind){{200.0f, -200.0f, 200.0f}, 2.0f, 2.0f};
        fixture_start(fixture, 30);
        for (int tick = 0; tick < 60; tick++) {
            sim_world_step(fixture->world);
            assert_finite(fixture);
            assert_int_equal(unstable_now(fixture), 0);
            if (preset != 6) assert_at_most(fixture_stretch(fixture), 1e-5);
        }
        fixture_finish(fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_a_fall_without_end),    FIXTURE_TEST(test_a_skeleton_out_of_bounds),
        FIXTURE_TEST(test_a_pose_that_overflows), FIXTURE_TEST(test_a_root_at_the_end_of_numbers),
        FIXTURE_TEST(test_the_strongest_forces),
    };
    return cmocka_run_group_tests_name("sim unstable", tests, NULL, NULL);
}
