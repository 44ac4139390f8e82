// Self-collision: cloth that is folded onto itself does not pass through itself.
#include "crossings.h"
#include "sim_fixture.h"

enum { ROWS = 13, COLUMNS = 13, COUNT = ROWS * COLUMNS, TICKS = 240 };
#define CELL      0.03f
#define THICKNESS 0.024f

// A sheet that closes like a book: the bone of its right half turns about the middle column, and the wind
// presses the pages together.
static void book_to(Fixture *fixture, float thickness, double degrees, bool opens) {
    fixture_sheet(fixture, ROWS, COLUMNS, CELL);
    fixture->garment.fabric = fixture_preset(7);
    fixture->garment.self_collision = thickness;
    int page = fixture_add_bone(fixture, "page", 0, CELL * (COLUMNS / 2), 0.0f, 0.0f);
    for (int column = COLUMNS / 2 + 1; column < COLUMNS; column++) fixture->attach[column].bones[0] = page;
    fixture_add_clip(fixture, 60.0f, 121, false);
    for (int frame = 0; frame < 121; frame++) {
        float turn = (float)(FIXTURE_PI * degrees / 180.0) *
                     (0.5f - 0.5f * cosf((float)(FIXTURE_PI / 120.0) * (float)(opens ? 2 * frame : frame)));
        versor rotation = {0.0f, -sinf(turn / 2.0f), 0.0f, cosf(turn / 2.0f)};
        memcpy(fixture->clip_rotations[2 * frame + 1], rotation, sizeof rotation);
    }
    fixture->def.environment.wind = (SimWind){{0.0f, 0.0f, -2.0f}, 0.5f, 0.5f};
}

static void book(Fixture *fixture, float thickness) {
    book_to(fixture, thickness, 176.0, false);
}

static int crossings(const Fixture *fixture) {
    const SimGarmentInfo *garment = &sim_rig_info(fixture->world, fixture->rig_id)->garments[0];
    const float(*points)[3] = (const float(*)[3])fixture->particles;
    return crossings_count(garment, points, garment, points);
}

static void test_a_folded_sheet_keeps_out_of_itself(void **state) {
    Fixture *fixture = *state;
    for (int on = 0; on < 2; on++) {
        book(fixture, on ? THICKNESS : 0.0f);
        fixture_start(fixture, 60);
        fixture_play(fixture, false);
        double stretch = 0.0;
        int tangled = 0;
        for (int tick = 0; tick < TICKS; tick++) {
            sim_world_step(fixture->world);
            fixture_particles(fixture);
            stretch = fmax(stretch, fixture_stretch(fixture));
            tangled += crossings(fixture) > 0;
        }
        assert_at_most(stretch, 1e-5);
        assert_int_equal(sim_world_stats(fixture->world).unstable, 0);
        if (on)
            assert_at_most(tangled, 0.02 * TICKS);
        else
            assert_at_least(tangled, 0.5 * TICKS); // else there is nothing to see
        fixture_finish(fixture);
    }
}

// A book that is closed by 200 degrees is pulled through itself by its pins. When it opens again it comes
// free.
static void test_tangled_cloth_comes_free(void **state) {
    Fixture *fixture = *state;
    book_to(fixture, THICKNESS, 200.0, true);
    fixture_start(fixture, 60);
    fixture_play(fixture, false);
    int worst = 0;
    for (int tick = 0; tick < TICKS; tick++) {
        sim_world_step(fixture->world);
        fixture_particles(fixture);
        const int count = crossings(fixture);
        worst = count > worst ? count : worst;
        assert_at_most(fixture_stretch(fixture), 1e-5);
        if (tick >= 180) assert_int_equal(count, 0); // a second after it is open
    }
    assert_at_least(worst, 3);
}

// Without contacts not a bit changes.
static void test_far_from_itself_it_is_not_touched(void **state) {
    Fixture *fixture = *state;
    static float off[COUNT][3];
    for (int on = 0; on < 2; on++) {
        book(fixture, on ? 0.02f : 0.0f);
        fixture_start(fixture, 60);
        fixture_steps(fixture, 30);
        fixture_particles(fixture);
        if (!on) memcpy(off, fixture->particles, sizeof off);
        fixture_finish(fixture);
    }
    assert_memory_equal(off, fixture->particles, sizeof off);
}

// Two characters in one world move as each does alone.
static void test_company_changes_nothing(void **state) {
    Fixture *fixture = *state;
    static float alone[COUNT][3];
    for (int company = 0; company < 2; company++) {
        book(fixture, THICKNESS);
        memset(&fixture->def.environment.wind, 0, sizeof fixture->def.environment.wind);
        fixture_start(fixture, 60);
        SimCharacterId other = company ? fixture_another(fixture) : (SimCharacterId){0};
        fixture_play(fixture, false);
        fixture_steps(fixture, 150);
        fixture_particles(fixture);
        if (!company) memcpy(alone, fixture->particles, sizeof alone);
        if (company) assert_true(sim_character_exists(fixture->world, other));
        fixture_finish(fixture);
    }
    assert_memory_equal(alone, fixture->particles, sizeof alone);
}

