// The clip player: sampling between frames, ends, loops and their seam, root motion, fades.
#include "sim_fixture.h"

#include <cglm/cglm.h>

// One bone that turns about z by 10 degrees a frame and moves by 0.1 m a frame along y, 11 frames at 10 Hz: 1
// s. The root walks 0.2 m a frame along +z.
static void turning(Fixture *fixture) {
    fixture_init(fixture);
    fixture_add_clip(fixture, 10.0f, 11, true);
    for (int frame = 0; frame < 11; frame++) {
        float half = (float)(5.0 * frame * FIXTURE_PI / 180.0);
        fixture->clip_rotations[frame][2] = sinf(half), fixture->clip_rotations[frame][3] = cosf(half);
        fixture->clip_positions[frame][1] = 0.1f * (float)frame;
        fixture->clip_root[frame][1] = 0.2f * (float)frame;
    }
}

static double bone_angle(Fixture *fixture) {
    const vec4 *bone = sim_character_bones_model(fixture->world, fixture->character)[0];
    return atan2((double)bone[0][1], (double)bone[0][0]) * 180.0 / FIXTURE_PI;
}

static double bone_height(Fixture *fixture) {
    return (double)sim_character_bones_model(fixture->world, fixture->character)[0][3][1];
}

static double clip_time(Fixture *fixture, int expected_clip) {
    float time;
    assert_int_equal(sim_character_clip(fixture->world, fixture->character, &time), expected_clip);
    return (double)time;
}

static void play(Fixture *fixture, SimPlay play) {
    sim_character_play(fixture->world, fixture->character, 0, &play);
}

static void test_sampling_between_frames_and_the_clamped_end(void **state) {
    Fixture *fixture = *state;
    turning(fixture);
    fixture_start(fixture, 60);
    assert_near(clip_time(fixture, -1), 0.0, 0.0);
    play(fixture, (SimPlay){.speed = 1.0f});
    for (int tick = 1; tick <= 90; tick++) {
        sim_world_step(fixture->world);
        double time = fmin(tick / 60.0, 1.0);
        assert_near(bone_angle(fixture), 100.0 * time, 2e-3);
        assert_near(bone_height(fixture), time, 1e-5);
        assert_near(sim_character_root(fixture->world, fixture->character).position[2], 2.0 * time, 1e-5);
        assert_near(clip_time(fixture, 0), tick / 60.0, 1e-5);
    }
}

// A rotation and its negative are the same.
static void test_rotations_on_the_other_hemisphere_turn_the_short_way(void **state) {
    Fixture *fixture = *state;
    turning(fixture);
    for (int frame = 0; frame < 11; frame++)
        if (frame % 3 == 1) glm_vec4_negate(fixture->clip_rotations[frame]);
    fixture_start(fixture, 60);
    play(fixture, (SimPlay){.speed = 1.0f});
    for (int tick = 1; tick <= 60; tick++) {
        sim_world_step(fixture->world);
        assert_near(bone_angle(fixture), 100.0 * tick / 60.0, 2e-3);
    }
}

static void test_at_speed_and_backwards(void **state) {
    Fixture *fixture = *state;
    turning(fixture);
    fixture_start(fixture, 60);
    play(fixture, (SimPlay){.speed = 2.5f, .at = 0.25f});
    fixture_steps(fixture, 12);
    assert_near(bone_height(fixture), 0.75, 1e-5);
    assert_near(sim_character_root(fixture->world, fixture->character).position[2], 1.0, 1e-5);
    fixture_reset(fixture, &fixture->character);
    play(fixture, (SimPlay){.speed = -1.0f, .at = 0.75f});
    sim_world_place(fixture->world);
    assert_near(bone_height(fixture), 0.75, 1e-6); // placed where its clip has it
    fixture_steps(fixture, 30);
    assert_near(bone_height(fixture), 0.25, 1e-5);
    assert_near(sim_character_root(fixture->world, fixture->character).position[2], -1.0, 1e-5);
    fixture_steps(fixture, 60);
    assert_near(bone_height(fixture), 0.0, 1e-6);
    assert_near(sim_character_root(fixture->world, fixture->character).position[2], -1.5, 1e-5);
    fixture_reset(fixture, &fixture->character);
    play(fixture, (SimPlay){.speed = 0.0f, .at = 0.4f});
    fixture_steps(fixture, 30);
    assert_near(bone_height(fixture), 0.4, 1e-6);
}

