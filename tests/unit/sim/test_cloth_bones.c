// Bones driven by cloth: their names and parents, how they lie, and that they turn with the cloth from tick
// to tick and never flip.
#include "sim_fixture.h"

#include <cglm/cglm.h>

// A jacket's lower part, open in front by 20 degrees either way. Columns run so that z points away from the
// body: in front, at +z, towards +x.
static void jacket(Fixture *fixture) {
    const int rows = 5, columns = 9;
    fixture_sheet(fixture, rows, columns, 0.06f);
    for (int p = 0; p < rows * columns; p++) {
        double turn = (20.0 + 320.0 * (p % columns) / (columns - 1)) * FIXTURE_PI / 180.0;
        fixture->positions[p][0] = (float)(0.15 * sin(turn));
        fixture->positions[p][1] = 1.0f - 0.06f * (float)(p / columns);
        fixture->positions[p][2] = (float)(0.15 * cos(turn));
    }
    int hips = fixture_add_bone(fixture, "hips", 0, 0.0f, 1.0f, 0.0f);
    for (int column = 0; column < columns; column++) fixture->attach[column].bones[0] = hips;
    fixture->garment.bone_prefix = "jacket_";
}

static void assert_orthonormal(const vec4 *matrix) {
    vec3 z;
    for (int i = 0; i < 3; i++) {
        assert_near(glm_vec3_norm((float *)matrix[i]), 1.0, 1e-5);
        assert_near(glm_vec3_dot((float *)matrix[i], (float *)matrix[(i + 1) % 3]), 0.0, 1e-5);
        assert_near(matrix[i][3], 0.0, 0.0);
    }
    glm_vec3_cross((float *)matrix[0], (float *)matrix[1], z);
    assert_near(glm_vec3_dot(z, (float *)matrix[2]), 1.0, 1e-5);
    assert_near(matrix[3][3], 1.0, 0.0);
}

static void test_names_parents_kinds(void **state) {
    Fixture *fixture = *state;
    jacket(fixture);
    SimGarmentDef garments[3] = {fixture->garment, fixture->garment, fixture->garment};
    static const float hood[][3] = {{0, 1.5f, -.1f}, {0, 1.3f, -.1f}};
    static const float tie[][3] = {{0, 1.4f, .1f}, {0, 1.3f, .1f}, {0, 1.2f, .1f}, {0, 1.1f, .1f}};
    garments[0].bone_first_column = 1, garments[0].bone_column_step = 3;
    garments[1].name = "hood", garments[1].kind = SIM_GARMENT_PENDULUM, garments[1].bone_prefix = "hood";
    garments[1].rows = 2, garments[1].columns = 1, garments[1].positions = hood, garments[1].pinned = NULL;
    garments[2].name = "tie", garments[2].kind = SIM_GARMENT_CHAIN, garments[2].bone_prefix = "tie";
    garments[2].rows = 4, garments[2].columns = 1, garments[2].positions = tie, garments[2].pinned = NULL;
    fixture->rig.garments = garments;
    fixture->rig.garment_count = 3;
    fixture_start(fixture, 60);
    const SimRigInfo *rig = sim_rig_info(fixture->world, fixture->rig_id);
    static const char *const names[] = {"root",       "hips",       "jacket_0_1", "jacket_0_4", "jacket_0_7",
                                        "jacket_1_1", "jacket_1_4", "jacket_1_7", "jacket_2_1", "jacket_2_4",
                                        "jacket_2_7", "jacket_3_1", "jacket_3_4", "jacket_3_7", "hood",
                                        "tie0_0",     "tie1_0",     "tie2_0"};
    static const int parents[] = {-1, 0, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 1, 15, 16};
    assert_int_equal(rig->bone_count, 18);
    for (int i = 0; i < 18; i++) {
        assert_string_equal(rig->bones[i].name, names[i]);
        assert_int_equal(rig->bones[i].parent, parents[i]);
        assert_int_equal(rig->bones[i].kind, i < 2     ? SIM_BONE_SKELETON
                                             : i < 14  ? SIM_BONE_CLOTH
                                             : i == 14 ? SIM_BONE_PENDULUM
                                                       : SIM_BONE_CHAIN);
    }
    for (int i = 0; i < 12; i++) {
        assert_int_equal(rig->garments[0].bones[i].bone, 2 + i);
        assert_int_equal(rig->garments[0].bones[i].particle, i / 3 * 9 + 1 + i % 3 * 3);
    }
    assert_int_equal(rig->garments[0].pinned_count, 9);
    assert_int_equal(rig->garments[2].pinned_count, 1);
    assert_int_equal(rig->garments[2].triangle_count, 0);
}

