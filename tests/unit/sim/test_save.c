// sim_character_save and sim_character_restore: a character goes on in another world, to the bit.
#include "sim_fixture.h"

enum { ROWS = 7, COLUMNS = 6, RATE = 60, LATER = 600 };

typedef void Define(Fixture *fixture);
typedef void Act(Fixture *fixture, int tick);

// In gusts.
static void define_sheet(Fixture *fixture) {
    fixture_walking_sheet(fixture, ROWS, COLUMNS);
    fixture->clip.loop_blend = 0.3f;
    fixture->def.environment.wind.turbulence = 0.4f;
}

// A second garment, a bob, beside it.
static void define_bob(Fixture *fixture) {
    static SimGarmentDef garments[2];
    static const float positions[2][3] = {{0.0f, 0.1f, 0.0f}, {0.0f, -0.1f, 0.05f}};
    define_sheet(fixture);
    fixture_add_bob(fixture, garments, positions);
}

static void define_springs(Fixture *fixture) {
    define_sheet(fixture);
    fixture->garment.solver = SIM_SOLVER_MASS_SPRING;
}

static void define_chain(Fixture *fixture) {
    fixture_sheet(fixture, 6, 1, 0.08f);
    fixture_add_clip(fixture, 30.0f, 60, true);
    for (int frame = 0; frame < 60; frame++) fixture->clip_root[frame][0] = 0.03f * (float)frame;
}

static void define_folding(Fixture *fixture) {
    define_sheet(fixture);
    fixture->garment.self_collision = 0.02f;
    fixture->garment.fabric.friction = 0.5f;
}

// Large enough to be simulated in strips.
static void define_strips(Fixture *fixture) {
    fixture_sheet(fixture, 64, 64, 0.02f);
    fixture_add_bone(fixture, "sway", 0, 0.2f, -0.2f, 0.05f);
    SimColliderDef *ball = fixture_add_collider(fixture, SIM_COLLIDER_SPHERE, 0);
    ball->center[0] = 0.6f, ball->center[1] = -0.5f, ball->radius = 0.3f;
    fixture_add_clip(fixture, 30.0f, 90, true);
    for (int frame = 0; frame < 90; frame++) fixture->clip_root[frame][0] = 0.02f * (float)frame;
    fixture->def.environment.wind.velocity_world[2] = 3.0f;
    fixture->def.environment.wind.gust = 0.5f;
}

// An open skirt round a thigh whose seam closes, and which comes to rest.
static void define_skirt(Fixture *fixture) {
    static SimSeamDef seam;
    fixture_sheet(fixture, ROWS, 9, 0.06f);
    for (int p = 0; p < ROWS * 9; p++) {
        const float turn = (float)(2.0 * FIXTURE_PI * (0.04 + 0.92 * (double)(p % 9) / 8.0));
        const float radius = 0.09f + 0.008f * (float)(p / 9);
        fixture->positions[p][0] = radius * sinf(turn);
        fixture->positions[p][2] = radius * cosf(turn);
    }
    fixture->garment.fabric = fixture_preset(1);
    fixture->garment.fabric.damping = 9.0f;
    const int leg = fixture_add_bone(fixture, "leg", 0, 0.02f, 0.0f, 0.0f);
    SimColliderDef *thigh = fixture_add_collider(fixture, SIM_COLLIDER_CAPSULE, leg);
    thigh->to[1] = -0.4f, thigh->radius = 0.07f, thigh->radius_end = 0.05f;
    fixture_add_clip(fixture, 30.0f, 16, false);
    for (int frame = 0; frame < 16; frame++) {
        const float angle = -0.04f * (float)frame;
        const versor lift = {sinf(angle / 2.0f), 0.0f, 0.0f, cosf(angle / 2.0f)};
        memcpy(fixture->clip_rotations[2 * frame + 1], lift, sizeof lift);
    }
    seam = sim_default_seam_def();
    seam.name = "front";
    seam.columns[1] = 8;
    seam.first_rows[0] = seam.first_rows[1] = 1;
    seam.row_count = 2;
    fixture->rig.seams = &seam;
    fixture->rig.seam_count = 1;
    fixture->def.sleep = fixture->def.settle = true;
}

static void nothing(Fixture *fixture, int tick) {
    (void)fixture, (void)tick;
}

static void pose(Fixture *fixture, float z, bool teleport, int64_t sequence) {
    const SimPoseBone bone = {.bone = 1, .has_position = true, .position = {0.2f, -0.2f, z}};
    const SimPoseDef def = {.bones = &bone,
                            .bone_count = 1,
                            .owner = 5,
                            .teleport = teleport,
                            .has_sequence = true,
                            .sequence = sequence};
    sim_character_set_pose(fixture->world, fixture->character, &def);
}