// Root motion is relative: it continues from the root's position and heading.
static void test_root_composes_with_where_the_root_is(void **state) {
    Fixture *fixture = *state;
    turning(fixture);
    for (int frame = 0; frame < 11; frame++) fixture->clip_root[frame][2] = 0.5f; // a heading that stays
    fixture_start(fixture, 60);
    play(fixture, (SimPlay){.speed = 1.0f});
    fixture_steps(fixture, 30);
    SimTransform root = {{5.0f, 1.0f, 5.0f}, {0.0f, sqrtf(0.5f), 0.0f, sqrtf(0.5f)}};
    sim_character_move(fixture->world, fixture->character, &root, true);
    fixture_steps(fixture, 30);
    // It faces +x, and the track's steps, seen from its own heading of 0.5, lead off to the right of that.
    root = sim_character_root(fixture->world, fixture->character);
    assert_near(root.position[0], 5.0 + cos(0.5), 1e-4);
    assert_near(root.position[1], 1.0, 1e-6);
    assert_near(root.position[2], 5.0 + sin(0.5), 1e-4);
    assert_near(2.0f * atan2f(root.rotation[1], root.rotation[3]), FIXTURE_PI / 2.0, 1e-4);
}

// A clip whose end differs much from its beginning: it sways, drifts away and walks in a circle.
static void swaying(Fixture *fixture) {
    fixture_init(fixture);
    fixture_add_clip(fixture, 30.0f, 61, true);
    for (int frame = 0; frame < 61; frame++) {
        float time = (float)frame / 30.0f;
        fixture->clip_positions[frame][1] = 0.1f * sinf(5.0f * time) + 0.3f * time; // at most 0.8 m/s
        float half = 0.35f * time;
        fixture->clip_rotations[frame][2] = sinf(half), fixture->clip_rotations[frame][3] = cosf(half);
        fixture->clip_root[frame][0] = 1.2f * (1.0f - cosf(0.8f * time)); // 0.96 m/s round a circle of 1.2 m
        fixture->clip_root[frame][1] = 1.2f * sinf(0.8f * time);
        fixture->clip_root[frame][2] = 0.8f * time;
    }
}

// The largest changes in a tick: m/s, degrees/s; of the root the difference in m/s and rad/s from its motion
// between seams.
typedef struct Jumps {
    double bone_speed, bone_spin, root_speed, root_spin, radius;
} Jumps;

static Jumps largest_jumps(float speed, float at, int ticks) {
    static Fixture fixture;
    swaying(&fixture);
    fixture_start(&fixture, 60);
    play(&fixture, (SimPlay){.loop = true, .speed = speed, .at = at});
    sim_world_step(fixture.world);
    double height = bone_height(&fixture), angle = bone_angle(&fixture);
    SimTransform before = sim_character_root(fixture.world, fixture.character);
    Jumps most = {0};
    for (int tick = 1; tick < ticks; tick++) {
        sim_world_step(fixture.world);
        SimTransform root = sim_character_root(fixture.world, fixture.character);
        double turn =
            2.0 *
            asin((double)(root.rotation[1] * before.rotation[3] - before.rotation[1] * root.rotation[3]));
        most.bone_speed = fmax(most.bone_speed, 60.0 * fabs(bone_height(&fixture) - height));
        most.bone_spin = fmax(most.bone_spin, 60.0 * fabs(bone_angle(&fixture) - angle));
        double way = 60.0 * fixture_distance(before.position, root.position);
        most.root_speed = fmax(most.root_speed, fabs(way - 0.96 * fabs((double)speed)));
        most.root_spin = fmax(most.root_spin, fabs(60.0 * turn - 0.8 * (double)speed));
        // The root stays on its circle about (1.2, 0).
        double x = (double)root.position[0] - 1.2, z = (double)root.position[2];
        most.radius = fmax(most.radius, fabs(sqrt(x * x + z * z) - 1.2));
        before = root, height = bone_height(&fixture), angle = bone_angle(&fixture);
    }
    fixture_finish(&fixture);
    return most;
}