// How far y is off the tangent, in radians: the line that fits five particles, 40 degrees apart on a circle,
// or those of them that there are. A chord over an angle a is 2 sin(a / 2) long.
static double turn_off(int columns_to_the_edge) {
    const double degrees = FIXTURE_PI / 180.0;
    if (columns_to_the_edge > 1) return 0.0;
    const double near = columns_to_the_edge ? 40.0 : 20.0, far = columns_to_the_edge ? 60.0 : 40.0;
    const double near_off = near - 40.0 * columns_to_the_edge, far_off = far - 40.0 * columns_to_the_edge;
    const double along =
        sin(near * degrees) * cos(near_off * degrees) + 2.0 * sin(far * degrees) * cos(far_off * degrees);
    const double aside =
        sin(near * degrees) * sin(near_off * degrees) + 2.0 * sin(far * degrees) * sin(far_off * degrees);
    return atan2(aside, along);
}

// At rest the axes point down the cloth, from the lower to the higher column, and away from the body.
static void test_rest_frames(void **state) {
    Fixture *fixture = *state;
    jacket(fixture);
    fixture_start(fixture, 60);
    const SimRigInfo *rig = sim_rig_info(fixture->world, fixture->rig_id);
    const SimGarmentInfo *garment = &rig->garments[0];
    assert_int_equal(garment->bone_count, 4 * 9);
    for (int i = 0; i < garment->bone_count; i++) {
        const SimBoneInfo *bone = &rig->bones[garment->bones[i].bone];
        const float *x = fixture->positions[garment->bones[i].particle];
        assert_orthonormal(bone->rest_model);
        for (int k = 0; k < 3; k++) assert_near(bone->rest_model[3][k], x[k], 1e-6);
        assert_near(bone->rest_model[0][1], -1.0, 1e-5);
        int column = garment->bones[i].particle % 9;
        double outwards = (double)(bone->rest_model[2][0] * x[0] + bone->rest_model[2][2] * x[2]) / 0.15;
        assert_near(outwards, cos(turn_off(column < 4 ? column : 8 - column)), 1e-4);
        mat4 product;
        glm_mat4_mul((vec4 *)bone->inverse_bind, (vec4 *)bone->rest_model, product);
        for (int k = 0; k < 16; k++) assert_near(product[k / 4][k % 4], k % 5 == 0 ? 1.0 : 0.0, 1e-6);
    }
}

// In violent motion frames are orthonormal, on their particle, and x lies along the link.
static void test_frames_follow_the_cloth(void **state) {
    Fixture *fixture = *state;
    jacket(fixture);
    fixture->garment.fabric.world_motion = 0.6f;
    fixture->def.environment.wind = (SimWind){{6.0f, 1.0f, 3.0f}, 0.8f, 0.8f};
    fixture_start(fixture, 60);
    const SimGarmentInfo *garment = &sim_rig_info(fixture->world, fixture->rig_id)->garments[0];
    for (int tick = 0; tick < 300; tick++) {
        SimTransform root = {{0.5f * sinf(0.1f * (float)tick), 0.1f * sinf(0.3f * (float)tick), 0.0f},
                             {0.0f, sinf(0.02f * (float)tick), 0.0f, cosf(0.02f * (float)tick)}};
        sim_character_move(fixture->world, fixture->character, &root, false);
        sim_world_step(fixture->world);
        const mat4 *bones = sim_character_bones_model(fixture->world, fixture->character);
        const float(*x)[3] = fixture_particles(fixture);
        for (int i = 0; i < garment->bone_count; i++) {
            int p = garment->bones[i].particle;
            const vec4 *bone = bones[garment->bones[i].bone];
            vec3 link;
            assert_orthonormal(bone);
            assert_memory_equal(bone[3], x[p], sizeof(vec3));
            glm_vec3_sub((float *)x[p + 9], (float *)x[p], link);
            glm_vec3_normalize(link);
            assert_near(glm_vec3_dot(link, (float *)bone[0]), 1.0, 1e-5);
        }
    }
}

