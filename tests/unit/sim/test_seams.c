// Seams: a closed one stays within 5 mm while columns stay exact, and seams open and close without a jump.
#include "sanitized.h"
#include "sim_fixture.h"

enum { ROWS = 9, COLUMNS = 13, SEWN_FIRST = 1, SEWN = 6 };

static SimSeamDef seam_def;

// A jacket's lower part, open by a tenth of its turn in front, round a body whose legs swing.
static void jacket(Fixture *fixture, bool closed) {
    fixture_sheet(fixture, ROWS, COLUMNS, 0.06f);
    for (int p = 0; p < ROWS * COLUMNS; p++) {
        float turn = (float)(2.0 * FIXTURE_PI * (0.05 + 0.9 * (double)(p % COLUMNS) / (COLUMNS - 1)));
        float radius = 0.15f + 0.004f * (float)(p / COLUMNS);
        fixture->positions[p][0] = radius * sinf(turn);
        fixture->positions[p][2] = radius * cosf(turn);
    }
    fixture->garment.max_distance_top = 0.0f;
    fixture->garment.max_distance_bottom = -1.0f;
    fixture->garment.fabric = fixture_preset(0);
    SimColliderDef *trunk = fixture_add_collider(fixture, SIM_COLLIDER_ELLIPSOID, 0);
    trunk->radii[0] = 0.13f, trunk->radii[1] = 0.2f, trunk->radii[2] = 0.12f;
    for (int side = 0; side < 2; side++) {
        int leg = fixture_add_bone(fixture, side ? "right" : "left", 0, side ? -0.07f : 0.07f, -0.1f, 0.0f);
        SimColliderDef *thigh = fixture_add_collider(fixture, SIM_COLLIDER_CAPSULE, leg);
        thigh->to[1] = -0.45f, thigh->radius = 0.075f, thigh->radius_end = 0.05f;
    }
    fixture_add_clip(fixture, 60.0f, 61, true);
    for (int frame = 0; frame < 61; frame++)
        for (int side = 0; side < 2; side++) {
            float angle = (side ? 0.5f : -0.5f) * sinf((float)(2.0 * FIXTURE_PI / 30.0) * (float)frame);
            versor swing = {sinf(angle / 2.0f), 0.0f, 0.0f, cosf(angle / 2.0f)};
            memcpy(fixture->clip_rotations[3 * frame + 1 + side], swing, sizeof swing);
            fixture->clip_root[frame][1] = 0.05f * (float)frame; // 3 m/s
        }
    seam_def = sim_default_seam_def();
    seam_def.name = "front";
    seam_def.columns[1] = COLUMNS - 1;
    seam_def.first_rows[0] = seam_def.first_rows[1] = SEWN_FIRST;
    seam_def.row_count = SEWN;
    seam_def.closed = closed;
    fixture->rig.seams = &seam_def;
    fixture->rig.seam_count = 1;
}

// The distance of the sides at the widest or narrowest sewn row, m, of the particles read last.
static double widest(const Fixture *fixture) {
    double gap = 0.0;
    for (int row = SEWN_FIRST; row < SEWN_FIRST + SEWN; row++) {
        const float(*side)[3] = &fixture->particles[row * COLUMNS];
        gap = fmax(gap, fixture_distance(side[0], side[COLUMNS - 1]));
    }
    return gap;
}

static double narrowest(const Fixture *fixture) {
    double gap = HUGE_VAL;
    for (int row = SEWN_FIRST; row < SEWN_FIRST + SEWN; row++) {
        const float(*side)[3] = &fixture->particles[row * COLUMNS];
        gap = fmin(gap, fixture_distance(side[0], side[COLUMNS - 1]));
    }
    return gap;
}

static void jump_up_and_down(Fixture *fixture, int tick) {
    SimTransform root = sim_character_root(fixture->world, fixture->character);
    root.position[1] = 0.4f * fabsf(sinf((float)tick * (float)(FIXTURE_PI / 36.0)));
    sim_character_move(fixture->world, fixture->character, &root, SIM_TELEPORT_NONE);
}