// Whatever is under way in the tick in which the state is saved: a pose that teleports, a ramp of the fabric,
// a fade, an added clip, a jump of the root, another level; and a released pose later.
static void much(Fixture *fixture, int tick) {
    const SimTransform there = {.position = {3.0f, 0.5f, -2.0f}, .rotation = {0.0f, 0.6f, 0.0f, 0.8f}};
    SimFabric fabric = *sim_garment_fabric(fixture->world, fixture->character, 0);
    switch (tick) {
    case 90:
        sim_character_play(fixture->world, fixture->character, 0,
                           &(SimPlay){.loop = true, .speed = 0.7f, .fade = 0.4f, .weight = 1.0f});
        sim_character_play(fixture->world, fixture->character, 0,
                           &(SimPlay){.speed = 1.0f, .fade = 0.3f, .additive = true, .weight = 0.3f});
        pose(fixture, 0.1f, false, 7);
        break;
    case 96:
        fabric.damping = 7.0f, fabric.stretch_weft = 4000.0f, fabric.max_distance = 0.3f;
        sim_garment_set_fabric(fixture->world, fixture->character, 0, &fabric, true);
        break;
    case 100: // the state is saved after this
        pose(fixture, 0.15f, true, 8);
        sim_character_move(fixture->world, fixture->character, &there, SIM_TELEPORT_KEEP);
        break;
    case 130:
        sim_character_release_pose(fixture->world, fixture->character, NULL, 0);
        break;
    case 140:
        assert_true(sim_character_set_level(fixture->world, fixture->character, SIM_LEVEL_REDUCED));
        break;
    case 200:
        sim_character_stop(fixture->world, fixture->character, -1, 0.5f);
        break;
    }
}

static void level(Fixture *fixture, int tick) {
    if (tick == 60)
        assert_true(sim_character_set_level(fixture->world, fixture->character, SIM_LEVEL_SKINNED));
    if (tick == 96 || tick == 150)
        assert_true(sim_character_set_level(fixture->world, fixture->character,
                                            tick == 96 ? SIM_LEVEL_FULL : SIM_LEVEL_REDUCED));
}

static void close_seam(Fixture *fixture, int tick) {
    if (tick == 94 || tick == 300) sim_seam_set_closed(fixture->world, fixture->character, 0, tick == 94);
}

// The skirt sleeps long before, and is woken after.
static void wake_late(Fixture *fixture, int tick) {
    if (tick == 820) sim_seam_set_closed(fixture->world, fixture->character, 0, true);
}

static void step(Fixture *fixture, Act *act, int tick) {
    act(fixture, tick);
    fixture_steps(fixture, 1);
}

static void assert_same(Fixture *a, Fixture *b) {
    const size_t bones =
        (size_t)sim_rig_info(a->world, sim_character_rig(a->world, a->character))->bone_count;
    const SimTransform root_a = sim_character_root(a->world, a->character),
                       root_b = sim_character_root(b->world, b->character);
    int64_t sequence_a, sequence_b;
    assert_memory_equal(fixture_particles(a), fixture_particles(b),
                        sizeof(float) * 3 * (size_t)fixture_particle_count(a));
    assert_memory_equal(sim_character_bones_model(a->world, a->character),
                        sim_character_bones_model(b->world, b->character), bones * sizeof(mat4));
    assert_memory_equal(&root_a, &root_b, sizeof root_a);
    assert_int_equal(sim_character_sequence(a->world, a->character, &sequence_a),
                     sim_character_sequence(b->world, b->character, &sequence_b));
    assert_int_equal(sequence_a, sequence_b);
    assert_int_equal(sim_character_level(a->world, a->character),
                     sim_character_level(b->world, b->character));
}

static void restore(Fixture *to, Fixture *from) {
    size_t size, air_size;
    SimIssue issue;
    unsigned char *bytes = sim_character_save(from->world, from->character, &size);
    unsigned char *air = sim_weather_save(from->world, &air_size);
    assert_non_null(bytes);
    assert_non_null(air);
    if (!sim_character_restore(to->world, to->character, bytes, size, &issue))
        fail_msg("%s: %s", issue.path, issue.message);
    assert_true(sim_weather_restore(to->world, air, air_size, 0, &issue));
    free(bytes);
    free(air);
}

