// Levels: reduced cloth keeps its invariants, skinned cloth is at its references, none of the changes is seen
// as a jump, and what a character does depends on its own level alone.
#include "garment/group.h"
#include "rig/rig.h"
#include "sim_fixture.h"

enum { ROWS = 6, COLUMNS = 9, PARTICLES = ROWS * COLUMNS, RATE = 60, RAMP = RATE / 5, CROWD = 21 };

// A sheet that hangs beside a ball and is carried to and fro, with a bob on the root.
static void rig(Fixture *fixture) {
    fixture_sheet(fixture, ROWS, COLUMNS, 0.06f);
    const int bone = fixture_add_bone(fixture, "ball", 0, 0.24f, -0.3f, 0.0f);
    SimColliderDef *ball = fixture_add_collider(fixture, SIM_COLLIDER_ELLIPSOID, bone);
    ball->radii[0] = ball->radii[1] = ball->radii[2] = 0.1f;
    fixture->garment.max_distance_bottom = 0.3f;
    fixture_add_clip(fixture, (float)RATE, 4 * RATE, false);
    for (int frame = 0; frame < 4 * RATE; frame++)
        fixture_clip_position(fixture, frame, 1)[2] = 0.2f * sinf(0.1f * (float)frame);
}

static void start(Fixture *fixture) {
    rig(fixture);
    fixture_start(fixture, RATE);
    fixture_play(fixture, true);
}

static void set_level(Fixture *fixture, SimLevel level) {
    assert_true(sim_character_set_level(fixture->world, fixture->character, level));
    assert_int_equal(sim_character_level(fixture->world, fixture->character), level);
}

static double from_references(Fixture *fixture) {
    fixture_particles(fixture);
    sim_garment_references_model(fixture->world, fixture->character, 0, fixture->references);
    return fixture_farthest(fixture->particles, fixture->references, PARTICLES);
}

static void test_skinned_cloth_reaches_its_references_within_the_ramp(void **state) {
    Fixture *fixture = *state;
    start(fixture);
    fixture_steps(fixture, 90);
    const double away = from_references(fixture);
    assert_at_least(away, 0.05);
    set_level(fixture, SIM_LEVEL_SKINNED);
    for (int tick = 1; tick < RAMP; tick++) {
        fixture_steps(fixture, 1);
        assert_near(from_references(fixture), away * (1.0 - (double)tick / RAMP), 1e-6);
    }
    for (int tick = 0; tick < 60; tick++) {
        fixture_steps(fixture, 1);
        assert_near(from_references(fixture), 0.0, 0.0);
    }
    assert_int_equal(sim_world_stats(fixture->world).constraint_conflicts, 0);
}

// The sheet is carried by its root at 0.5 m/s: at its references it moves with them, and goes on from there.
static void test_cloth_is_simulated_again_without_a_jump(void **state) {
    Fixture *fixture = *state;
    for (SimLevel level = SIM_LEVEL_FULL; level <= SIM_LEVEL_REDUCED; level++) {
        rig(fixture);
        fixture->rig.collider_count = 0;
        fixture_start(fixture, RATE);
        set_level(fixture, SIM_LEVEL_SKINNED);
        fixture_steps(fixture, 30);
        set_level(fixture, level);
        fixture_steps(fixture, 1);
        assert_at_most(from_references(fixture), 9.81 / (RATE * RATE));
        fixture_steps(fixture, 60);
        assert_at_most(fixture_stretch(fixture), 1e-5);
        fixture_finish(fixture);
    }
}

static void cloth_bones(const Fixture *fixture, float out_places[][3]) {
    const mat4 *bones = sim_character_bones_model(fixture->world, fixture->character);
    for (int i = fixture->rig.bone_count; i < sim_rig_info(fixture->world, fixture->rig_id)->bone_count; i++)
        memcpy(out_places[i], bones[i][3], sizeof(vec3));
}

// The ball is in the sheet's references: the cloth leaves it at once, and its bones follow within the ramp.
static void test_bones_come_out_of_bodies_without_a_jump(void **state) {
    Fixture *fixture = *state;
    static float before[FIXTURE_PARTICLES][3], after[FIXTURE_PARTICLES][3];
    start(fixture);
    const int bones = sim_rig_info(fixture->world, fixture->rig_id)->bone_count;
    set_level(fixture, SIM_LEVEL_SKINNED);
    fixture_steps(fixture, 31);
    set_level(fixture, SIM_LEVEL_FULL);
    cloth_bones(fixture, before);
    for (int tick = 1; tick <= RAMP + 1; tick++) {
        fixture_steps(fixture, 1);
        cloth_bones(fixture, after);
        if (tick == 1) assert_at_least(from_references(fixture), 0.05);
        assert_at_most(fixture_farthest(before, after, bones), tick == 1 ? 0.006 : 0.06);
        memcpy(before, after, sizeof before);
    }
}

