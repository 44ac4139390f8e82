// Results are the same to the bit whatever the lane, neighbours, number of characters, order of tasks,
// threads and resets. tests/golden checks instruction sets and the golden hash.
#include "sanitized.h"
#include "sim_threads.h"

enum { TICKS = SANITIZED ? 30 : 90, MOST = 40 };

// A skirt with all its bones over a leg that kicks, in gusts and tornadoes, on ground that it reaches.
static void rig(Fixture *fixture) {
    fixture_sheet(fixture, 8, 9, 0.06f);
    fixture->garment.closed = true;
    for (int p = 0; p < 72; p++) {
        float turn = (float)(2.0 * FIXTURE_PI / 9.0 * (p % 9)), radius = 0.08f + 0.01f * (float)(p / 9);
        fixture->positions[p][0] = radius * sinf(turn);
        fixture->positions[p][2] = radius * cosf(turn);
    }
    fixture->garment.max_distance_top = 0.0f;
    fixture->garment.max_distance_bottom = -1.0f;
    fixture->garment.fabric.max_distance = 0.5f;
    int leg = fixture_add_bone(fixture, "leg", 0, 0.0f, 0.0f, 0.0f);
    SimColliderDef *thigh = fixture_add_collider(fixture, SIM_COLLIDER_ELLIPSOID, leg);
    thigh->center[1] = -0.15f;
    thigh->radii[0] = 0.05f, thigh->radii[1] = 0.2f, thigh->radii[2] = 0.06f;
    SimColliderDef *shin = fixture_add_collider(fixture, SIM_COLLIDER_CAPSULE, leg);
    shin->from[1] = -0.3f, shin->to[1] = -0.6f, shin->radius = 0.05f, shin->radius_end = 0.03f;
    fixture_add_clip(fixture, 30.0f, 46, true);
    for (int frame = 0; frame < 46; frame++) {
        float angle = 0.6f * sinf(0.4f * (float)frame);
        versor kick = {sinf(angle / 2.0f), 0.0f, 0.0f, cosf(angle / 2.0f)};
        memcpy(fixture->clip_rotations[2 * frame + 1], kick, sizeof kick);
        fixture->clip_root[frame][1] = 0.03f * (float)frame;
        fixture->clip_root[frame][2] = 0.01f * (float)frame;
    }
    fixture->def.seed = 7;
    fixture->def.environment.wind = (SimWind){{2.0f, 0.0f, 1.0f}, 0.4f, 0.6f};
    fixture->def.environment.has_ground = true;
    fixture->def.environment.ground = -0.38f;
}

// Two tornadoes; one passes by.
static void start(Fixture *fixture) {
    static const SimTornado whirl = {{1.0f, -0.5f, 0.7f}, 0.6f, 9.0f, 4.0f, {0}};
    static const SimTornado passing = {{-3.0f, -1.0f, 0.3f}, 0.4f, -7.0f, 2.0f, {3.0f, 0.0f, 0.0f}};
    fixture_start(fixture, 60);
    assert_true(sim_world_set_tornado(fixture->world, "whirl", &whirl));
    assert_true(sim_world_set_tornado(fixture->world, "passing", &passing));
}

// Hashes the particles, bones and root of a character.
static uint64_t look(Fixture *fixture, SimCharacterId character, uint64_t so_far) {
    const SimRigInfo *info = sim_rig_info(fixture->world, fixture->rig_id);
    sim_garment_particles_model(fixture->world, character, 0, fixture->particles);
    SimTransform root = sim_character_root(fixture->world, character);
    so_far = fixture_hash(so_far, fixture->particles, 72 * sizeof fixture->particles[0]);
    so_far = fixture_hash(so_far, sim_character_bones_model(fixture->world, character),
                          (size_t)info->bone_count * sizeof(mat4));
    return fixture_hash(so_far, &root, sizeof root);
}

static void play(Fixture *fixture, SimCharacterId character, float speed) {
    SimPlay looped = {.loop = true, .speed = speed};
    sim_character_play(fixture->world, character, 0, &looped);
}

// `run` returns a hash of the subject's states over all ticks; `tick` steps the world.
typedef void (*Tick)(SimWorld *world);