// Looped through many seams, forwards and backwards: the pose fades over in 0.3 s, and the root goes on from
// where it is.
static void test_loops_have_no_seam(void **state) {
    (void)state;
    for (int backwards = 0; backwards < 2; backwards++) {
        Jumps most = largest_jumps(backwards ? -1.0f : 1.0f, backwards ? 1.0f : 0.0f, 600);
        assert_at_most(most.bone_speed, 5.0); // 0.6 m in 0.3 s, at most 1.5 times that, and the motion itself
        assert_at_most(most.bone_spin, 500.0);
        assert_at_most(most.root_speed, 0.01);
        assert_at_most(most.root_spin, 0.01);
        assert_at_most(most.radius, 0.02);
    }
}

// A loop without a blend has the clip's whole length and repeats exactly.
static void test_a_loop_without_blend_repeats(void **state) {
    Fixture *fixture = *state;
    turning(fixture);
    fixture->clip.loop_blend = 0.0f;
    fixture_start(fixture, 60);
    play(fixture, (SimPlay){.loop = true, .speed = 1.0f});
    for (int tick = 1; tick <= 200; tick++) {
        sim_world_step(fixture->world);
        if (tick % 60 == 0) continue; // the seam itself is either end
        assert_near(bone_height(fixture), tick % 60 / 60.0, 1e-4);
        assert_near(sim_character_root(fixture->world, fixture->character).position[2], 2.0 * tick / 60.0,
                    0.05);
    }
}

static void test_one_frame_is_a_pose(void **state) {
    Fixture *fixture = *state;
    turning(fixture);
    fixture->clip.frame_count = 1;
    fixture->clip_positions[0][1] = 0.7f;
    for (int loop = 0; loop < 2; loop++) {
        fixture_start(fixture, 60);
        play(fixture, (SimPlay){.loop = loop, .speed = 1.0f});
        for (int tick = 0; tick < 20; tick++) {
            sim_world_step(fixture->world);
            assert_near(bone_height(fixture), 0.7, 1e-6);
            assert_near(sim_character_root(fixture->world, fixture->character).position[2], 0.0, 1e-6);
        }
        fixture_finish(fixture);
    }
}

// A fade starts at the present pose and is a smooth step.
static void test_fades(void **state) {
    Fixture *fixture = *state;
    turning(fixture);
    fixture_start(fixture, 60);
    play(fixture, (SimPlay){.speed = 1.0f, .at = 1.0f});
    fixture_steps(fixture, 10);
    play(fixture, (SimPlay){.speed = 0.0f, .fade = 0.5f}); // the same clip's first frame
    for (int tick = 1; tick <= 40; tick++) {
        sim_world_step(fixture->world);
        double share = fmin(tick / 30.0, 1.0), weight = share * share * (3.0 - 2.0 * share);
        assert_near(bone_height(fixture), 1.0 - weight, 1e-4);
        assert_near(bone_angle(fixture), 100.0 * (1.0 - weight), 0.01);
    }
}

static void test_a_first_clip_fades_from_the_rest_pose(void **state) {
    Fixture *fixture = *state;
    turning(fixture);
    fixture_start(fixture, 60);
    fixture_steps(fixture, 10); // it stands at rest, and has been seen
    play(fixture, (SimPlay){.speed = 0.0f, .at = 1.0f, .fade = 0.5f});
    for (int tick = 1; tick <= 40; tick++) {
        sim_world_step(fixture->world);
        double share = fmin(tick / 30.0, 1.0), weight = share * share * (3.0 - 2.0 * share);
        assert_near(bone_height(fixture), weight, 1e-4);
    }
}

// Before the first pose there is nothing to fade from.
static void test_a_new_character_starts_in_its_clip(void **state) {
    Fixture *fixture = *state;
    turning(fixture);
    fixture_start(fixture, 60);
    fixture_reset(fixture, &fixture->character);
    play(fixture, (SimPlay){.speed = 0.0f, .at = 0.5f, .fade = 10.0f});
    sim_world_step(fixture->world);
    assert_near(bone_height(fixture), 0.5, 1e-6);
}

