// sim_character_adopt: a character of a changed rig replaces another. Its state continues, to the bit where
// the rig is unchanged.
#include "sim_fixture.h"

enum { ROWS = 7, COLUMNS = 6, PARTICLES = ROWS * COLUMNS, RATE = 60 };

static void define(Fixture *fixture) {
    fixture_walking_sheet(fixture, ROWS, COLUMNS);
}

static void begin(Fixture *fixture, bool many) {
    fixture_start(fixture, RATE);
    if (many)
        for (int i = 0; i < 5; i++) fixture_another(fixture);
    fixture_play(fixture, true);
    fixture_steps(fixture, 100);
}

static void test_nothing_changed_is_the_same_to_the_bit(void **state) {
    (void)state;
    static Fixture left, right;
    for (int many = 0; many < 2; many++) {
        define(&left);
        define(&right);
        begin(&left, many);
        begin(&right, many);
        for (int round = 0; round < 4; round++) {
            fixture_adopt(&left);
            assert_memory_equal(fixture_particles(&left), fixture_particles(&right),
                                sizeof(float) * 3 * PARTICLES);
            fixture_steps(&left, 20);
            fixture_steps(&right, 20);
            assert_memory_equal(fixture_particles(&left), fixture_particles(&right),
                                sizeof(float) * 3 * PARTICLES);
            const SimTransform a = sim_character_root(left.world, left.character);
            const SimTransform b = sim_character_root(right.world, right.character);
            assert_memory_equal(&a, &b, sizeof a);
        }
        fixture_finish(&left);
        fixture_finish(&right);
    }
}

static void keep(const Fixture *fixture, float out[PARTICLES][3]) {
    memcpy(out, fixture->particles, sizeof(float) * 3 * PARTICLES);
}

// A changed fabric ramps from the values in use.
static void test_cloth_keeps_its_shape_with_other_bones_and_fabric(void **state) {
    Fixture *fixture = *state;
    static float before[PARTICLES][3];
    define(fixture);
    begin(fixture, false);
    fixture_particles(fixture);
    keep(fixture, before);
    fixture->garment.bone_column_step = 1;
    fixture->garment.fabric.damping = 9.0f;
    SimFabric fabric = fixture->garment.fabric;
    fixture_adopt(fixture);
    assert_memory_equal(fixture_particles(fixture), before, sizeof before);
    assert_true(sim_garment_fabric(fixture->world, fixture->character, 0)->damping != 9.0f);
    sim_garment_set_fabric(fixture->world, fixture->character, 0, &fabric, true);
    for (int tick = 0; tick < 30; tick++) {
        fixture_steps(fixture, 1);
        assert_at_most(fixture_farthest(fixture_particles(fixture), before, PARTICLES), 0.08);
        keep(fixture, before);
    }
    assert_true(sim_garment_fabric(fixture->world, fixture->character, 0)->damping == 9.0f);
}

// A ball that grows by 3 cm and moves by 2 cm under a sheet does so within 0.2 s, and does not throw the
// sheet.
static void test_colliders_grow(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, ROWS, COLUMNS, 0.07f);
    SimColliderDef *ball = fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, 0);
    ball->center[0] = 0.17f, ball->center[1] = -0.25f, ball->center[2] = -0.1f;
    ball->radius = 0.12f;
    fixture_start(fixture, RATE);
    fixture_steps(fixture, 6 * RATE);
    assert_at_most(fixture_way_of_a_tick(fixture), 1e-4);
    ball->radius = 0.15f, ball->center[2] = -0.08f;
    fixture_adopt(fixture);
    double most = 0.0;
    for (int tick = 0; tick < RATE; tick++) most = fmax(most, fixture_way_of_a_tick(fixture));
    assert_at_most(most, 0.012); // at once: 0.063
}