// Bones of the last row are children of those of the row above, and point along the link between them.
static void test_last_row_follows(void **state) {
    Fixture *fixture = *state;
    jacket(fixture);
    fixture->garment.bone_first_column = 1, fixture->garment.bone_column_step = 3;
    fixture->garment.bone_last_row = SIM_LAST_ROW_FOLLOW;
    fixture->def.environment.wind = (SimWind){{6.0f, 1.0f, 3.0f}, 0.8f, 0.8f};
    fixture_start(fixture, 60);
    const SimRigInfo *rig = sim_rig_info(fixture->world, fixture->rig_id);
    const SimGarmentInfo *garment = &rig->garments[0];
    assert_int_equal(garment->bone_count, 5 * 3);
    assert_string_equal(rig->bones[garment->bones[14].bone].name, "jacket_4_7");
    for (int i = 12; i < 15; i++) {
        assert_int_equal(garment->bones[i].particle, 4 * 9 + 1 + (i - 12) * 3);
        assert_int_equal(rig->bones[garment->bones[i].bone].parent, garment->bones[i - 3].bone);
        const vec4 *above = rig->bones[garment->bones[i - 3].bone].rest_model;
        const vec4 *rest = rig->bones[garment->bones[i].bone].rest_model;
        for (int k = 0; k < 9; k++) assert_near(rest[k / 3][k % 3], above[k / 3][k % 3], 1e-5);
    }
    for (int tick = 0; tick < 120; tick++) {
        sim_world_step(fixture->world);
        const mat4 *bones = sim_character_bones_model(fixture->world, fixture->character);
        const float(*x)[3] = fixture_particles(fixture);
        for (int i = 12; i < 15; i++) {
            const vec4 *bone = bones[garment->bones[i].bone];
            int p = garment->bones[i].particle;
            assert_orthonormal(bone);
            for (int k = 0; k < 3; k++) {
                assert_near(bone[3][k], x[p][k], 0.0);
                assert_near(bone[0][k], (x[p][k] - x[p - 9][k]) / 0.06f, 2e-5);
            }
        }
    }
}

// A chain's last bone does the same. A pendulum has only one bone.
static void test_last_row_of_chains(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, 4, 1, 0.06f);
    fixture->garment.bone_last_row = SIM_LAST_ROW_FOLLOW;
    fixture_start(fixture, 60);
    const SimRigInfo *rig = sim_rig_info(fixture->world, fixture->rig_id);
    assert_int_equal(rig->garments[0].bone_count, 4);
    assert_string_equal(rig->bones[4].name, "cloth_3_0");
    assert_int_equal(rig->bones[4].parent, 3);
    assert_near(rig->bones[4].rest_model[0][1], -1.0, 1e-6);
    fixture_finish(fixture);
    fixture_sheet(fixture, 2, 1, 0.06f);
    fixture->garment.bone_last_row = SIM_LAST_ROW_FOLLOW;
    SimIssue issue;
    assert_false(sim_validate_rig_def(&fixture->rig, &issue));
    assert_string_equal(issue.path, "garments[0].bone_last_row");
    assert_string_equal(issue.message, "expected none: a pendulum has one bone");
}

// From tick to tick
// -----------------------------------------------------------------------------------------------------------

// The twist of a frame about its x between two ticks, degrees: what is left of y's turn after the smallest
// turn of x.
static double twist(const mat4 before, const mat4 after) {
    versor swing;
    vec3 y, side;
    if (glm_vec3_dot((float *)before[0], (float *)after[0]) < -0.9999f) return 0.0;
    glm_quat_from_vecs((float *)before[0], (float *)after[0], swing);
    glm_quat_rotatev(swing, (float *)before[1], y);
    glm_vec3_cross(y, (float *)after[1], side);
    return atan2((double)glm_vec3_dot(side, (float *)after[0]), (double)glm_vec3_dot(y, (float *)after[1])) *
           180.0 / FIXTURE_PI;
}

