// Layers: cloth that collides with colliders on other cloth's bones.
#include "sim_fixture.h"

enum { ROWS = 7, COLUMNS = 7, CLOTH = ROWS * COLUMNS };

static SimGarmentDef garments[3];
static float bob[2][3];
static SimSeamDef seam;

// A sheet, listed first, and a bob that swings through it, whose bone carries a ball: the sheet has to wait
// for the bob.
static void sheet_and_bob(Fixture *fixture) {
    fixture_sheet(fixture, ROWS, COLUMNS, 0.05f);
    bob[0][0] = bob[1][0] = 0.15f;
    bob[0][2] = bob[1][2] = 0.3f;
    bob[0][1] = 0.15f, bob[1][1] = -0.25f;
    fixture_add_bob(fixture, garments, (const float(*)[3])bob);
    garments[1].fabric.damping = 0.5f;
    garments[1].fabric.wind = 0.0f;
    SimColliderDef *ball = fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, 0);
    ball->bone = sim_garment_bone_index(&fixture->rig, 1, 0, 0);
    ball->center[0] = 0.4f; // x points at the bob
    ball->radius = 0.1f;
}

// How deep the deepest particle of the sheet is in the ball, where the bob's bone has it now, m.
static double depth(Fixture *fixture) {
    const mat4 *bones = sim_character_bones_model(fixture->world, fixture->character);
    int index = fixture->colliders[0].bone;
    float centre[3], worst = -HUGE_VALF;
    for (int i = 0; i < 3; i++) centre[i] = bones[index][3][i] + 0.4f * bones[index][0][i];
    sim_garment_particles_model(fixture->world, fixture->character, 0, fixture->particles);
    for (int p = COLUMNS; p < CLOTH; p++)
        worst = fmaxf(worst, 0.1f - (float)fixture_distance(centre, fixture->particles[p]));
    return (double)worst;
}

// Moves to and fro, so that the bob swings through the sheet at up to 2.9 m/s, 48 mm in a tick.
static void test_meets_the_ball_where_it_is_in_this_tick(void **state) {
    Fixture *fixture = *state;
    sheet_and_bob(fixture);
    garments[0].fabric.world_motion = 0.0f;
    garments[1].fabric.world_motion = 1.0f;
    fixture_start(fixture, 60);
    double deepest = depth(fixture), fastest = 0.0, farthest = 0.0;
    assert_at_most(deepest, 1e-5);
    float before[2][3], after[2][3];
    sim_garment_particles_model(fixture->world, fixture->character, 1, after);
    for (int tick = 0; tick < 300; tick++) {
        memcpy(before, after, sizeof before);
        fixture_move_to(fixture, 0.0f, 0.0f, 0.16f * sinf(0.085f * (float)tick));
        sim_world_step(fixture->world);
        deepest = fmax(deepest, depth(fixture));
        sim_garment_particles_model(fixture->world, fixture->character, 1, after);
        fastest = fmax(fastest, 60.0 * fixture_distance(before[1], after[1]));
        for (int p = 0; p < CLOTH; p++) farthest = fmax(farthest, fabs((double)fixture->particles[p][2]));
    }
    assert_at_least(fastest, 1.5);
    assert_at_least(farthest, 0.1);
    assert_at_most(deepest, 1e-5);
    assert_int_equal(sim_world_stats(fixture->world).constraint_conflicts, 0);
}

// A garment collides with all colliders but those on its own bones and on those of garments sewn to it.
static void test_who_meets_whom_by_default(void **state) {
    Fixture *fixture = *state;
    sheet_and_bob(fixture);
    garments[1].collider_count = -1;
    fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, 0)->radius = 0.01f;
    fixture_start(fixture, 60);
    const SimRigInfo *info = sim_rig_info(fixture->world, fixture->rig_id);
    assert_int_equal(info->garments[0].collider_count, 2);
    assert_int_equal(info->garments[1].collider_count, 1); // not that of its own bone
    assert_int_equal(info->garments[1].colliders[0], 1);
    assert_string_equal(info->bones[info->colliders[0].bone].name, "bob");
    fixture_finish(fixture);
    // Garments sewn to it are left out too.
    sheet_and_bob(fixture);
    seam = sim_default_seam_def();
    seam.name = "seam";
    seam.garments[1] = 1;
    seam.first_rows[0] = seam.first_rows[1] = 1;
    fixture->rig.seams = &seam;
    fixture->rig.seam_count = 1;
    fixture_start(fixture, 60);
    info = sim_rig_info(fixture->world, fixture->rig_id);
    assert_int_equal(info->garments[0].collider_count, 0);
}