// A hem at its max distance is drawn in within 0.2 s.
static void test_max_distances_shrink(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, ROWS, COLUMNS, 0.07f);
    fixture->garment.max_distance_top = fixture->garment.max_distance_bottom = 0.3f;
    fixture_lay_flat(fixture);
    fixture_start(fixture, RATE);
    fixture_steps(fixture, 6 * RATE);
    fixture->garment.max_distance_top = fixture->garment.max_distance_bottom = 0.2f;
    fixture_adopt(fixture);
    double most = fixture_way_of_a_tick(fixture);
    sim_garment_max_distances(fixture->world, fixture->character, 0, fixture->max_distances);
    assert_near(fixture->max_distances[PARTICLES / 2], 0.2, 1e-6); // what is told is told at once
    for (int tick = 0; tick < RATE; tick++) most = fmax(most, fixture_way_of_a_tick(fixture));
    assert_at_most(most, 0.06); // at once: 0.32
    assert_at_most(fixture_beyond_max_distance(fixture), 1e-5);
}

// A sheet that hangs still becomes longer by half, and its pins move 5 cm aside: within 0.2 s, and the hem
// is lowered, not thrown.
static void test_rest_shapes_grow(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, ROWS, COLUMNS, 0.07f);
    fixture_start(fixture, RATE);
    fixture_steps(fixture, 6 * RATE);
    assert_at_most(fixture_way_of_a_tick(fixture), 1e-4);
    for (int p = 0; p < PARTICLES; p++) {
        fixture->positions[p][0] += 0.05f;
        fixture->positions[p][1] *= 1.5f;
    }
    fixture_adopt(fixture);
    fixture_steps(fixture, 1);
    const float(*rest)[3] =
        sim_rig_info(fixture->world, sim_character_rig(fixture->world, fixture->character))
            ->garments[0]
            .rest_model;
    assert_memory_equal(rest, fixture->positions,
                        sizeof(float) * 3 * PARTICLES); // what is told is told at once
    fixture_particles(fixture);
    assert_near(fixture->particles[0][0], 0.05 / 12.0, 1e-4);
    assert_near(fixture_distance(fixture->particles[0], fixture->particles[COLUMNS]),
                0.07 * (1.0 + 0.5 / 12.0), 1e-5);
    double most = 0.0;
    for (int tick = 0; tick < RATE; tick++) most = fmax(most, fixture_way_of_a_tick(fixture));
    assert_at_most(most, 0.03); // at once: 0.21
    assert_at_most(fixture_stretch(fixture), 1e-5);
    fixture_steps(fixture, 6 * RATE);
    static Fixture anew;
    anew = *fixture;
    fixture_start(&anew, RATE);
    fixture_steps(&anew, 6 * RATE);
    assert_at_most(fixture_farthest(fixture_particles(fixture), fixture_particles(&anew), PARTICLES), 1e-3);
    fixture_finish(&anew);
}

// Pins whose weights between two bones change move to their new place evenly within 0.2 s.
static void test_weights_grow(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, ROWS, COLUMNS, 0.07f);
    fixture_add_bone(fixture, "other", 0, 0.0f, 0.0f, 0.0f);
    for (int column = 0; column < COLUMNS; column++)
        fixture->attach[column] = (SimSkin){.bones = {0, 1}, .weights = {0.9f, 0.1f}};
    fixture_start(fixture, RATE);
    const SimPoseBone bone = {.bone = 1, .has_position = true, .position = {0.0f, 0.0f, 0.6f}};
    const SimPoseDef pose = {.bones = &bone, .bone_count = 1, .owner = 5};
    sim_character_set_pose(fixture->world, fixture->character, &pose);
    fixture_steps(fixture, 6 * RATE);
    assert_near(fixture_particles(fixture)[0][2], 0.06, 1e-5);
    for (int column = 0; column < COLUMNS; column++)
        fixture->attach[column] = (SimSkin){.bones = {1, 0}, .weights = {0.7f, 0.3f}};
    fixture_adopt(fixture);
    for (int tick = 1; tick <= 12; tick++) {
        fixture_steps(fixture, 1);
        assert_near(fixture_particles(fixture)[0][2], 0.06 + 0.36 * tick / 12.0, 1e-5);
    }
}

