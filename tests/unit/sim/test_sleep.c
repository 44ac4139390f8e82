// Sleep: a character that is still is not stepped, anything that could move it wakes it, and it continues to
// the bit as if it had never slept.
#include "sanitized.h"
#include "sim_threads.h"

enum { ROWS = 6, COLUMNS = 9, PARTICLES = ROWS * COLUMNS, MOST_TICKS = 900, CROWD = 40 };

static SimSeamDef seam;

// An open skirt that lies on a thigh, sewn by its upper rows; the clip lifts the thigh and ends.
static void rig(Fixture *fixture) {
    fixture_sheet(fixture, ROWS, COLUMNS, 0.06f);
    for (int p = 0; p < PARTICLES; p++) {
        float turn = (float)(2.0 * FIXTURE_PI * (0.04 + 0.92 * (double)(p % COLUMNS) / (COLUMNS - 1)));
        float radius = 0.09f + 0.008f * (float)(p / COLUMNS);
        fixture->positions[p][0] = radius * sinf(turn);
        fixture->positions[p][2] = radius * cosf(turn);
    }
    fixture->garment.fabric = fixture_preset(1);
    fixture->garment.fabric.damping = 9.0f;
    int leg = fixture_add_bone(fixture, "leg", 0, 0.02f, 0.0f, 0.0f);
    SimColliderDef *thigh = fixture_add_collider(fixture, SIM_COLLIDER_CAPSULE, leg);
    thigh->to[1] = -0.4f, thigh->radius = 0.07f, thigh->radius_end = 0.05f;
    fixture_add_clip(fixture, 30.0f, 16, false);
    for (int frame = 0; frame < 16; frame++) {
        float angle = -0.04f * (float)frame;
        versor lift = {sinf(angle / 2.0f), 0.0f, 0.0f, cosf(angle / 2.0f)};
        memcpy(fixture->clip_rotations[2 * frame + 1], lift, sizeof lift);
    }
    seam = sim_default_seam_def();
    seam.name = "front";
    seam.columns[1] = COLUMNS - 1;
    seam.first_rows[0] = seam.first_rows[1] = 1;
    seam.row_count = 2;
    fixture->rig.seams = &seam;
    fixture->rig.seam_count = 1;
    fixture->def.sleep = true;
}

static void start(Fixture *fixture) {
    fixture_start(fixture, 60);
    fixture_play(fixture, false);
}

static SimCharacterId another(Fixture *fixture) {
    SimCharacterId character = fixture_another(fixture);
    SimPlay once = {.speed = 1.0f};
    sim_character_play(fixture->world, character, 0, &once);
    return character;
}

static int asleep(const Fixture *fixture) {
    return sim_world_stats(fixture->world).asleep;
}

// Steps until `garments` garments sleep, and returns the number of ticks.
static int until_asleep(Fixture *fixture, int garments) {
    for (int tick = 1; tick <= MOST_TICKS; tick++) {
        sim_world_step(fixture->world);
        if (asleep(fixture) == garments) return tick;
    }
    fail_msg("%d of %d garments sleep", asleep(fixture), garments);
    return 0;
}

// All state of a character that can be read.
typedef struct Look {
    float particles[PARTICLES][3], references[PARTICLES][3], warp[PARTICLES], weft[PARTICLES];
    mat4 bones[2 + PARTICLES];
    SimTransform root;
} Look;

static void look(const Fixture *fixture, SimCharacterId character, Look *out) {
    const SimRigInfo *info = sim_rig_info(fixture->world, fixture->rig_id);
    memset(out, 0, sizeof *out);
    sim_garment_particles_model(fixture->world, character, 0, out->particles);
    sim_garment_references_model(fixture->world, character, 0, out->references);
    sim_garment_wrinkles(fixture->world, character, 0, out->warp, out->weft);
    memcpy(out->bones, sim_character_bones_model(fixture->world, character),
           (size_t)info->bone_count * sizeof(mat4));
    out->root = sim_character_root(fixture->world, character);
}

static void assert_alike(const Fixture *a, const Fixture *b) {
    static Look of_a, of_b;
    look(a, a->character, &of_a);
    look(b, b->character, &of_b);
    assert_memory_equal(&of_a, &of_b, sizeof of_a);
}