// Pausing in the middle of a fade between two moving clips holds everything.
static void test_hold(void **state) {
    Fixture *fixture = *state;
    turning(fixture);
    fixture_start(fixture, 60);
    play(fixture, (SimPlay){.speed = 1.0f});
    fixture_steps(fixture, 20);
    play(fixture, (SimPlay){.speed = -1.0f, .at = 1.0f, .fade = 0.5f});
    fixture_steps(fixture, 10);
    const double angle = bone_angle(fixture), height = bone_height(fixture), time = clip_time(fixture, 0);
    const SimTransform root = sim_character_root(fixture->world, fixture->character);
    sim_character_pause_clips(fixture->world, fixture->character);
    fixture_steps(fixture, 30);
    assert_near(bone_angle(fixture), angle, 0.0);
    assert_near(bone_height(fixture), height, 0.0);
    assert_near(clip_time(fixture, 0), time, 0.0);
    const SimTransform held = sim_character_root(fixture->world, fixture->character);
    assert_memory_equal(held.position, root.position, sizeof root.position);
    play(fixture, (SimPlay){.speed = 1.0f, .at = 0.2f});
    fixture_steps(fixture, 6);
    assert_near(bone_height(fixture), 0.3, 1e-5);
}

// Every play and stop fades from the present pose, however quickly they follow each other.
static void test_many_fades_at_once(void **state) {
    Fixture *fixture = *state;
    turning(fixture);
    fixture_start(fixture, 60);
    play(fixture, (SimPlay){.speed = 0.0f});
    double before = 0.0;
    for (int tick = 0; tick < 300; tick++) {
        if (tick % 6 == 0 && tick < 240) {
            if (tick % 18 == 0)
                sim_character_stop(fixture->world, fixture->character, -1, 0.4f);
            else
                play(fixture, (SimPlay){.speed = 0.0f, .at = tick % 12 ? 1.0f : 0.3f, .fade = 0.4f});
        }
        sim_world_step(fixture->world);
        assert_at_most(fabs(bone_height(fixture) - before), 0.2);
        before = bone_height(fixture);
    }
}

static void test_stop(void **state) {
    Fixture *fixture = *state;
    turning(fixture);
    fixture_start(fixture, 60);
    sim_character_stop(fixture->world, fixture->character, -1, 0.2f); // nothing plays
    play(fixture, (SimPlay){.speed = 1.0f});
    fixture_steps(fixture, 60);
    sim_character_stop(fixture->world, fixture->character, 7, 0.0f); // that one does not play
    sim_world_step(fixture->world);
    assert_near(bone_height(fixture), 1.0, 1e-5);
    assert_true(clip_time(fixture, 0) > 1.0);
    double root = (double)sim_character_root(fixture->world, fixture->character).position[2];
    sim_character_stop(fixture->world, fixture->character, 0, 0.5f);
    assert_near(clip_time(fixture, -1), 0.0, 0.0);
    fixture_steps(fixture, 15);
    assert_near(bone_height(fixture), 0.5, 1e-4);
    fixture_steps(fixture, 16);
    assert_near(bone_height(fixture), 0.0, 1e-6);
    assert_near(sim_character_root(fixture->world, fixture->character).position[2], root,
                1e-5); // it stays there
}

static void test_in_place_the_root_stays(void **state) {
    Fixture *fixture = *state;
    turning(fixture);
    fixture_start(fixture, 60);
    play(fixture, (SimPlay){.speed = 1.0f, .in_place = true});
    fixture_steps(fixture, 30);
    assert_near(bone_angle(fixture), 50.0, 2e-3);
    assert_true(sim_character_root(fixture->world, fixture->character).position[2] == 0.0f);
    play(fixture, (SimPlay){.speed = 1.0f}); // and this one moves it
    fixture_steps(fixture, 30);
    assert_near(sim_character_root(fixture->world, fixture->character).position[2], 1.0, 1e-5);
}

// The turning clip, and a second clip that turns the bone about x by 10 degrees a frame, starting at 20.
static void turning_both_ways(Fixture *fixture, SimClipDef clips[2], versor rotations[11]) {
    turning(fixture);
    clips[0] = clips[1] = fixture->clip;
    for (int frame = 0; frame < 11; frame++) {
        double half = (10.0 + 5.0 * frame) * FIXTURE_PI / 180.0;
        rotations[frame][0] = (float)sin(half), rotations[frame][3] = (float)cos(half);
        rotations[frame][1] = rotations[frame][2] = 0.0f;
    }
    clips[1].name = "other";
    clips[1].rotations = (const versor *)rotations;
    fixture->rig.clips = clips;
    fixture->rig.clip_count = 2;
    fixture_start(fixture, 60);
}

static void add(Fixture *fixture, SimPlay play) {
    play.additive = true;
    sim_character_play(fixture->world, fixture->character, 1, &play);
}