static void test_closed_stays_closed(void **state) {
    Fixture *fixture = *state;
    static const int rates[] = {30, 60, 120, 240};
    for (int i = 0; i < 4; i++) {
        jacket(fixture, true);
        fixture->def.environment.wind = (SimWind){{6.0f, 0.0f, 10.0f}, 0.5f, 0.8f};
        fixture_start(fixture, rates[i]);
        fixture_play(fixture, true);
        fixture_particles(fixture);
        assert_at_most(widest(fixture), 0.005); // placed as it is to be
        double gap = 0.0, stretch = 0.0;
        for (int tick = 0; tick < 6 * rates[i]; tick++) {
            jump_up_and_down(fixture, tick * 60 / rates[i]);
            sim_world_step(fixture->world);
            fixture_particles(fixture);
            gap = fmax(gap, widest(fixture));
            stretch = fmax(stretch, fixture_stretch(fixture));
        }
        print_message("%d Hz: gap %.2f mm, stretch %.1e\n", rates[i], 1e3 * gap, stretch);
        assert_at_most(gap, 0.005);
        assert_at_most(stretch, 1e-5);
        assert_int_equal(sim_world_stats(fixture->world).constraint_conflicts, 0);
        fixture_finish(fixture);
    }
}

static void test_open_changes_nothing(void **state) {
    Fixture *fixture = *state;
    static float without[ROWS * COLUMNS][3];
    for (int with = 0; with < 2; with++) {
        jacket(fixture, false);
        fixture->rig.seam_count = with;
        fixture_start(fixture, 60);
        fixture_play(fixture, true);
        fixture_steps(fixture, 60);
        fixture_particles(fixture);
        if (!with) memcpy(without, fixture->particles, sizeof without);
        assert_at_least(narrowest(fixture), 0.05);
        fixture_finish(fixture);
    }
    assert_memory_equal(without, fixture->particles, sizeof without);
}

// The sides come together as (3 - 2 t) t^2 goes down, at any rate: half the way after 0.1 s, all after 0.2 s,
// at 1.5 times the mean speed. The cloth bulges and its hem swings along with that, as fast at all rates.
static void test_closes_without_a_pop(void **state) {
    Fixture *fixture = *state;
    static float before[ROWS * COLUMNS][3];
    static const int rates[] = {30, 60, 120, 240};
    double fastest[4] = {0.0};
    for (int i = 0; i < 4; i++) {
        jacket(fixture, false);
        fixture_start(fixture, rates[i]);
        fixture_steps(fixture, 3 * rates[i]);
        fixture_particles(fixture);
        double first = widest(fixture), upper = 0.0;
        sim_seam_set_closed(fixture->world, fixture->character, 0, true);
        assert_true(sim_seam_closed(fixture->world, fixture->character, 0));
        for (int tick = 1; tick <= rates[i]; tick++) {
            memcpy(before, fixture->particles, sizeof before);
            sim_world_step(fixture->world);
            const float(*after)[3] = fixture_particles(fixture);
            fastest[i] = fmax(fastest[i], fixture_farthest(before, after, ROWS * COLUMNS) * rates[i]);
            upper = fmax(upper, fixture_farthest(before, after, 3 * COLUMNS) * rates[i]);
            if (tick * 10 == rates[i]) assert_near(widest(fixture), 0.5 * first, 0.05 * first);
            if (tick * 5 >= rates[i]) assert_at_most(widest(fixture), 0.005);
        }
        double curve = 1.5 * (0.5 * first) / 0.2; // each side goes half the way
        print_message("%d Hz: %.0f mm; m/s: %.2f by the curve, %.2f above, %.2f anywhere\n", rates[i],
                      1e3 * first, curve, upper, fastest[i]);
        assert_at_most(upper, 2.0 * curve);
        sim_seam_set_closed(fixture->world, fixture->character, 0, true); // nothing begins anew
        sim_world_step(fixture->world);
        fixture_particles(fixture);
        assert_at_most(widest(fixture), 0.005);
        fixture_finish(fixture);
    }
    for (int i = 0; i < 4; i++) assert_at_most(fastest[i], 1.3 * fastest[1]);
}

