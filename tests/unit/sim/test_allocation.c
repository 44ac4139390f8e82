// A tick allocates no memory while the set of characters stays the same. This program wraps libc's allocator
// and counts calls. It is skipped under a sanitizer, which has its own allocator, and without glibc.
#include "sim_fixture.h"

#include <stdatomic.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS 1

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_int requests;

void *malloc(size_t size) {
    requests++;
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    requests++;
    return __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
    requests++;
    return __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
    requests++;
    return __libc_memalign(alignment, size);
}
#else
#define COUNTS 0
static int requests;
#endif

// Twenty characters in two groups, with everything a tick can do: clips that loop and fade, a garment that
// collides in wind, fabrics that change, roots that move, posed bones, bones to read.
static void start_a_crowd(Fixture *fixture, SimCharacterId crowd[20]) {
    fixture_sheet(fixture, 8, 7, 0.06f);
    SimColliderDef *body = fixture_add_collider(fixture, SIM_COLLIDER_ELLIPSOID, 0);
    body->center[0] = 0.2f, body->center[1] = -0.25f, body->center[2] = -0.08f;
    body->radii[0] = body->radii[1] = body->radii[2] = 0.12f;
    fixture->def.environment.wind = (SimWind){{0.0f, 0.0f, -3.0f}, 0.5f, 0.5f};
    fixture->def.environment.has_ground = true;
    fixture->def.environment.ground = -0.4f;
    fixture_add_clip(fixture, 30.0f, 40, true);
    fixture_start(fixture, 60);
    crowd[0] = fixture->character;
    for (int i = 1; i < 20; i++) crowd[i] = fixture_another(fixture);
}

static void command(Fixture *fixture, const SimCharacterId crowd[20], int tick) {
    SimCharacterId character = crowd[tick % 20];
    SimPlay play = {.loop = true, .speed = 1.3f, .fade = 0.2f};
    SimFabric fabric = fixture_preset(tick % FIXTURE_PRESETS);
    SimTransform root = {{0.01f * (float)tick, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
    if (tick % 7 == 0) sim_character_play(fixture->world, character, 0, &play);
    if (tick % 11 == 0) sim_character_stop(fixture->world, character, -1, 0.2f);
    if (tick % 5 == 0) sim_garment_set_fabric(fixture->world, character, 0, &fabric, true);
    sim_character_move(fixture->world, character, &root, tick % 13 == 0);
    const SimPoseBone bone = {.has_position = true, .position = {0.0f, 0.001f * (float)tick, 0.0f}};
    const SimPoseDef pose = {.bones = &bone, .bone_count = 1};
    if (tick % 3 == 0) sim_character_set_pose(fixture->world, character, &pose);
    if (tick % 17 == 0) sim_character_release_pose(fixture->world, character, NULL, 0);
}

static void test_a_tick_allocates_nothing(void **state) {
    Fixture *fixture = *state;
    SimCharacterId crowd[20];
    if (!COUNTS) skip();
    int before = requests;
    start_a_crowd(fixture, crowd);
    assert_true(requests > before + 20); // it does count
    fixture_steps(fixture, 10);
    before = requests;
    for (int tick = 0; tick < 200; tick++) {
        command(fixture, crowd, tick);
        sim_world_step(fixture->world);
        fixture_particles(fixture);
        (void)sim_character_bones_model(fixture->world, fixture->character);
        (void)sim_world_stats(fixture->world);
    }
    assert_int_equal(requests - before, 0);
}

// A world frees all of its memory, whatever the order in which rigs and characters end.
static void test_characters_and_rigs_come_and_go(void **state) {
    Fixture *fixture = *state;
    SimCharacterId crowd[20];
    SimIssue issue;
    start_a_crowd(fixture, crowd);
    SimRigId second = sim_rig_create(fixture->world, &fixture->rig, &issue);
    sim_rig_release(fixture->world, fixture->rig_id); // the crowd still wears it
    assert_non_null(sim_rig_info(fixture->world, fixture->rig_id));
    for (int i = 0; i < 20; i++) {
        int who = (7 * i) % 20;
        sim_world_step(fixture->world);
        sim_character_destroy(fixture->world, crowd[who]);
        assert_false(sim_character_exists(fixture->world, crowd[who]));
        assert_int_equal(sim_world_stats(fixture->world).characters, 19 - i);
    }
    assert_null(sim_rig_info(fixture->world, fixture->rig_id));
    assert_int_equal(sim_world_task_count(fixture->world), 0);
    SimTransform root = SIM_TRANSFORM_IDENTITY;
    SimCharacterId next = sim_character_create(fixture->world, second, &root, &issue);
    assert_int_equal(next.index, crowd[0].index); // its place is used again, and nobody is taken for another
    assert_false(sim_character_exists(fixture->world, crowd[0]));
    assert_true(sim_character_exists(fixture->world, next));
    sim_world_step(fixture->world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_a_tick_allocates_nothing),
        FIXTURE_TEST(test_characters_and_rigs_come_and_go),
    };
    return cmocka_run_group_tests_name("sim allocation", tests, NULL, NULL);
}