// The bone is at 30 degrees about z, and `degrees` are added about x: Rx Rz, in the parent's space.
static void assert_added(Fixture *fixture, double degrees, double height) {
    const vec4 *bone = sim_character_bones_model(fixture->world, fixture->character)[0];
    double added = degrees * FIXTURE_PI / 180.0;
    assert_near(bone[0][0], cos(FIXTURE_PI / 6.0), 2e-5);
    assert_near(bone[0][1], 0.5 * cos(added), 2e-5);
    assert_near(bone[0][2], 0.5 * sin(added), 2e-5);
    assert_near(bone_height(fixture), height, 1e-5);
}

static void test_additive_clips_count_from_their_first_frame(void **state) {
    Fixture *fixture = *state;
    SimClipDef clips[2];
    versor rotations[11];
    turning_both_ways(fixture, clips, rotations);
    play(fixture, (SimPlay){.at = 0.3f});
    add(fixture, (SimPlay){.at = 0.0f, .weight = 1.0f});
    sim_world_step(fixture->world);
    assert_added(fixture, 0.0, 0.3);
    add(fixture, (SimPlay){.at = 0.5f, .weight = 1.0f}); // in the first one's place
    sim_world_step(fixture->world);
    assert_added(fixture, 50.0, 0.8);
    add(fixture, (SimPlay){.at = 0.5f, .weight = 0.4f});
    sim_world_step(fixture->world);
    assert_added(fixture, 20.0, 0.5);
    assert_near(clip_time(fixture, 0), 0.3, 1e-6); // what plays is the other
    add(fixture, (SimPlay){.speed = 1.0f, .weight = 1.0f});
    fixture_steps(fixture, 30);
    assert_added(fixture, 50.0, 0.8);
    fixture_steps(fixture, 90); // the end stays
    assert_added(fixture, 100.0, 1.3);
    assert_true(sim_character_root(fixture->world, fixture->character).position[2] == 0.0f);
}

static void test_additive_clips_fade(void **state) {
    Fixture *fixture = *state;
    SimClipDef clips[2];
    versor rotations[11];
    turning_both_ways(fixture, clips, rotations);
    play(fixture, (SimPlay){.at = 0.3f});
    sim_world_step(fixture->world);
    add(fixture, (SimPlay){.at = 1.0f, .weight = 0.8f, .fade = 1.0f});
    fixture_steps(fixture, 30);
    assert_added(fixture, 40.0, 0.7);
    sim_character_stop(fixture->world, fixture->character, 1, 0.5f); // from where it is
    fixture_steps(fixture, 15);
    assert_added(fixture, 20.0, 0.5);
    fixture_steps(fixture, 16);
    assert_added(fixture, 0.0, 0.3);
    assert_near(clip_time(fixture, 0), 0.3, 1e-6);
    for (int i = 0; i < 9; i++) add(fixture, (SimPlay){.at = 0.1f * (float)i, .weight = 1.0f, .fade = 0.1f});
    fixture_steps(fixture, 7);
    assert_added(fixture, 80.0, 1.1);
    sim_character_stop(fixture->world, fixture->character, -1, 0.0f);
    sim_world_step(fixture->world);
    assert_near(bone_angle(fixture), 0.0, 1e-6);
    assert_near(bone_height(fixture), 0.0, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_sampling_between_frames_and_the_clamped_end),
        FIXTURE_TEST(test_rotations_on_the_other_hemisphere_turn_the_short_way),
        FIXTURE_TEST(test_at_speed_and_backwards),
        FIXTURE_TEST(test_root_composes_with_where_the_root_is),
        cmocka_unit_test(test_loops_have_no_seam),
        FIXTURE_TEST(test_a_loop_without_blend_repeats),
        FIXTURE_TEST(test_one_frame_is_a_pose),
        FIXTURE_TEST(test_fades),
        FIXTURE_TEST(test_a_first_clip_fades_from_the_rest_pose),
        FIXTURE_TEST(test_a_new_character_starts_in_its_clip),
        FIXTURE_TEST(test_hold),
        FIXTURE_TEST(test_many_fades_at_once),
        FIXTURE_TEST(test_stop),
        FIXTURE_TEST(test_in_place_the_root_stays),
        FIXTURE_TEST(test_additive_clips_count_from_their_first_frame),
        FIXTURE_TEST(test_additive_clips_fade),
    };
    return cmocka_run_group_tests_name("sim player", tests, NULL, NULL);
}
