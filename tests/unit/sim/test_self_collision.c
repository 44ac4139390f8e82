// Self-collision: cloth that is folded onto itself keeps its distance.
#include "sim_fixture.h"

enum { ROWS = 13, COLUMNS = 13, COUNT = ROWS * COLUMNS, TICKS = 240 };
#define CELL      0.03f
#define THICKNESS 0.024f

// A sheet that closes like a book: the bone of its right half turns by 176 degrees about the middle column,
// and the wind presses the pages together.
static void book(Fixture *fixture, float thickness) {
    fixture_sheet(fixture, ROWS, COLUMNS, CELL);
    fixture->garment.fabric = fixture_preset(7);
    fixture->garment.self_collision = thickness;
    int page = fixture_add_bone(fixture, "page", 0, CELL * (COLUMNS / 2), 0.0f, 0.0f);
    for (int column = COLUMNS / 2 + 1; column < COLUMNS; column++) fixture->attach[column].bones[0] = page;
    fixture_add_clip(fixture, 60.0f, 121, false);
    for (int frame = 0; frame < 121; frame++) {
        float turn = (float)(FIXTURE_PI * 176.0 / 180.0) *
                     (0.5f - 0.5f * cosf((float)(FIXTURE_PI / 120.0) * (float)frame));
        versor rotation = {0.0f, -sinf(turn / 2.0f), 0.0f, cosf(turn / 2.0f)};
        memcpy(fixture->clip_rotations[2 * frame + 1], rotation, sizeof rotation);
    }
    fixture->def.environment.wind = (SimWind){{0.0f, 0.0f, -2.0f}, 0.5f, 0.5f};
}

typedef struct Nearness {
    int pairs,
        near; // pairs of particles that are farther than the thickness at rest; those that are nearer now
    double nearest; // m
} Nearness;

// Of the particles read last. Pinned ones are where their bones put them.
static void look(const Fixture *fixture, float thickness, Nearness *sum) {
    for (int p = COLUMNS; p < COUNT; p++)
        for (int q = p + 1; q < COUNT; q++) {
            if (fixture_distance(fixture->positions[p], fixture->positions[q]) < (double)thickness) continue;
            double distance = fixture_distance(fixture->particles[p], fixture->particles[q]);
            if (distance > 1.5 * (double)thickness) continue; // those that matter: about to touch
            sum->pairs++;
            sum->near += distance < 0.98 * (double)thickness;
            sum->nearest = fmin(sum->nearest, distance);
        }
}

static void test_a_folded_sheet_keeps_apart(void **state) {
    (void)state;
    static Fixture fixture;
    for (int on = 0; on < 2; on++) {
        Nearness found = {.nearest = HUGE_VAL};
        book(&fixture, on ? THICKNESS : 0.0f);
        fixture_start(&fixture, 60);
        fixture_play(&fixture, false);
        double stretch = 0.0;
        for (int tick = 0; tick < TICKS; tick++) {
            sim_world_step(fixture.world);
            fixture_particles(&fixture);
            look(&fixture, THICKNESS, &found);
            stretch = fmax(stretch, fixture_stretch(&fixture));
        }
        double share = (double)found.near / (double)found.pairs;
        assert_at_most(stretch, 1e-5);
        assert_int_equal(sim_world_stats(fixture.world).unstable, 0);
        if (on) {
            assert_at_most(share, 0.02);
            assert_at_least(found.nearest, 0.7 * (double)THICKNESS);
        } else {
            assert_at_least(share, 0.05); // else there is nothing to see
        }
        fixture_finish(&fixture);
    }
}

// Without contacts not a bit changes.
static void test_far_from_itself_it_is_not_touched(void **state) {
    (void)state;
    static Fixture fixture;
    static float off[COUNT][3];
    for (int on = 0; on < 2; on++) {
        book(&fixture, on ? 0.02f : 0.0f);
        fixture_start(&fixture, 60);
        fixture_steps(&fixture, 30);
        fixture_particles(&fixture);
        if (!on) memcpy(off, fixture.particles, sizeof off);
        fixture_finish(&fixture);
    }
    assert_memory_equal(off, fixture.particles, sizeof off);
}

// Two characters in one world move as each does alone.
static void test_company_changes_nothing(void **state) {
    (void)state;
    static Fixture fixture;
    static float alone[COUNT][3];
    for (int company = 0; company < 2; company++) {
        book(&fixture, THICKNESS);
        memset(&fixture.def.environment.wind, 0, sizeof fixture.def.environment.wind);
        fixture_start(&fixture, 60);
        SimCharacterId other = company ? fixture_another(&fixture) : (SimCharacterId){0};
        fixture_play(&fixture, false);
        fixture_steps(&fixture, 150);
        fixture_particles(&fixture);
        if (!company) memcpy(alone, fixture.particles, sizeof alone);
        if (company) assert_true(sim_character_exists(fixture.world, other));
        fixture_finish(&fixture);
    }
    assert_memory_equal(alone, fixture.particles, sizeof alone);
}

// The distance at rest is also that through a seam: round a tube that is sewn up, the rows of one side are as
// near to those of the other as within a column, and it stays as it is (some neighbours in a row touch).
static void test_a_seam_is_no_collision(void **state) {
    (void)state;
    enum { TUBE = 4 * 13 };
    static Fixture fixture;
    static float off[TUBE][3];
    SimSeamDef seam = sim_default_seam_def();
    seam.name = "tube";
    seam.columns[1] = 12;
    seam.row_count = 4;
    for (int on = 0; on < 2; on++) {
        fixture_sheet(&fixture, 4, 13, 0.06f);
        for (int p = 0; p < TUBE; p++) {
            float turn = (float)(2.0 * FIXTURE_PI * (0.05 + 0.9 * (double)(p % 13) / 12.0));
            fixture.positions[p][0] = 0.16f * sinf(turn);
            fixture.positions[p][2] = 0.16f * cosf(turn);
        }
        fixture.garment.self_collision =
            on ? 0.0605f : 0.0f; // a link of a column is 0.06, one of a row 0.075
        fixture.rig.seams = &seam;
        fixture.rig.seam_count = 1;
        fixture_start(&fixture, 240);
        fixture_steps(&fixture, 3); // before its edges turn in
        fixture_particles(&fixture);
        if (!on) memcpy(off, fixture.particles, sizeof off);
        for (int p = 13; p < TUBE; p += 13)
            assert_at_most(fixture_distance(fixture.particles[p], fixture.particles[p + 12]), 1e-4);
        fixture_finish(&fixture);
    }
    assert_at_most(fixture_farthest(off, fixture.particles, TUBE), 1e-3);
}

static void test_mistakes(void **state) {
    (void)state;
    static Fixture fixture;
    static const float wrong[] = {-0.01f, 0.51f, NAN};
    SimIssue issue;
    for (int i = 0; i < 3; i++) {
        book(&fixture, wrong[i]);
        assert_false(sim_validate_rig_def(&fixture.rig, &issue));
        assert_string_equal(issue.path, "garments[0].self_collision");
        assert_string_equal(issue.message, "expected 0 to 0.5 m");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_folded_sheet_keeps_apart),
        cmocka_unit_test(test_far_from_itself_it_is_not_touched),
        cmocka_unit_test(test_company_changes_nothing),
        cmocka_unit_test(test_a_seam_is_no_collision),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests_name("sim self-collision", tests, NULL, NULL);
}