static void test_a_still_character_sleeps_and_is_no_task(void **state) {
    Fixture *fixture = *state;
    static Look before, after;
    rig(fixture);
    start(fixture);
    assert_int_equal(sim_world_task_count(fixture->world), 1);
    assert_true(until_asleep(fixture, 1) > 60); // the clip lasts half a second, and then all is still for one
    assert_int_equal(sim_world_task_count(fixture->world), 0);
    look(fixture, fixture->character, &before);
    fixture_steps(fixture, 200);
    look(fixture, fixture->character, &after);
    assert_memory_equal(&before, &after, sizeof before);
    SimWorldStats stats = sim_world_stats(fixture->world);
    assert_int_equal(stats.characters, 1);
    assert_int_equal(stats.garments, 1);
    assert_int_equal(stats.particles, PARTICLES);
    assert_int_equal(stats.asleep, 1);
}

// A character that stays awake hardly moves after that: sleep freezes no visible motion.
static void test_it_sleeps_where_it_comes_to_rest(void **state) {
    (void)state;
    static Fixture sleeper, awake;
    for (int preset = 0; preset < (SANITIZED ? 2 : FIXTURE_PRESETS); preset++) {
        if (preset == 6) continue; // rubber takes 14 s
        rig(&sleeper);
        rig(&awake);
        sleeper.garment.fabric = awake.garment.fabric = fixture_preset(preset);
        awake.def.sleep = false;
        start(&sleeper);
        start(&awake);
        int ticks = until_asleep(&sleeper, 1);
        fixture_steps(&awake, ticks);
        assert_alike(&sleeper, &awake);
        fixture_steps(&awake, 300);
        assert_int_equal(asleep(&awake), 0);
        assert_at_most(fixture_farthest(fixture_particles(&sleeper), fixture_particles(&awake), PARTICLES),
                       5e-4);
        fixture_finish(&sleeper);
        fixture_finish(&awake);
    }
}

// What wakes
// -----------------------------------------------------------------------------------------------------------

static void move(Fixture *f) {
    fixture_move_to(f, 0.01f, 0.0f, 0.0f);
}
static void turn(Fixture *f) {
    SimTransform root = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.2f, 0.0f, 0.98f}};
    sim_character_move(f->world, f->character, &root, SIM_TELEPORT_NONE);
}
static void teleport(Fixture *f) {
    SimTransform root = {{2.0f, 0.0f, 0.0f}, {0.0f, 0.6f, 0.0f, 0.8f}};
    sim_character_move(f->world, f->character, &root, SIM_TELEPORT_KEEP);
}
static void teleport_anew(Fixture *f) {
    SimTransform root = sim_character_root(f->world, f->character);
    sim_character_move(f->world, f->character, &root, SIM_TELEPORT_RESET);
}
static void play_again(Fixture *f) {
    fixture_play(f, false);
}
static void stop(Fixture *f) {
    sim_character_stop(f->world, f->character, -1, 0.2f);
}
static void change_fabric(Fixture *f) {
    SimFabric veil = fixture_preset(2);
    sim_garment_set_fabric(f->world, f->character, 0, &veil, true);
}
static void change_fabric_at_once(Fixture *f) {
    SimFabric fabric = *sim_garment_fabric(f->world, f->character, 0);
    fabric.shear += 10.0f;
    sim_garment_set_fabric(f->world, f->character, 0, &fabric, false);
}
static void unbutton(Fixture *f) {
    sim_seam_set_closed(f->world, f->character, 0, false);
}
static void fall_sideways(Fixture *f) {
    SimEnvironment environment = *sim_world_environment(f->world);
    environment.gravity_world[0] = 3.0f;
    sim_world_set_environment(f->world, &environment);
}
static void raise_the_ground(Fixture *f) {
    SimEnvironment environment = *sim_world_environment(f->world);
    environment.has_ground = true;
    environment.ground = -0.25f;
    sim_world_set_environment(f->world, &environment);
}
static void blow(Fixture *f) {
    SimEnvironment environment = *sim_world_environment(f->world);
    environment.wind.velocity_world[2] = 3.0f;
    sim_world_set_environment(f->world, &environment);
}
static void blow_in_gusts(Fixture *f) {
    SimEnvironment environment = *sim_world_environment(f->world);
    environment.wind = (SimWind){{3.0f, 0.0f, 0.0f}, 0.5f, 0.5f};
    sim_world_set_environment(f->world, &environment);
}
static void whirl(Fixture *f) {
    static const SimTornado whirl = {{1.0f, -0.5f, 0.7f}, 0.6f, 9.0f, 4.0f, {0}};
    assert_true(sim_world_set_tornado(f->world, "whirl", &whirl));
}
static void breeze(Fixture *f) {
    static const SimTornado whirl = {{2.0f, -0.5f, 0.7f}, 0.6f, 1.0f, 0.0f, {0}};
    assert_true(sim_world_set_tornado(f->world, "whirl", &whirl));
}
static void whirl_away(Fixture *f) {
    static const SimTornado passing = {{3.0f, -1.0f, 0.0f}, 0.5f, 7.0f, 2.0f, {-1.0f, 0.0f, 0.0f}};
    assert_true(sim_world_set_tornado(f->world, "passing", &passing));
}
static void reset(Fixture *f) {
    fixture_reset(f, &f->character);
}