// A sheet whose pinned row is folded over, crumpled to a point and unfolded again: its bones turn with it,
// but never by more than 60 degrees in 1/60 s.
static void test_no_frame_flips(void **state) {
    Fixture *fixture = *state;
    static mat4 before[64];
    static const int rates[] = {60, 120};
    for (int i = 0; i < 2; i++) {
        fixture_sheet(fixture, 6, 5, 0.06f);
        int right = fixture_add_bone(fixture, "right", 0, 0.0f, 0.0f, 0.0f);
        for (int column = 3; column < 5; column++) fixture->attach[column].bones[0] = right;
        fixture->def.environment.wind = (SimWind){{1.0f, 0.0f, 4.0f}, 1.0f, 1.0f};
        fixture_add_clip(fixture, (float)rates[i], 4 * rates[i] + 1, false);
        for (int frame = 0; frame <= 4 * rates[i]; frame++) {
            float phase = 3.0f * (float)frame / (float)rates[i];
            fixture->clip_positions[2 * frame + 1][0] =
                -0.36f * (0.5f - 0.5f * cosf(phase)); // past the left half
            fixture->clip_positions[2 * frame + 1][2] = 0.03f * sinf(2.0f * phase);
        }
        fixture_start(fixture, rates[i]);
        fixture_play(fixture, false);
        const SimRigInfo *rig = sim_rig_info(fixture->world, fixture->rig_id);
        double most = 0.0;
        for (int tick = 0; tick < 4 * rates[i]; tick++) {
            memcpy(before, sim_character_bones_model(fixture->world, fixture->character),
                   (size_t)rig->bone_count * sizeof(mat4));
            sim_world_step(fixture->world);
            const mat4 *after = sim_character_bones_model(fixture->world, fixture->character);
            for (int bone = 2; bone < rig->bone_count; bone++) {
                assert_orthonormal(after[bone]);
                most = fmax(most, fabs(twist((const vec4 *)before[bone], after[bone])));
            }
        }
        assert_at_most(most, 60.0 * 60.0 / rates[i] + 0.2);
        assert_at_least(most, 20.0); // it was a rough treatment
        fixture_finish(fixture);
    }
}

// Three columns of two rows: the outer ones pass each other within 2 mm of noise and return. At any rate y
// twists by at most 60 degrees in 1/60 s.
static void fold_over(Fixture *fixture, int rate) {
    enum { SECONDS = 3 };
    fixture_marionette(fixture, 2, 3, 0.06f);
    fixture->garment.bone_last_row = SIM_LAST_ROW_FOLLOW;
    fixture_add_clip(fixture, (float)rate, SECONDS * rate + 1, false);
    uint32_t noise = 1;
    for (int frame = 0; frame <= SECONDS * rate; frame++)
        for (int p = 0; p < 6; p++) {
            float *x = fixture_clip_position(fixture, frame, 1 + p);
            x[0] = 0.06f + (x[0] - 0.06f) * cosf(2.0f * (float)frame / (float)rate);
            for (int axis = 0; axis < 3; axis++) {
                noise = noise * 1664525u + 1013904223u;
                x[axis] += 0.002f * ((float)(noise >> 8) / 8388608.0f - 1.0f);
            }
        }
    fixture_start(fixture, rate);
    fixture_play(fixture, false);
}

static void test_noise_does_not_twist(void **state) {
    Fixture *fixture = *state;
    static mat4 before[16];
    static const int rates[] = {30, 60, 120, 240};
    for (int i = 0; i < 4; i++) {
        fold_over(fixture, rates[i]);
        const SimRigInfo *rig = sim_rig_info(fixture->world, fixture->rig_id);
        double most = 0.0, limit = 60.0 * 60.0 / rates[i], turned = 0.0;
        memcpy(before, sim_character_bones_model(fixture->world, fixture->character),
               (size_t)rig->bone_count * sizeof(mat4));
        const vec3 start = {before[8][1][0], before[8][1][1], before[8][1][2]};
        for (int tick = 0; tick < 3 * rates[i]; tick++) {
            sim_world_step(fixture->world);
            const mat4 *after = sim_character_bones_model(fixture->world, fixture->character);
            for (int bone = 7; bone < rig->bone_count; bone++) {
                assert_orthonormal(after[bone]);
                most = fmax(most, fabs(twist((const vec4 *)before[bone], after[bone])));
            }
            turned = fmax(turned, -(double)glm_vec3_dot((float *)start, (float *)after[8][1]));
            memcpy(before, after, (size_t)rig->bone_count * sizeof(mat4));
        }
        print_message("%d Hz: %.2f degrees at most\n", rates[i], most);
        assert_at_most(most, limit);
        assert_at_least(turned, 0.9); // it was folded over
        fixture_finish(fixture);
    }
}