static uint64_t run(int characters, int before, Tick tick) {
    static Fixture fixture;
    rig(&fixture);
    start(&fixture);
    // Other characters are created before and after it, with other fabrics and positions.
    SimCharacterId all[MOST], subject = {0};
    sim_character_destroy(fixture.world, fixture.character);
    for (int i = 0; i < characters; i++) {
        SimIssue issue;
        SimTransform root = SIM_TRANSFORM_IDENTITY;
        if (i != before) root.position[0] = 0.7f * (float)i;
        // The rig lives as long as it is used or not released.
        all[i] = sim_character_create(fixture.world, fixture.rig_id, &root, &issue);
        if (i == before) {
            subject = all[i];
        } else {
            SimFabric fabric = fixture_preset(i % FIXTURE_PRESETS);
            if (i % 4 == 1) fabric.max_distance = 0.02f; // cannot be kept with such legs: conflicts
            sim_garment_set_fabric(fixture.world, all[i], 0, &fabric, false);
        }
        // Some legs move so fast that they are deep in the cloth.
        if (i == before || i % 3) play(&fixture, all[i], i == before ? 1.0f : 0.5f * (float)(i % 20));
    }
    uint64_t result = FIXTURE_HASH;
    for (int t = 0; t < TICKS; t++) {
        tick(fixture.world);
        result = look(&fixture, subject, result);
    }
    SimWorldStats stats = sim_world_stats(fixture.world);
    assert_int_equal(stats.characters, characters);
    assert_int_equal(stats.particles, 72 * characters);
    assert_int_equal(stats.unstable, 0);
    fixture_finish(&fixture);
    return result;
}

static void backwards(SimWorld *world) {
    sim_world_begin_tick(world);
    for (int task = sim_world_task_count(world) - 1; task >= 0; task--) sim_world_run_task(world, task);
    sim_world_end_tick(world);
}

static void test_lane_and_company_change_nothing(void **state) {
    (void)state;
    uint64_t alone = run(1, 0, sim_world_step);
    for (int before = 0; before < 16; before += 5) assert_int_equal(run(16, before, sim_world_step), alone);
    assert_int_equal(run(20, 0, sim_world_step), alone);
    assert_int_equal(run(20, 19, sim_world_step), alone);
}

static void test_order_and_threads_change_nothing(void **state) {
    (void)state;
    uint64_t alone = run(1, 0, sim_world_step);
    assert_int_equal(run(MOST, 17, sim_world_step), alone);
    assert_int_equal(run(MOST, 17, backwards), alone);
    assert_int_equal(run(MOST, 33, on_threads), alone);
}

// Runs on the spot, with the cloth on the ground from the start. Without wind, which depends on the world's
// time.
static uint64_t run_again(Fixture *fixture, SimCharacterId character) {
    uint64_t result = FIXTURE_HASH;
    play(fixture, character, 1.0f);
    sim_world_place(fixture->world); // before the first motion
    for (int tick = 0; tick < TICKS; tick++) {
        SimTransform root = sim_character_root(fixture->world, character);
        root.position[0] += 0.03f; // it still moves when the run ends
        sim_character_move(fixture->world, character, &root, false);
        sim_world_step(fixture->world);
        result = look(fixture, character, result);
    }
    return result;
}

static void start_again(Fixture *fixture) {
    rig(fixture);
    memset(&fixture->def.environment.wind, 0, sizeof fixture->def.environment.wind);
    fixture->garment.fabric.world_motion = 1.0f;
    fixture_start(fixture, 60);
}

static void test_reset_is_as_after_creation(void **state) {
    Fixture *fixture = *state;
    start_again(fixture);
    uint64_t first = run_again(fixture, fixture->character);
    SimFabric veil = fixture_preset(2);
    sim_garment_set_fabric(fixture->world, fixture->character, 0, &veil, true);
    sim_world_step(fixture->world);
    fixture_reset(fixture, &fixture->character);
    assert_int_equal(run_again(fixture, fixture->character), first);
}

static void test_a_used_lane_is_as_good_as_new(void **state) {
    Fixture *fixture = *state;
    start_again(fixture);
    SimCharacterId keeps_the_group = fixture_another(fixture);
    uint64_t first = run_again(fixture, fixture->character);
    sim_character_destroy(fixture->world, fixture->character);
    assert_false(sim_character_exists(fixture->world, fixture->character));
    SimCharacterId next = fixture_another(fixture);
    assert_int_equal(run_again(fixture, next), first);
    assert_true(sim_character_exists(fixture->world, keeps_the_group));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lane_and_company_change_nothing),
        cmocka_unit_test(test_order_and_threads_change_nothing),
        FIXTURE_TEST(test_reset_is_as_after_creation),
        FIXTURE_TEST(test_a_used_lane_is_as_good_as_new),
    };
    return cmocka_run_group_tests_name("sim bits", tests, NULL, NULL);
}