typedef struct Cause {
    const char *name;
    void (*act)(Fixture *fixture);
} Cause;

static const Cause causes[] = {{"move", move},
                               {"turn", turn},
                               {"teleport", teleport},
                               {"teleport, anew", teleport_anew},
                               {"play", play_again},
                               {"stop", stop},
                               {"fabric", change_fabric},
                               {"fabric, at once", change_fabric_at_once},
                               {"open a seam", unbutton},
                               {"gravity", fall_sideways},
                               {"ground", raise_the_ground},
                               {"wind", blow},
                               {"gusts", blow_in_gusts},
                               {"tornado", whirl},
                               {"tornado on its way", whirl_away},
                               {"reset", reset}};

// The twin never sleeps. The same happens to it at the tick in which the other falls asleep.
static void test_commands_wake_it_to_the_bit(void **state) {
    (void)state;
    static Fixture sleeper, awake;
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
        rig(&sleeper);
        rig(&awake);
        awake.def.sleep = false;
        start(&sleeper);
        start(&awake);
        int ticks = until_asleep(&sleeper, 1);
        fixture_steps(&awake, ticks);
        fixture_steps(&sleeper, 77);
        assert_alike(&sleeper, &awake);
        causes[i].act(&sleeper);
        causes[i].act(&awake);
        static Look before, after;
        look(&sleeper, sleeper.character, &before);
        for (int tick = 0; tick < 25; tick++) {
            sim_world_step(sleeper.world);
            sim_world_step(awake.world);
            if (asleep(&sleeper)) fail_msg("%s does not wake it", causes[i].name);
            assert_alike(&sleeper, &awake);
        }
        look(&sleeper, sleeper.character, &after);
        if (memcmp(&before, &after, sizeof before) == 0) fail_msg("%s moves nothing", causes[i].name);
        fixture_finish(&sleeper);
        fixture_finish(&awake);
    }
}

static void test_a_seam_that_closes_and_a_calmed_tornado_wake(void **state) {
    Fixture *fixture = *state;
    rig(fixture);
    seam.closed = false;
    start(fixture);
    breeze(fixture);
    until_asleep(fixture, 1); // one that stands still blows evenly
    sim_seam_set_closed(fixture->world, fixture->character, 0, true);
    sim_world_step(fixture->world);
    assert_int_equal(asleep(fixture), 0);
    until_asleep(fixture, 1);
    assert_true(sim_world_remove_tornado(fixture->world, "whirl"));
    sim_world_step(fixture->world);
    assert_int_equal(asleep(fixture), 0);
    until_asleep(fixture, 1);
    breeze(fixture);
    until_asleep(fixture, 1);
    static const SimTornado gone = {{90000.0f, 0.0f, 0.0f}, 0.6f, 1.0f, 0.0f, {0}};
    assert_true(sim_world_set_tornado(fixture->world, "whirl", &gone)); // from here
    sim_world_step(fixture->world);
    assert_int_equal(asleep(fixture), 0);
}