static void test_reduced_cloth_keeps_its_invariants(void **state) {
    Fixture *fixture = *state;
    start(fixture);
    for (int tick = 0; tick < 600; tick++) {
        if (tick % 100 == 0) set_level(fixture, tick / 100 % 2 ? SIM_LEVEL_FULL : SIM_LEVEL_REDUCED);
        const double way = fixture_way_of_a_tick(fixture);
        fixture_particles(fixture);
        assert_at_most(way, 0.06);
        assert_at_most(fixture_stretch(fixture), 1e-5);
        assert_at_most(fixture_beyond_max_distance(fixture), 1e-5);
    }
    assert_int_equal(sim_world_stats(fixture->world).constraint_conflicts, 0);
}

static void test_substeps_of_a_level(void **state) {
    Fixture *fixture = *state;
    start(fixture);
    SimRig *rigs = sim_rig_compile(&fixture->rig, &(SimIssue){0});
    assert_non_null(rigs);
    for (int substeps = 1; substeps <= 8; substeps *= 2) {
        assert_int_equal(sim_level_substeps(rigs, SIM_LEVEL_FULL, substeps), substeps);
        assert_int_equal(sim_level_substeps(rigs, SIM_LEVEL_SKINNED, substeps), 1);
    }
    assert_int_equal(sim_level_substeps(rigs, SIM_LEVEL_REDUCED, 1), 1);
    assert_int_equal(sim_level_substeps(rigs, SIM_LEVEL_REDUCED, 4), 2);
    sim_rig_destroy(rigs);
}

// The level of character `index` at a tick, a fixed succession of its own.
static SimLevel level_at(int index, int tick) {
    return (SimLevel)((index * 7 + tick / 20 * (index + 3)) % SIM_LEVELS);
}

static uint64_t hash_of(const Fixture *fixture, SimCharacterId character) {
    float particles[PARTICLES][3];
    sim_garment_particles_model(fixture->world, character, 0, particles);
    const int bones = sim_rig_info(fixture->world, fixture->rig_id)->bone_count;
    const uint64_t hash = fixture_hash(FIXTURE_HASH, particles, sizeof particles);
    return fixture_hash(hash, sim_character_bones_model(fixture->world, character),
                        (size_t)bones * sizeof(mat4));
}

static void run(Fixture *fixture, const int *indices, int count, uint64_t *out_hashes) {
    SimCharacterId characters[CROWD];
    start(fixture);
    for (int i = 0; i < count; i++) {
        characters[i] = i ? fixture_another(fixture) : fixture->character;
        SimPlay play = sim_default_play();
        play.loop = true;
        play.at = 0.05f * (float)indices[i];
        fixture_reset(fixture, &characters[i]);
        sim_character_play(fixture->world, characters[i], 0, &play);
    }
    for (int tick = 0; tick < 200; tick++) {
        for (int i = 0; i < count; i++)
            assert_true(sim_character_set_level(fixture->world, characters[i], level_at(indices[i], tick)));
        fixture_steps(fixture, 1);
    }
    for (int i = 0; i < count; i++) out_hashes[i] = hash_of(fixture, characters[i]);
    fixture_finish(fixture);
}

static void test_a_level_changes_no_other_character(void **state) {
    Fixture *fixture = *state;
    int indices[CROWD];
    uint64_t together[CROWD], alone;
    for (int i = 0; i < CROWD; i++) indices[i] = i;
    run(fixture, indices, CROWD, together);
    for (int i = 0; i < CROWD; i++) {
        run(fixture, &indices[i], 1, &alone);
        assert_true(alone == together[i]);
    }
}

static void test_a_level_stays_in_sleep_reset_and_reload(void **state) {
    Fixture *fixture = *state;
    rig(fixture);
    fixture->def.sleep = true;
    fixture_start(fixture, RATE);
    set_level(fixture, SIM_LEVEL_SKINNED);
    fixture_steps(fixture, 5 * RATE);
    assert_int_equal(sim_world_stats(fixture->world).asleep, 1);
    assert_int_equal(sim_character_level(fixture->world, fixture->character), SIM_LEVEL_SKINNED);
    fixture_reset(fixture, &fixture->character);
    fixture_steps(fixture, 1);
    assert_int_equal(sim_character_level(fixture->world, fixture->character), SIM_LEVEL_SKINNED);
    fixture_adopt(fixture);
    fixture_steps(fixture, 1);
    assert_int_equal(sim_character_level(fixture->world, fixture->character), SIM_LEVEL_SKINNED);
    set_level(fixture, SIM_LEVEL_REDUCED);
    assert_int_equal(sim_world_stats(fixture->world).asleep, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_skinned_cloth_reaches_its_references_within_the_ramp),
        FIXTURE_TEST(test_cloth_is_simulated_again_without_a_jump),
        FIXTURE_TEST(test_bones_come_out_of_bodies_without_a_jump),
        FIXTURE_TEST(test_reduced_cloth_keeps_its_invariants),
        FIXTURE_TEST(test_substeps_of_a_level),
        FIXTURE_TEST(test_a_level_changes_no_other_character),
        FIXTURE_TEST(test_a_level_stays_in_sleep_reset_and_reload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