static void test_opens_and_is_reset(void **state) {
    Fixture *fixture = *state;
    jacket(fixture, true);
    fixture_start(fixture, 60);
    fixture_steps(fixture, 60);
    sim_seam_set_closed(fixture->world, fixture->character, 0, false);
    assert_false(sim_seam_closed(fixture->world, fixture->character, 0));
    fixture_steps(fixture, 60);
    fixture_particles(fixture);
    assert_at_least(narrowest(fixture), 0.04);
    fixture_reset(fixture, &fixture->character);
    assert_true(sim_seam_closed(fixture->world, fixture->character, 0));
    sim_world_place(fixture->world);
    fixture_particles(fixture);
    assert_at_most(widest(fixture), 0.005);
    // A seam opened before placement is placed open.
    fixture_reset(fixture, &fixture->character);
    sim_seam_set_closed(fixture->world, fixture->character, 0, false);
    sim_world_place(fixture->world);
    fixture_particles(fixture);
    assert_at_least(narrowest(fixture), 0.05);
}

// Cloth that is thrown about by the motion is put back to its references, where the front gapes; the seam
// draws it together again.
static void test_closes_again_after_a_reset_teleport(void **state) {
    Fixture *fixture = *state;
    jacket(fixture, true);
    fixture_start(fixture, 60);
    fixture_play(fixture, true);
    fixture_steps(fixture, 30);
    SimTransform far = SIM_TRANSFORM_IDENTITY;
    far.position[0] = 50.0f;
    sim_character_move(fixture->world, fixture->character, &far, SIM_TELEPORT_RESET);
    for (int tick = 0; tick < 60; tick++) {
        sim_world_step(fixture->world);
        fixture_particles(fixture);
        assert_at_most(widest(fixture), 0.005);
    }
}

// Two bobs on strings of different lengths and weights, sewn together: they rest where the strings' circles
// meet, whatever the weights.
static void test_two_garments_meet_where_their_strings_do(void **state) {
    Fixture *fixture = *state;
    static const double lengths[2] = {0.3, 0.2};
    const double apart = 0.25;
    static SimGarmentDef garments[2];
    static float positions[2][2][3];
    static float found[2][2][3];
    fixture_sheet(fixture, 2, 1, 0.3f);
    for (int i = 0; i < 2; i++) {
        garments[i] = fixture->garment;
        garments[i].name = garments[i].bone_prefix = i ? "light" : "heavy";
        positions[i][0][0] = positions[i][1][0] = (float)(apart * i);
        positions[i][1][1] = (float)-lengths[i];
        garments[i].positions = (const float(*)[3])positions[i];
        garments[i].fabric = fixture_preset(i ? 2 : 0);
    }
    seam_def = sim_default_seam_def();
    seam_def.name = "bobs";
    seam_def.garments[1] = 1;
    seam_def.first_rows[0] = seam_def.first_rows[1] = 1;
    fixture->rig.seams = &seam_def;
    fixture->rig.seam_count = 1;
    fixture->rig.garments = garments;
    fixture->rig.garment_count = 2;
    fixture_start(fixture, 60);
    fixture_steps(fixture, 600);
    for (int i = 0; i < 2; i++) sim_garment_particles_model(fixture->world, fixture->character, i, found[i]);
    double x = (lengths[0] * lengths[0] - lengths[1] * lengths[1] + apart * apart) / (2.0 * apart);
    double y = -sqrt(lengths[0] * lengths[0] - x * x);
    for (int i = 0; i < 2; i++) {
        assert_near(found[i][1][0], x, 2e-4);
        assert_near(found[i][1][1], y, 2e-4);
        assert_near(fixture_distance(found[i][0], found[i][1]), lengths[i], 1e-5 * lengths[i]);
    }
}