// Setting the same values again is no change.
static void test_setting_the_same_wakes_nobody(void **state) {
    Fixture *fixture = *state;
    rig(fixture);
    start(fixture);
    until_asleep(fixture, 1);
    for (int tick = 0; tick < 60; tick++) {
        SimTransform root = sim_character_root(fixture->world, fixture->character);
        SimEnvironment environment = *sim_world_environment(fixture->world);
        SimFabric fabric = *sim_garment_fabric(fixture->world, fixture->character, 0);
        sim_character_move(fixture->world, fixture->character, &root, SIM_TELEPORT_NONE);
        sim_world_set_environment(fixture->world, &environment);
        sim_garment_set_fabric(fixture->world, fixture->character, 0, &fabric, tick % 2);
        sim_seam_set_closed(fixture->world, fixture->character, 0, true);
        sim_character_stop(fixture->world, fixture->character, 3, 0.2f); // that clip does not play
        assert_false(sim_world_remove_tornado(fixture->world, "whirl"));
        sim_world_step(fixture->world);
        assert_int_equal(asleep(fixture), 1);
    }
}

static void test_a_far_tornado_lets_sleep_until_it_is_felt(void **state) {
    Fixture *fixture = *state;
    // The tornado counts from an air speed of 0.02 m/s: within (4 / 0.638 + 1) 0.3 / 0.02 m.
    static const SimTornado far = {{-130.0f, 0.0f, 0.0f}, 0.3f, 4.0f, 1.0f, {5.0f, 0.0f, 0.0f}};
    rig(fixture);
    start(fixture);
    until_asleep(fixture, 1);
    assert_true(sim_world_set_tornado(fixture->world, "far", &far));
    SimTornado now = far;
    while (asleep(fixture) == 1 && now.position_world[0] < 0.0f) {
        sim_world_step(fixture->world);
        assert_true(sim_world_tornado(fixture->world, "far", &now));
    }
    assert_near(now.position_world[0], -109.0, 0.3);
}

static void test_it_never_sleeps_while_something_changes(void **state) {
    Fixture *fixture = *state;
    for (int what = 0; what < 4; what++) {
        rig(fixture);
        // Its joints are so stiff that it does not move by itself.
        for (int p = 0; p < PARTICLES; p++) fixture->pinned[p] = true;
        if (what == 0) fixture->def.environment.wind = (SimWind){{0.2f, 0.0f, 0.0f}, 0.0f, 0.1f};
        if (what == 1) fixture->def.environment.wind = (SimWind){{0.2f, 0.0f, 0.0f}, 0.1f, 0.0f};
        fixture_start(fixture, 60);
        if (what == 2) fixture_play(fixture, true);
        for (int tick = 0; tick < 120; tick++) {
            SimTransform root = sim_character_root(fixture->world, fixture->character);
            root.position[0] += 1e-5f;
            if (what == 3) sim_character_move(fixture->world, fixture->character, &root, SIM_TELEPORT_NONE);
            sim_world_step(fixture->world);
            assert_int_equal(asleep(fixture), 0);
        }
        fixture_finish(fixture);
    }
    rig(fixture); // and by themselves these would sleep, in an even wind as well
    fixture->def.environment.wind = (SimWind){{0.2f, 0.0f, 0.0f}, 0.0f, 0.0f};
    for (int p = 0; p < PARTICLES; p++) fixture->pinned[p] = true;
    fixture_start(fixture, 60);
    assert_int_equal(until_asleep(fixture, 1), 30); // half a second
}

static void test_a_clip_of_one_pose_lets_sleep(void **state) {
    Fixture *fixture = *state;
    for (int bone_moves = 0; bone_moves < 2; bone_moves++) {
        rig(fixture);
        for (int p = 0; p < PARTICLES; p++) fixture->pinned[p] = true;
        for (int frame = 0; frame < 15 + !bone_moves; frame++) // else the last one differs
            memcpy(fixture->clip_rotations[2 * frame + 1], (versor){0.6f, 0.0f, 0.0f, 0.8f}, sizeof(versor));
        fixture_start(fixture, 60);
        fixture_play(fixture, true);
        fixture_steps(fixture, 40);
        assert_int_equal(asleep(fixture), !bone_moves);
        fixture_finish(fixture);
    }
}