// With another number of rows the cloth starts at its references.
static void test_another_topology_begins_anew(void **state) {
    Fixture *fixture = *state;
    define(fixture);
    fixture->rig.collider_count = 0; // it would push the cloth from its references
    begin(fixture, false);
    fixture->garment.rows = ROWS - 1;
    fixture_adopt(fixture);
    fixture_particles(fixture);
    sim_garment_references_model(fixture->world, fixture->character, 0, fixture->references);
    assert_memory_equal(fixture->particles, fixture->references, sizeof(float) * 3 * (PARTICLES - COLUMNS));
}

static void test_a_clip_of_another_name_fades_in(void **state) {
    Fixture *fixture = *state;
    float time;
    define(fixture);
    begin(fixture, false);
    fixture_adopt(fixture);
    assert_int_equal(sim_character_clip(fixture->world, fixture->character, &time), 0);
    assert_near(time, 100.0 / RATE, 1e-4); // goes on
    fixture->clip.name = "another";
    fixture_adopt(fixture);
    assert_int_equal(sim_character_clip(fixture->world, fixture->character, &time), 0);
    assert_near(time, 0.0, 1e-6);
    fixture->rig.clip_count = 0;
    fixture_adopt(fixture);
    assert_int_equal(sim_character_clip(fixture->world, fixture->character, &time), -1);
    fixture_steps(fixture, 10);
}

static double sway_height(Fixture *fixture) {
    return (double)sim_character_bones_model(fixture->world, fixture->character)[1][3][1];
}

// A posed bone stays posed, and can be released, while the skeleton is the same.
static void test_a_pose_goes_on_with_the_skeleton(void **state) {
    Fixture *fixture = *state;
    int64_t sequence;
    define(fixture);
    begin(fixture, false);
    const SimPoseBone bone = {.bone = 1, .has_position = true, .position = {0.2f, 0.4f, 0.0f}};
    const SimPoseDef pose = {
        .bones = &bone, .bone_count = 1, .owner = 5, .has_sequence = true, .sequence = 3};
    sim_character_set_pose(fixture->world, fixture->character, &pose);
    fixture_adopt(fixture);
    sim_world_step(fixture->world);
    assert_near(sway_height(fixture), 0.4, 1e-6);
    assert_true(sim_character_sequence(fixture->world, fixture->character, &sequence));
    sim_world_release_pose_owner(fixture->world, 5);
    fixture_steps(fixture, 13);
    assert_near(sway_height(fixture), -0.2, 1e-6);
    sim_character_set_pose(fixture->world, fixture->character, &pose);
    fixture->bones[1].name = "swing";
    fixture_adopt(fixture);
    sim_world_step(fixture->world);
    assert_near(sway_height(fixture), -0.2, 1e-6);
    assert_false(sim_character_sequence(fixture->world, fixture->character, &sequence));
}

// A suspended character keeps its pose, and continues from it.
static void test_a_held_one_goes_on(void **state) {
    Fixture *fixture = *state;
    float time;
    define(fixture);
    begin(fixture, false);
    sim_character_pause_clips(fixture->world, fixture->character);
    fixture_steps(fixture, 10);
    fixture_adopt(fixture);
    fixture_steps(fixture, 6);
    sim_character_clip(fixture->world, fixture->character, &time);
    assert_near(time, 106.0 / RATE, 1e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_changed_is_the_same_to_the_bit),
        FIXTURE_TEST(test_cloth_keeps_its_shape_with_other_bones_and_fabric),
        FIXTURE_TEST(test_colliders_grow),
        FIXTURE_TEST(test_max_distances_shrink),
        FIXTURE_TEST(test_rest_shapes_grow),
        FIXTURE_TEST(test_weights_grow),
        FIXTURE_TEST(test_another_topology_begins_anew),
        FIXTURE_TEST(test_a_clip_of_another_name_fades_in),
        FIXTURE_TEST(test_a_pose_goes_on_with_the_skeleton),
        FIXTURE_TEST(test_a_held_one_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