// The subject's seam closes and opens; its neighbours' do so at other times or never.
static uint64_t run(const char *instruction_set, int company) {
    static Fixture fixture;
    SimCharacterId others[15];
    jacket(&fixture, false);
    fixture.garment.self_collision = 0.02f;
    fixture_start(&fixture, 60);
    if (instruction_set) assert_true(sim_world_use_instruction_set(fixture.world, instruction_set));
    for (int i = 0; i < company; i++) others[i] = fixture_another(&fixture);
    fixture_play(&fixture, true);
    uint64_t result = FIXTURE_HASH;
    for (int tick = 0; tick < 60; tick++) {
        for (int i = 0; i < company; i++)
            if ((tick + 7 * i) % 13 == 0)
                sim_seam_set_closed(fixture.world, others[i], 0, (tick + i) % 2 == 0);
        if (tick % 25 == 10) sim_seam_set_closed(fixture.world, fixture.character, 0, tick < 30);
        sim_world_step(fixture.world);
        fixture_particles(&fixture);
        result = fixture_hash(result, fixture.particles, sizeof(float[ROWS * COLUMNS][3]));
    }
    fixture_finish(&fixture);
    return result;
}

static void test_company_and_instruction_set_change_nothing(void **state) {
    (void)state;
    uint64_t alone = run(NULL, 0);
    assert_int_equal(run(NULL, 1), alone);
    const char *set;
    for (int i = 0; (set = fixture_instruction_set(i)); i++)
        assert_int_equal(run(set, SANITIZED ? 3 : 15), alone);
}

#define REFUSED(spoil, where, what)                                                                          \
    do {                                                                                                     \
        jacket(fixture, true);                                                                               \
        spoil;                                                                                               \
        assert_false(sim_validate_rig_def(&fixture->rig, &issue));                                           \
        assert_string_equal(issue.path, where);                                                              \
        assert_string_equal(issue.message, what);                                                            \
    } while (0)

static void test_mistakes(void **state) {
    Fixture *fixture = *state;
    static SimSeamDef two[2];
    SimIssue issue;
    REFUSED(seam_def.name = "", "seams[0].name", "expected 1 to 64 bytes without * ? [");
    REFUSED(seam_def.garments[1] = 1, "seams[0].garments[1]", "expected the index of a garment");
    REFUSED(seam_def.garments[0] = -1, "seams[0].garments[0]", "expected the index of a garment");
    REFUSED(seam_def.columns[0] = COLUMNS, "seams[0].columns[0]", "expected the index of a column");
    REFUSED(seam_def.columns[1] = -1, "seams[0].columns[1]", "expected the index of a column");
    REFUSED(seam_def.columns[1] = 0, "seams[0].columns[1]", "expected another column than the first");
    REFUSED(seam_def.first_rows[1] = ROWS, "seams[0].first_rows[1]", "expected the index of a row");
    REFUSED(seam_def.first_rows[0] = -1, "seams[0].first_rows[0]", "expected the index of a row");
    REFUSED(seam_def.row_count = 0, "seams[0].row_count",
            "expected 1 to as many rows as both columns have left");
    REFUSED(seam_def.row_count = ROWS, "seams[0].row_count",
            "expected 1 to as many rows as both columns have left");
    REFUSED((two[0] = two[1] = seam_def, fixture->rig.seams = two, fixture->rig.seam_count = 2),
            "seams[1].name", "is the name of another seam, too");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_closed_stays_closed),
        FIXTURE_TEST(test_open_changes_nothing),
        FIXTURE_TEST(test_closes_without_a_pop),
        FIXTURE_TEST(test_opens_and_is_reset),
        FIXTURE_TEST(test_closes_again_after_a_reset_teleport),
        FIXTURE_TEST(test_two_garments_meet_where_their_strings_do),
        cmocka_unit_test(test_company_and_instruction_set_change_nothing),
        FIXTURE_TEST(test_mistakes),
    };
    return cmocka_run_group_tests_name("sim seams", tests, NULL, NULL);
}