// At a low rate few ticks could all fall on turning points of a swing.
static void test_it_takes_eight_ticks_at_least(void **state) {
    Fixture *fixture = *state;
    rig(fixture);
    for (int p = 0; p < PARTICLES; p++) fixture->pinned[p] = true;
    fixture_start(fixture, 5);
    assert_int_equal(until_asleep(fixture, 1), 8);
}

static void test_the_time_of_a_clip_goes_on(void **state) {
    Fixture *fixture = *state;
    float time;
    rig(fixture);
    start(fixture);
    int ticks = until_asleep(fixture, 1) + 50;
    fixture_steps(fixture, 50);
    assert_int_equal(sim_character_clip(fixture->world, fixture->character, &time), 0);
    assert_near(time, ticks / 60.0, 1e-5);
    move(fixture);
    assert_int_equal(sim_character_clip(fixture->world, fixture->character, &time), 0);
    assert_near(time, ticks / 60.0, 1e-5);
    fixture_steps(fixture, 3);
    sim_character_clip(fixture->world, fixture->character, &time);
    assert_near(time, (ticks + 3) / 60.0, 1e-5);
}

static void test_a_garment_in_strips_sleeps(void **state) {
    Fixture *fixture = *state;
    for (int hangs = 0; hangs < 2; hangs++) {
        fixture_sheet(fixture, 32, 128, 0.02f);
        for (int p = 128; p < 32 * 128; p++) fixture->pinned[p] = !hangs || p < 128 * 31;
        fixture->garment.bone_column_step = 32;
        fixture->def.sleep = true;
        if (hangs) fixture_lay_flat(fixture); // so that its last row falls
        fixture_start(fixture, 60);
        fixture_steps(fixture, 29);
        assert_int_equal(asleep(fixture), 0);
        sim_world_step(fixture->world);
        assert_int_equal(asleep(fixture), !hangs);
        fixture_move_to(fixture, 0.01f, 0.0f, 0.0f);
        sim_world_step(fixture->world);
        assert_int_equal(asleep(fixture), 0);
        fixture_finish(fixture);
    }
}

// Company
// -----------------------------------------------------------------------------------------------------------

typedef void (*Tick)(SimWorld *world);