// The saved character goes on as if nothing had been, and the restored one as it does: alone, or among
// others.
static void test_goes_on_to_the_bit(void **state) {
    (void)state;
    static const struct {
        Define *define;
        Act *act;
        int others;
    } cases[] = {
        {define_sheet, nothing, 0},    {define_sheet, much, 0},       {define_sheet, much, 5},
        {define_bob, much, 0},         {define_springs, much, 0},     {define_chain, nothing, 0},
        {define_folding, nothing, 0},  {define_strips, nothing, 0},   {define_sheet, level, 0},
        {define_skirt, close_seam, 0}, {define_skirt, close_seam, 3}, {define_skirt, wake_late, 0},
        {define_skirt, wake_late, 4},
    };
    static Fixture control, home, away;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Fixture *all[] = {&control, &home, &away};
        for (int k = 0; k < 3; k++) {
            cases[i].define(all[k]);
            fixture_start(all[k], RATE);
            for (int n = 0; n < cases[i].others && k > 0; n++) fixture_another(all[k]);
        }
        for (int tick = 0; tick < 40; tick++) fixture_steps(&away, 1); // of its own life before
        fixture_play(&control, cases[i].define != define_skirt);
        fixture_play(&home, cases[i].define != define_skirt);
        const int saved = cases[i].act == wake_late ? 800 : 100;
        for (int tick = 0; tick < saved; tick++) {
            step(&control, cases[i].act, tick);
            step(&home, cases[i].act, tick);
        }
        cases[i].act(&control, saved);
        cases[i].act(&home, saved);
        const bool sleeps =
            sim_character_still_since(home.world, home.character) < sim_world_tick(home.world);
        assert_int_equal(sleeps, cases[i].act == wake_late);
        restore(&away, &home);
        assert_same(&away, &control);
        for (int k = 0; k < 3; k++) fixture_steps(all[k], 1);
        for (int tick = saved + 1; tick < saved + LATER; tick++) {
            assert_same(&away, &control);
            assert_same(&home, &control);
            for (int k = 0; k < 3; k++) step(all[k], cases[i].act, tick);
        }
        for (int k = 0; k < 3; k++) fixture_finish(all[k]);
    }
}

// A character that is restored some ticks late is where the saved one is by then.
static void test_catches_up(void **state) {
    (void)state;
    static Fixture home, away;
    static const int lateness[] = {1, 7, 60};
    for (int sheet = 0; sheet < 2; sheet++)
        for (int i = 0; i < 3; i++) {
            SimIssue issue;
            size_t size, air_size;
            (sheet ? define_sheet : define_skirt)(&home);
            (sheet ? define_sheet : define_skirt)(&away);
            fixture_start(&home, RATE);
            fixture_start(&away, RATE);
            for (int n = 0; n < 5; n++) fixture_another(&away);
            fixture_play(&home, sheet != 0);
            fixture_steps(&home, 70);
            unsigned char *bytes = sim_character_save(home.world, home.character, &size);
            unsigned char *air = sim_weather_save(home.world, &air_size);
            fixture_steps(&home, lateness[i]);
            fixture_steps(&away, 70 + lateness[i]);
            assert_true(sim_character_restore(away.world, away.character, bytes, size, &issue));
            assert_true(sim_weather_restore(away.world, air, air_size, (uint64_t)lateness[i], &issue));
            assert_true(sim_character_catch_up(away.world, away.character, lateness[i], air, air_size, NULL,
                                               NULL, &issue));
            for (int tick = 0; tick < LATER; tick++) {
                assert_same(&away, &home);
                assert_int_equal(sim_character_still_since(away.world, away.character),
                                 sim_character_still_since(home.world, home.character));
                fixture_steps(&home, 1);
                fixture_steps(&away, 1);
            }
            free(bytes);
            free(air);
            fixture_finish(&home);
            fixture_finish(&away);
        }
}

// The character keeps all that it had.
static void assert_refused(Fixture *fixture, const void *bytes, size_t size, const char *path,
                           const char *message) {
    size_t before_size, after_size;
    SimIssue issue;
    unsigned char *before = sim_character_save(fixture->world, fixture->character, &before_size);
    assert_false(sim_character_restore(fixture->world, fixture->character, bytes, size, &issue));
    if (path) assert_string_equal(issue.path, path);
    if (message) assert_string_equal(issue.message, message);
    unsigned char *after = sim_character_save(fixture->world, fixture->character, &after_size);
    assert_int_equal(before_size, after_size);
    assert_memory_equal(before, after, before_size);
    free(before);
    free(after);
}