static void test_bones_are_found_by_their_particle(void **state) {
    Fixture *fixture = *state;
    sheet_and_bob(fixture);
    garments[0].bone_first_column = 1;
    garments[0].bone_column_step = 3;
    fixture->colliders[0].bone = sim_garment_bone_index(&fixture->rig, 1, 0, 0);
    fixture_start(fixture, 60);
    const SimRigInfo *info = sim_rig_info(fixture->world, fixture->rig_id);
    int found = 0;
    for (int p = 0; p < CLOTH; p++) {
        int row = p / COLUMNS, column = p % COLUMNS;
        int bone = sim_garment_bone_index(&fixture->rig, 0, row, column);
        assert_true((bone >= 0) == (row < ROWS - 1 && column % 3 == 1));
        if (bone < 0) continue;
        char name[SIM_GARMENT_BONE_NAME_SIZE];
        sim_garment_bone_name(&garments[0], row, column, name);
        assert_string_equal(info->bones[bone].name, name);
        found++;
    }
    assert_int_equal(found, info->garments[0].bone_count);
    assert_int_equal(sim_garment_bone_index(&fixture->rig, 0, -1, 1), -1);
    assert_int_equal(sim_garment_bone_index(&fixture->rig, 0, 0, COLUMNS + 2), -1);
    assert_string_equal(info->bones[sim_garment_bone_index(&fixture->rig, 1, 0, 0)].name, "bob");
}

static void assert_refused(Fixture *fixture, const char *path, const char *message) {
    SimIssue issue;
    SimWorld *world = sim_world_create(&fixture->def, &issue);
    assert_int_equal(sim_rig_create(world, &fixture->rig, &issue).index, 0);
    assert_string_equal(issue.path, path);
    assert_string_equal(issue.message, message);
    sim_world_destroy(world);
}

static void test_mistakes(void **state) {
    Fixture *fixture = *state;
    static const int first[] = {0}, second[] = {1};
    sheet_and_bob(fixture);
    garments[1].colliders = first, garments[1].collider_count = 1;
    assert_refused(fixture, "garments[1].colliders[0]", "moves with a bone of this garment");

    sheet_and_bob(fixture);
    seam = sim_default_seam_def();
    seam.name = "seam";
    seam.garments[1] = 1;
    fixture->rig.seams = &seam;
    fixture->rig.seam_count = 1;
    garments[0].colliders = first, garments[0].collider_count = 1;
    assert_refused(fixture, "garments[0].colliders[0]",
                   "moves with a bone of \"bob\", which is sewn to this garment");

    sheet_and_bob(fixture);
    SimColliderDef *other = fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, 0);
    other->radius = 0.1f;
    other->bone = sim_garment_bone_index(&fixture->rig, 0, 0, 0);
    garments[1].colliders = second, garments[1].collider_count = 1;
    assert_refused(
        fixture, "garments[0].colliders",
        "garments depend on each other in a circle: \"cloth\" meets collider \"one\" on a bone of \"bob\"");
    // A third that closes the circle through a seam: the sheet waits for the bob, this for the sheet's
    // partner.
    garments[2] = garments[1];
    garments[2].name = garments[2].bone_prefix = "partner";
    garments[2].collider_count = 0;
    fixture->rig.garment_count = 3;
    garments[0].colliders = first, garments[0].collider_count = 1;
    other->bone = sim_garment_bone_index(&fixture->rig, 2, 0, 0);
    seam.garments[0] = 0, seam.garments[1] = 2;
    fixture->rig.seams = &seam;
    fixture->rig.seam_count = 1;
    assert_refused(
        fixture, "garments[0].colliders[0]",
        "garments depend on each other in a circle: \"cloth\" meets collider \"one\" on a bone of \"bob\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_meets_the_ball_where_it_is_in_this_tick),
        FIXTURE_TEST(test_who_meets_whom_by_default),
        FIXTURE_TEST(test_bones_are_found_by_their_particle),
        FIXTURE_TEST(test_mistakes),
    };
    return cmocka_run_group_tests_name("sim layers", tests, NULL, NULL);
}