// The neighbours of a hanging column turn about it at once, by less than half a turn either way, and come
// nearer. y takes the short way, at 1 to 59 degrees in 1/60 s depending on their distance, and arrives.
static void test_twist_goes_the_short_way_at_its_pace(void **state) {
    Fixture *fixture = *state;
    static const struct {
        double degrees, span, pace; // of 60 Hz
    } cases[] = {
        {170.0, 1.0, 59.0}, {-170.0, 0.5, 59.0}, {-120.0, 0.2, 30.0}, {100.0, 0.05, 1.0}, {40.0, 1.0, 59.0}};
    for (int i = 0; i < 10; i++) {
        const int rate = i % 2 ? 120 : 60;
        const double pace = cases[i / 2].pace * 60.0 / rate, turn = cases[i / 2].degrees;
        fixture_marionette(fixture, 2, 3, 0.06f);
        fixture_add_clip(fixture, (float)rate, 2, false);
        for (int p = 0; p < 6; p++) {
            float *x = fixture_clip_position(fixture, 1, 1 + p), arm = x[0] - 0.06f;
            x[0] = 0.06f + arm * (float)(cases[i / 2].span * cos(turn * FIXTURE_PI / 180.0));
            x[2] = arm * (float)(cases[i / 2].span * sin(turn * FIXTURE_PI / 180.0));
        }
        fixture_start(fixture, rate);
        fixture_play(fixture, false);
        for (int tick = 1; tick <= 8; tick++) {
            sim_world_step(fixture->world);
            const float *y = sim_character_bones_model(fixture->world, fixture->character)[8][1];
            double found = atan2((double)y[2], (double)y[0]) * 180.0 / FIXTURE_PI;
            assert_near(found, copysign(fmin(pace * tick, fabs(turn)), turn), 0.02);
        }
        fixture_finish(fixture);
    }
}

// The bones of a row that is turned about its links follow their neighbours in time.
static void test_frames_catch_up(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, 4, 5, 0.06f);
    fixture_add_clip(fixture, 60.0f, 121, false);
    for (int frame = 0; frame <= 120; frame++) {
        float turn = frame < 10 ? 0.0f : 2.0f; // 115 degrees at once
        fixture->clip_rotations[frame][1] = sinf(turn / 2.0f),
        fixture->clip_rotations[frame][3] = cosf(turn / 2.0f);
    }
    fixture_start(fixture, 60);
    fixture_play(fixture, false);
    fixture_steps(fixture, 100);
    const SimGarmentInfo *garment = &sim_rig_info(fixture->world, fixture->rig_id)->garments[0];
    const mat4 *bones = sim_character_bones_model(fixture->world, fixture->character);
    const float(*x)[3] = fixture_particles(fixture);
    for (int i = 0; i < garment->bone_count; i++) {
        int p = garment->bones[i].particle, left = p % 5 ? p - 1 : p, right = p % 5 < 4 ? p + 1 : p;
        vec3 across, rest;
        glm_vec3_sub((float *)x[right], (float *)x[left], across);
        const vec4 *bone = bones[garment->bones[i].bone];
        glm_vec3_scale((float *)bone[0], glm_vec3_dot((float *)bone[0], across), rest);
        glm_vec3_sub(across, rest, across);
        glm_vec3_normalize(across);
        assert_near(glm_vec3_dot(across, (float *)bone[1]), 1.0, 1e-4);
    }
}