// The subject sleeps, wakes and sleeps again, among others that do so at other times or never.
static uint64_t run(const char *instruction_set, int count, int subject, Tick tick, int *out_slept) {
    static Fixture fixture;
    static Look seen;
    SimCharacterId crowd[CROWD];
    SimPlay looped = {.loop = true, .speed = 1.0f}, once = {.speed = 1.0f};
    rig(&fixture);
    fixture_start(&fixture, 60);
    sim_character_destroy(fixture.world, fixture.character);
    if (instruction_set) assert_true(sim_world_use_instruction_set(fixture.world, instruction_set));
    for (int i = 0; i < count; i++) {
        crowd[i] = fixture_another(&fixture);
        SimFabric fabric = fixture_preset(i % FIXTURE_PRESETS);
        if (i != subject) sim_garment_set_fabric(fixture.world, crowd[i], 0, &fabric, false);
        sim_character_play(fixture.world, crowd[i], 0, i != subject && i % 5 == 1 ? &looped : &once);
    }
    uint64_t result = FIXTURE_HASH;
    int awake_before = -1;
    *out_slept = 0;
    for (int t = 0; t < 480; t++) {
        SimTransform root = {{0.001f * (float)t, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
        for (int i = 0; i < count; i++)
            if (i == subject ? t == 300 : t % 150 == 7 * i) {
                sim_character_move(fixture.world, crowd[i], &root, SIM_TELEPORT_NONE);
            }
        tick(fixture.world);
        look(&fixture, crowd[subject], &seen);
        result = fixture_hash(result, &seen, sizeof seen);
        *out_slept += awake_before == asleep(&fixture);
        awake_before = asleep(&fixture);
    }
    fixture_finish(&fixture);
    return result;
}

static void test_company_threads_and_instruction_sets_change_nothing(void **state) {
    (void)state;
    const int many = SANITIZED ? 20 : CROWD, some = SANITIZED ? 3 : 18;
    int slept;
    uint64_t alone = run(NULL, 1, 0, sim_world_step, &slept);
    assert_int_equal(run(NULL, 3, 1, sim_world_step, &slept), alone);
    assert_int_equal(run(NULL, many, 0, sim_world_step, &slept), alone);
    assert_true(slept < 470); // others came and went
    assert_int_equal(run(NULL, many, many - 15, on_threads, &slept), alone);
    const char *set;
    for (int i = 0; (set = fixture_instruction_set(i)); i++)
        assert_int_equal(run(set, some, some - 1, sim_world_step, &slept), alone);
}

static int tasks_for(int characters) {
    static Fixture fixture;
    rig(&fixture);
    fixture_start(&fixture, 60);
    for (int i = 1; i < characters; i++) fixture_another(&fixture);
    int tasks = sim_world_task_count(fixture.world);
    fixture_finish(&fixture);
    return tasks;
}

// Awake characters are packed into full groups, waking ones join them, and any can be destroyed.
static void test_tasks_are_as_many_as_those_awake_need(void **state) {
    Fixture *fixture = *state;
    SimCharacterId crowd[CROWD];
    rig(fixture);
    start(fixture);
    crowd[0] = fixture->character;
    for (int i = 1; i < CROWD; i++) crowd[i] = another(fixture);
    const int all = sim_world_task_count(fixture->world);
    assert_int_equal(all, tasks_for(CROWD));
    SimPlay looped = {.loop = true, .speed = 1.0f};
    for (int i = 0; i < CROWD; i += 8) sim_character_play(fixture->world, crowd[i], 0, &looped); // five
    until_asleep(fixture, CROWD - 5);
    const int few = sim_world_task_count(fixture->world);
    assert_int_equal(few, tasks_for(5));
    assert_true(few < all);
    sim_character_destroy(fixture->world, crowd[1]); // sleeps
    sim_character_destroy(fixture->world, crowd[8]); // does not
    sim_world_step(fixture->world);
    assert_int_equal(sim_world_stats(fixture->world).asleep, CROWD - 6);
    assert_int_equal(sim_world_stats(fixture->world).characters, CROWD - 2);
    fixture->character = crowd[0];
    blow_in_gusts(fixture);
    sim_world_step(fixture->world);
    assert_int_equal(asleep(fixture), 0);
    assert_int_equal(sim_world_task_count(fixture->world), tasks_for(CROWD - 2));
    assert_int_equal(sim_world_stats(fixture->world).characters, CROWD - 2);
}

// When all sleep, one character wakes and sleeps in its own lane.
static void test_the_last_one_awake_sleeps_as_well(void **state) {
    Fixture *fixture = *state;
    rig(fixture);
    start(fixture);
    for (int i = 1; i < 20; i++) another(fixture);
    until_asleep(fixture, 20);
    assert_int_equal(sim_world_task_count(fixture->world), 0);
    move(fixture);
    sim_world_step(fixture->world);
    assert_int_equal(sim_world_task_count(fixture->world), 1);
    assert_true(until_asleep(fixture, 20) > 29);
    assert_int_equal(sim_world_task_count(fixture->world), 0);
    sim_character_destroy(fixture->world, fixture->character);
    assert_int_equal(asleep(fixture), 19);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_a_still_character_sleeps_and_is_no_task),
        cmocka_unit_test(test_it_sleeps_where_it_comes_to_rest),
        cmocka_unit_test(test_commands_wake_it_to_the_bit),
        FIXTURE_TEST(test_a_seam_that_closes_and_a_calmed_tornado_wake),
        FIXTURE_TEST(test_setting_the_same_wakes_nobody),
        FIXTURE_TEST(test_a_far_tornado_lets_sleep_until_it_is_felt),
        FIXTURE_TEST(test_it_never_sleeps_while_something_changes),
        FIXTURE_TEST(test_a_clip_of_one_pose_lets_sleep),
        FIXTURE_TEST(test_it_takes_eight_ticks_at_least),
        FIXTURE_TEST(test_the_time_of_a_clip_goes_on),
        FIXTURE_TEST(test_a_garment_in_strips_sleeps),
        cmocka_unit_test(test_company_threads_and_instruction_sets_change_nothing),
        FIXTURE_TEST(test_tasks_are_as_many_as_those_awake_need),
        FIXTURE_TEST(test_the_last_one_awake_sleeps_as_well),
    };
    return cmocka_run_group_tests_name("sim sleep", tests, NULL, NULL);
}