static unsigned char *saved_state(Define *define, size_t *out_size) {
    static Fixture fixture;
    define(&fixture);
    fixture_start(&fixture, RATE);
    fixture_play(&fixture, true);
    pose(&fixture, 0.1f, false, 3);
    fixture_steps(&fixture, 30);
    unsigned char *bytes = sim_character_save(fixture.world, fixture.character, out_size);
    fixture_finish(&fixture);
    return bytes;
}

static void test_malformed_state_is_refused_whole(void **state) {
    Fixture *fixture = *state;
    size_t size;
    char message[64];
    unsigned char *bytes = saved_state(define_sheet, &size);
    define_sheet(fixture);
    fixture_start(fixture, RATE);
    fixture_steps(fixture, 20);
    for (size_t cut = 0; cut < size; cut += cut < 400 ? 1 : 97) {
        snprintf(message, sizeof message, "it ends after %zu bytes, in the middle", cut);
        assert_refused(fixture, bytes, cut, "", message);
    }
    unsigned char *longer = calloc(size + 1, 1);
    memcpy(longer, bytes, size);
    snprintf(message, sizeof message, "expected an end after %zu bytes, found %zu", size, size + 1);
    assert_refused(fixture, longer, size + 1, "", message);
    longer[4] = 'T'; // of the format's name
    assert_refused(fixture, longer, size, "", "expected \"tweed character\", found \"Tweed character\"");
    memcpy(longer, bytes, size);
    longer[19] = 9;
    assert_refused(fixture, longer, size, "version", "expected 1, found 9");
    // Any bit may be wrong: it is refused whole, or a number is another one.
    uint32_t random = 1;
    for (int i = 0; i < 3000; i++) {
        SimIssue issue;
        memcpy(longer, bytes, size);
        for (int flips = i % 3; flips >= 0; flips--) {
            random = random * 1664525u + 1013904223u;
            longer[(random >> 8) % (i % 2 ? size : 900)] ^= (unsigned char)(1u << (random >> 5 & 7));
        }
        if (sim_character_restore(fixture->world, fixture->character, longer, size, &issue))
            fixture_steps(fixture, 2);
        else
            assert_true(issue.message[0] != '\0');
    }
    free(longer);
    free(bytes);
}

static void define_wider(Fixture *fixture) {
    define_sheet(fixture);
    fixture->garment.columns = COLUMNS - 1;
}

static void define_other_bone(Fixture *fixture) {
    define_sheet(fixture);
    fixture->bones[1].name = "swing";
}

static void define_other_clip(Fixture *fixture) {
    define_sheet(fixture);
    fixture->clip.name = "another";
}

static void test_state_of_another_rig_is_refused(void **state) {
    Fixture *fixture = *state;
    static const struct {
        Define *define;
        const char *path, *message;
    } cases[] = {
        {define_wider, "garments.cloth.columns", "expected 6, found 5"},
        {define_other_bone, "bones", "expected \"sway\", found \"swing\""},
        {define_other_clip, "clips", "no clip \"another\""},
        {define_bob, "garments", "expected 1, found 2"},
    };
    define_sheet(fixture);
    fixture_start(fixture, RATE);
    fixture_steps(fixture, 20);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t size;
        unsigned char *bytes = saved_state(cases[i].define, &size);
        assert_refused(fixture, bytes, size, cases[i].path, cases[i].message);
        free(bytes);
    }
}

static void test_malformed_weather_is_refused(void **state) {
    Fixture *fixture = *state;
    SimIssue issue;
    size_t size;
    define_sheet(fixture);
    fixture_start(fixture, RATE);
    const SimTornado tornado = {.radius = 1.0f, .strength = 9.0f, .velocity_world = {1.0f, 0.0f, 0.0f}};
    assert_true(sim_world_set_tornado(fixture->world, "anna", &tornado));
    unsigned char *bytes = sim_weather_save(fixture->world, &size);
    fixture_steps(fixture, 20);
    for (size_t cut = 0; cut < size; cut++)
        assert_false(sim_weather_restore(fixture->world, bytes, cut, 0, &issue));
    SimTornado found;
    assert_true(sim_world_tornado(fixture->world, "anna", &found));
    assert_near(found.position_world[0], 20.0 / RATE, 1e-6);
    assert_true(sim_weather_restore(fixture->world, bytes, size, 0, &issue));
    assert_true(sim_world_tornado(fixture->world, "anna", &found));
    assert_near(found.position_world[0], 0.0, 1e-6);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_on_to_the_bit),
        cmocka_unit_test(test_catches_up),
        FIXTURE_TEST(test_malformed_state_is_refused_whole),
        FIXTURE_TEST(test_state_of_another_rig_is_refused),
        FIXTURE_TEST(test_malformed_weather_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