// Confidence is the share of the rest span across x: 1 at rest, half where the neighbours come half as near
// or lie along x, 0 where they fall together or the link has no length.
static void test_confidence(void **state) {
    Fixture *fixture = *state;
    fixture_marionette(fixture, 2, 3, 0.06f);
    fixture_add_clip(fixture, 60.0f, 5, false);
    for (int p = 0; p < 6; p++) {
        fixture_clip_position(fixture, 1, 1 + p)[0] = 0.06f + 0.03f * (float)(p % 3 - 1);
        fixture_clip_position(fixture, 2, 1 + p)[1] += 0.06f * 1.7320508f * (float)(p % 3 - 1);
        fixture_clip_position(fixture, 3, 1 + p)[0] = 0.06f;
        if (p > 2) fixture_clip_position(fixture, 4, 1 + p)[1] = -0.005f; // 0.08 of the link
    }
    fixture_start(fixture, 60);
    fixture_play(fixture, false);
    // Frame 2: y climbs by 60 degrees, so the span doubles and half of it is across x.
    static const double expected[] = {0.5, 1.0, 0.0, 0.0};
    float confidence[3];
    sim_garment_bone_confidence(fixture->world, fixture->character, 0, confidence);
    assert_near(confidence[1], 1.0, 1e-6);
    vec3 x;
    for (int frame = 0; frame < 4; frame++) {
        const mat4 *bones = sim_character_bones_model(fixture->world, fixture->character);
        memcpy(x, bones[8][0], sizeof x);
        sim_world_step(fixture->world);
        sim_garment_bone_confidence(fixture->world, fixture->character, 0, confidence);
        assert_near(confidence[1], expected[frame], 1e-5);
    }
    const mat4 *bones = sim_character_bones_model(fixture->world, fixture->character);
    for (int k = 0; k < 3; k++) assert_near(bones[8][0][k], x[k], 0.0); // too short a link: x stays
}

// A teleport and a reset put the frames where the cloth is, without a twist on the way.
static void test_teleport_and_reset_do_not_twist(void **state) {
    Fixture *fixture = *state;
    static mat4 before[64];
    jacket(fixture);
    fixture_start(fixture, 60);
    fixture_steps(fixture, 300);
    const SimRigInfo *rig = sim_rig_info(fixture->world, fixture->rig_id);
    size_t bytes = (size_t)rig->bone_count * sizeof(mat4);
    memcpy(before, sim_character_bones_model(fixture->world, fixture->character), bytes);
    SimTransform away = {{100.0f, 0.0f, 3.0f}, {0.0f, 1.0f, 0.0f, 0.0f}}; // half a turn
    sim_character_move(fixture->world, fixture->character, &away, true);
    sim_world_step(fixture->world);
    const mat4 *after = sim_character_bones_model(fixture->world, fixture->character);
    for (int bone = 2; bone < rig->bone_count; bone++)
        for (int k = 0; k < 16; k++) assert_near(after[bone][k / 4][k % 4], before[bone][k / 4][k % 4], 1e-3);

    fixture->def.environment.wind = (SimWind){{20.0f, 0.0f, 3.0f}, 1.0f, 1.0f};
    sim_world_set_environment(fixture->world, &fixture->def.environment);
    fixture_steps(fixture, 60);
    fixture_reset(fixture, &fixture->character);
    sim_world_place(fixture->world);
    after = sim_character_bones_model(fixture->world, fixture->character);
    for (int bone = 2; bone < rig->bone_count; bone++)
        for (int k = 0; k < 16; k++)
            assert_near(after[bone][k / 4][k % 4], rig->bones[bone].rest_model[k / 4][k % 4], 1e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_names_parents_kinds),
        FIXTURE_TEST(test_rest_frames),
        FIXTURE_TEST(test_frames_follow_the_cloth),
        FIXTURE_TEST(test_last_row_follows),
        FIXTURE_TEST(test_last_row_of_chains),
        FIXTURE_TEST(test_no_frame_flips),
        FIXTURE_TEST(test_noise_does_not_twist),
        FIXTURE_TEST(test_twist_goes_the_short_way_at_its_pace),
        FIXTURE_TEST(test_frames_catch_up),
        FIXTURE_TEST(test_confidence),
        FIXTURE_TEST(test_teleport_and_reset_do_not_twist),
    };
    return cmocka_run_group_tests_name("sim cloth bones", tests, NULL, NULL);
}
