// Bones driven by cloth: what they are called and hang from, and how they lie.
#include "bones.h"

static void test_names_parents_kinds(void **state) {
    (void)state;
    static Fixture fixture;
    jacket(&fixture);
    SimGarmentDef garments[3] = {fixture.garment, fixture.garment, fixture.garment};
    static const float hood[][3] = {{0, 1.5f, -.1f}, {0, 1.3f, -.1f}};
    static const float tie[][3] = {{0, 1.4f, .1f}, {0, 1.3f, .1f}, {0, 1.2f, .1f}, {0, 1.1f, .1f}};
    garments[0].bone_first_column = 1, garments[0].bone_column_step = 3;
    garments[1].name = "hood", garments[1].kind = SIM_GARMENT_PENDULUM, garments[1].bone_prefix = "hood";
    garments[1].rows = 2, garments[1].columns = 1, garments[1].positions = hood, garments[1].pinned = NULL;
    garments[2].name = "tie", garments[2].kind = SIM_GARMENT_CHAIN, garments[2].bone_prefix = "tie";
    garments[2].rows = 4, garments[2].columns = 1, garments[2].positions = tie, garments[2].pinned = NULL;
    fixture.rig.garments = garments;
    fixture.rig.garment_count = 3;
    fixture_start(&fixture, 60);
    const SimRigInfo *rig = sim_rig_info(fixture.world, fixture.rig_id);
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
    fixture_finish(&fixture);
}

// At rest: down the cloth, from the lower to the higher column, away from the body.
static void test_rest_frames(void **state) {
    (void)state;
    static Fixture fixture;
    jacket(&fixture);
    fixture_start(&fixture, 60);
    const SimRigInfo *rig = sim_rig_info(fixture.world, fixture.rig_id);
    const SimGarmentInfo *garment = &rig->garments[0];
    assert_int_equal(garment->bone_count, 4 * 5);
    for (int i = 0; i < garment->bone_count; i++) {
        const SimBoneInfo *bone = &rig->bones[garment->bones[i].bone];
        const float *x = fixture.positions[garment->bones[i].particle];
        assert_orthonormal(bone->rest_model);
        for (int k = 0; k < 3; k++) assert_near(bone->rest_model[3][k], x[k], 1e-6);
        assert_near(bone->rest_model[0][1], -1.0, 1e-5);
        int column = garment->bones[i].particle % 9;
        bool edge = column == 0 || column == 8; // one-sided: half a column's turn off
        double outwards = (double)(bone->rest_model[2][0] * x[0] + bone->rest_model[2][2] * x[2]) / 0.15;
        assert_near(outwards, edge ? cos(20.0 * FIXTURE_PI / 180.0) : 1.0, 1e-4);
        mat4 product;
        glm_mat4_mul((vec4 *)bone->inverse_bind, (vec4 *)bone->rest_model, product);
        for (int k = 0; k < 16; k++) assert_near(product[k / 4][k % 4], k % 5 == 0 ? 1.0 : 0.0, 1e-6);
    }
    fixture_finish(&fixture);
}

// In wild motion: orthonormal, on its particle, along its link, from left to right neighbour where that is
// clear.
static void test_frames_follow_the_cloth(void **state) {
    (void)state;
    static Fixture fixture;
    jacket(&fixture);
    fixture.garment.fabric.world_motion = 0.6f;
    fixture.def.environment.wind = (SimWind){{6.0f, 1.0f, 3.0f}, 0.8f, 0.8f};
    fixture_start(&fixture, 60);
    const SimGarmentInfo *garment = &sim_rig_info(fixture.world, fixture.rig_id)->garments[0];
    for (int tick = 0; tick < 300; tick++) {
        SimTransform root = {{0.5f * sinf(0.1f * (float)tick), 0.1f * sinf(0.3f * (float)tick), 0.0f},
                             {0.0f, sinf(0.02f * (float)tick), 0.0f, cosf(0.02f * (float)tick)}};
        sim_character_move(fixture.world, fixture.character, &root, false);
        sim_world_step(fixture.world);
        const mat4 *bones = sim_character_bones_model(fixture.world, fixture.character);
        const float(*x)[3] = fixture_particles(&fixture);
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
    fixture_finish(&fixture);
}

// Bones on the last row hang on those of the row above and go on the way of the link between them.
static void test_last_row_follows(void **state) {
    (void)state;
    static Fixture fixture;
    jacket(&fixture);
    fixture.garment.bone_first_column = 1, fixture.garment.bone_column_step = 3;
    fixture.garment.bone_last_row = SIM_LAST_ROW_FOLLOW;
    fixture.def.environment.wind = (SimWind){{6.0f, 1.0f, 3.0f}, 0.8f, 0.8f};
    fixture_start(&fixture, 60);
    const SimRigInfo *rig = sim_rig_info(fixture.world, fixture.rig_id);
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
        sim_world_step(fixture.world);
        const mat4 *bones = sim_character_bones_model(fixture.world, fixture.character);
        const float(*x)[3] = fixture_particles(&fixture);
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
    fixture_finish(&fixture);
}

// A chain's last bone likewise; a pendulum has one bone and no more.
static void test_last_row_of_chains(void **state) {
    (void)state;
    static Fixture fixture;
    fixture_sheet(&fixture, 4, 1, 0.06f);
    fixture.garment.bone_last_row = SIM_LAST_ROW_FOLLOW;
    fixture_start(&fixture, 60);
    const SimRigInfo *rig = sim_rig_info(fixture.world, fixture.rig_id);
    assert_int_equal(rig->garments[0].bone_count, 4);
    assert_string_equal(rig->bones[4].name, "cloth_3_0");
    assert_int_equal(rig->bones[4].parent, 3);
    assert_near(rig->bones[4].rest_model[0][1], -1.0, 1e-6);
    fixture_finish(&fixture);
    fixture_sheet(&fixture, 2, 1, 0.06f);
    fixture.garment.bone_last_row = SIM_LAST_ROW_FOLLOW;
    SimIssue issue;
    assert_false(sim_validate_rig_def(&fixture.rig, &issue));
    assert_string_equal(issue.path, "garments[0].bone_last_row");
    assert_string_equal(issue.message, "expected none: a pendulum has one bone");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_parents_kinds),     cmocka_unit_test(test_rest_frames),
        cmocka_unit_test(test_frames_follow_the_cloth), cmocka_unit_test(test_last_row_follows),
        cmocka_unit_test(test_last_row_of_chains),
    };
    return cmocka_run_group_tests_name("sim cloth bones", tests, NULL, NULL);
}