// Each of nine books that close through themselves one after another moves as it does alone. Thick cloth has
// more contacts than there is room for in all of them together.
static void test_characters_of_a_group_change_nothing(void **state) {
    Fixture *fixture = *state;
    enum { BOOKS = 9, APART = 12, LAST = BOOKS * APART + 48 };
    static float together[BOOKS][COUNT][3];
    for (int thick = 0; thick < 2; thick++) {
        int tangled = 0;
        for (int alone = -1; alone < BOOKS; alone += thick ? 8 : 4) { // -1: none is
            book_to(fixture, thick ? 3.0f * THICKNESS : THICKNESS, 200.0, true);
            memset(&fixture->def.environment.wind, 0, sizeof fixture->def.environment.wind);
            fixture_start(fixture, 60);
            SimCharacterId books[BOOKS] = {fixture->character};
            for (int i = 1; i < BOOKS && alone < 0; i++) books[i] = fixture_another(fixture);
            for (int tick = 0; tick < LAST; tick++) {
                for (int i = alone < 0 ? 0 : alone; i <= (alone < 0 ? BOOKS - 1 : alone); i++) {
                    if (tick != i * APART) continue;
                    fixture->character = books[alone < 0 ? i : 0];
                    fixture_play(fixture, false);
                }
                sim_world_step(fixture->world);
            }
            for (int i = 0; i < BOOKS; i++) {
                if (alone >= 0 && i != alone) continue;
                fixture->character = books[alone < 0 ? i : 0];
                fixture_particles(fixture);
                if (alone >= 0)
                    assert_memory_equal(together[i], fixture->particles, sizeof together[i]);
                else
                    memcpy(together[i], fixture->particles, sizeof together[i]);
                tangled += crossings(fixture) > 0;
            }
            fixture_finish(fixture);
        }
        if (!thick) assert_at_least(tangled, 1); // else there is little to see
    }
}

// A character that is removed while its cloth crosses itself leaves its lane empty; the others go on.
static void test_removing_tangled_cloth_changes_nothing(void **state) {
    Fixture *fixture = *state;
    static float before[COUNT][3];
    for (int company = 0; company < 2; company++) {
        book_to(fixture, THICKNESS, 200.0, false);
        fixture_start(fixture, 60);
        const SimCharacterId stays = fixture->character;
        SimCharacterId others[4];
        for (int i = 0; i < 4; i++) others[i] = company ? fixture_another(fixture) : (SimCharacterId){0};
        for (int i = -1; i < 4 * company; i++) {
            fixture->character = i < 0 ? stays : others[i];
            fixture_play(fixture, false);
        }
        fixture_steps(fixture, 98);
        fixture_particles(fixture);
        assert_at_least(crossings(fixture), 1); // of the last one, else there is nothing to see
        for (int i = 0; i < 4 * company; i++) sim_character_destroy(fixture->world, others[i]);
        fixture->character = stays;
        fixture_steps(fixture, 30);
        fixture_particles(fixture);
        if (!company) memcpy(before, fixture->particles, sizeof before);
        fixture_finish(fixture);
    }
    assert_memory_equal(before, fixture->particles, sizeof before);
}

// The distance at rest is also that through a seam: round a tube that is sewn up, the rows of one side are as
// near to those of the other as within a column, and it stays as it is (some neighbours in a row touch).
static void test_a_seam_is_no_collision(void **state) {
    Fixture *fixture = *state;
    enum { TUBE = 4 * 13 };
    static float off[TUBE][3];
    SimSeamDef seam = sim_default_seam_def();
    seam.name = "tube";
    seam.columns[1] = 12;
    seam.row_count = 4;
    for (int on = 0; on < 2; on++) {
        fixture_sheet(fixture, 4, 13, 0.06f);
        for (int p = 0; p < TUBE; p++) {
            float turn = (float)(2.0 * FIXTURE_PI * (0.05 + 0.9 * (double)(p % 13) / 12.0));
            fixture->positions[p][0] = 0.16f * sinf(turn);
            fixture->positions[p][2] = 0.16f * cosf(turn);
        }
        fixture->garment.self_collision =
            on ? 0.0605f : 0.0f; // a link of a column is 0.06, one of a row 0.075
        fixture->rig.seams = &seam;
        fixture->rig.seam_count = 1;
        fixture_start(fixture, 240);
        fixture_steps(fixture, 3); // before its edges turn in
        fixture_particles(fixture);
        if (!on) memcpy(off, fixture->particles, sizeof off);
        for (int p = 13; p < TUBE; p += 13)
            assert_at_most(fixture_distance(fixture->particles[p], fixture->particles[p + 12]), 1e-4);
        fixture_finish(fixture);
    }
    assert_at_most(fixture_farthest(off, fixture->particles, TUBE), 1e-3);
}

static void test_mistakes(void **state) {
    Fixture *fixture = *state;
    static const float wrong[] = {-0.01f, 0.51f, NAN};
    SimIssue issue;
    for (int i = 0; i < 3; i++) {
        book(fixture, wrong[i]);
        assert_false(sim_validate_rig_def(&fixture->rig, &issue));
        assert_string_equal(issue.path, "garments[0].self_collision");
        assert_string_equal(issue.message, "expected 0 to 0.5 m");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_a_folded_sheet_keeps_out_of_itself),
        FIXTURE_TEST(test_tangled_cloth_comes_free),
        FIXTURE_TEST(test_far_from_itself_it_is_not_touched),
        FIXTURE_TEST(test_company_changes_nothing),
        FIXTURE_TEST(test_characters_of_a_group_change_nothing),
        FIXTURE_TEST(test_removing_tangled_cloth_changes_nothing),
        FIXTURE_TEST(test_a_seam_is_no_collision),
        FIXTURE_TEST(test_mistakes),
    };
    return cmocka_run_group_tests_name("sim self-collision", tests, NULL, NULL);
}
