// Slits: cloth that is cut all the way up moves as two garments, bone for bone, and nothing joins its parts.
// Where one lies over the other it stays outside.
#include "sim_fixture.h"

enum { ROWS = 7, LEFT = 4, RIGHT = 5, COLUMNS = LEFT + RIGHT, TICKS = 120 };

#define THICKNESS 0.005 // m

static const SimSlit from_top = {LEFT - 1, 1, SIM_SIDE_LEFT}, half_way = {LEFT - 1, 4, SIM_SIDE_LEFT};

// A sheet in a gusty wind from the side, slit or not.
static void sheet(Fixture *fixture, int columns, const SimSlit *slit) {
    fixture_sheet(fixture, ROWS, columns, 0.06f);
    fixture->garment.slits = slit;
    fixture->garment.slit_count = slit ? 1 : 0;
    fixture->garment.fabric = fixture_preset(0);
    fixture->def.environment.wind = (SimWind){{1.0f, 0.0f, 3.0f}, 0.5f, 0.8f};
}

static void run(Fixture *fixture, int rate) {
    fixture_start(fixture, rate);
    fixture_steps(fixture, TICKS);
    fixture_particles(fixture);
}

// The largest distance between a part of the whole, from a column on, and a sheet of its own.
static double apart(const Fixture *whole, int first, const Fixture *part, int columns) {
    double worst = 0.0;
    for (int p = 0; p < ROWS * columns; p++) {
        const int of_whole = p / columns * COLUMNS + first + p % columns;
        worst = fmax(worst, fixture_distance(whole->particles[of_whole], part->particles[p]));
    }
    return worst;
}

// But for the share of its step that the whole takes as one (kernel/passive.h).
static void test_parts_are_garments_of_their_own(void **state) {
    (void)state;
    static Fixture whole, left, right;
    static const int rates[] = {30, 60, 120, 240};
    for (int i = 0; i < 4; i++) {
        sheet(&whole, COLUMNS, &from_top);
        sheet(&left, LEFT, NULL);
        sheet(&right, RIGHT, NULL);
        for (int p = 0; p < ROWS * RIGHT; p++) right.positions[p][0] += LEFT * 0.06f;
        run(&whole, rates[i]);
        run(&left, rates[i]);
        run(&right, rates[i]);
        assert_at_most(apart(&whole, 0, &left, LEFT), 5e-4);
        assert_at_most(apart(&whole, LEFT, &right, RIGHT), 5e-4);
        assert_at_most(fixture_stretch(&whole), 1e-5);
        fixture_finish(&whole), fixture_finish(&left), fixture_finish(&right);
    }
}

// The rows above the slit hold together; below, the wind parts its edges.
static void test_parts_below_its_row_only(void **state) {
    Fixture *fixture = *state;
    sheet(fixture, COLUMNS, &half_way);
    run(fixture, 60);
    double above = 0.0, below = 0.0;
    for (int row = 1; row < ROWS; row++) {
        const int edge = row * COLUMNS + LEFT - 1;
        double *worst = row < half_way.row ? &above : &below;
        *worst = fmax(*worst, fixture_distance(fixture->particles[edge], fixture->particles[edge + 1]));
    }
    assert_at_most(above, 0.062);
    assert_at_least(below, 0.07);
}

static void test_no_cloth_in_a_slit(void **state) {
    Fixture *fixture = *state;
    sheet(fixture, COLUMNS, &half_way);
    fixture_start(fixture, 60);
    const SimGarmentInfo *garment = &sim_rig_info(fixture->world, fixture->rig_id)->garments[0];
    assert_int_equal(garment->slit_count, 1);
    assert_memory_equal(garment->slits, &half_way, sizeof half_way);
    assert_int_equal(garment->triangle_count, 2 * ((ROWS - 1) * (COLUMNS - 1) - (ROWS - half_way.row)));
    for (int i = 0; i < garment->triangle_count; i++) {
        int first = COLUMNS, last = 0, lowest = 0;
        for (int k = 0; k < 3; k++) {
            const int row = garment->triangles[i][k] / COLUMNS, column = garment->triangles[i][k] % COLUMNS;
            first = column < first ? column : first, last = column > last ? column : last;
            lowest = row > lowest ? row : lowest;
        }
        assert_false(first == half_way.column && last == half_way.column + 1 && lowest >= half_way.row);
    }
}

// Beside the slit a bone's y is that of the cloth's edge: it does not reach across.
static void test_bones_do_not_reach_across(void **state) {
    (void)state;
    static Fixture whole, left;
    sheet(&whole, COLUMNS, &from_top);
    sheet(&left, LEFT, NULL);
    run(&whole, 60);
    run(&left, 60);
    const int bones = sim_rig_info(left.world, left.rig_id)->bone_count - 1;
    const mat4 *of_whole = sim_character_bones_model(whole.world, whole.character);
    const mat4 *of_left = sim_character_bones_model(left.world, left.character);
    for (int i = LEFT; i < bones; i++) { // without the first row, which is joined
        const float *found = of_whole[1 + i / LEFT * COLUMNS + i % LEFT][1];
        assert_near(fixture_distance(found, of_left[1 + i][1]), 0.0, 5e-4);
    }
    fixture_finish(&whole), fixture_finish(&left);
}

// A sheet of which the right part hangs where the left one does, one and a half cells over it, in still air.
static void hang_over(Fixture *fixture, const SimSlit *slit) {
    sheet(fixture, COLUMNS, slit);
    fixture->def.environment.wind = (SimWind){0};
    fixture->garment.fabric.thickness = (float)THICKNESS;
    for (int p = 0; p < ROWS * COLUMNS; p++)
        if (p % COLUMNS >= LEFT) fixture->positions[p][0] -= 2.5f * 0.06f;
}

// m, how far a particle of the left side is outside of the right side, at its row: its outside is at +z.
static double outside(const Fixture *fixture, int row, int column) {
    const float *p = fixture->particles[row * COLUMNS + column];
    for (int k = LEFT; k + 1 < COLUMNS; k++) {
        const float *a = fixture->particles[row * COLUMNS + k],
                    *b = fixture->particles[row * COLUMNS + k + 1];
        const float share = (p[0] - a[0]) / (b[0] - a[0]);
        if (share >= 0.0f && share <= 1.0f) return (double)(p[2] - a[2] - share * (b[2] - a[2]));
    }
    return NAN;
}

// The side that lies over the other one is two thicknesses outside of it, one of each, and still.
static void test_one_side_lies_over_the_other(void **state) {
    static const int rates[] = {30, 60, 120, 240};
    for (int i = 0; i < 8; i++) {
        Fixture *fixture = *state;
        const SimSlit slit = {LEFT - 1, 1, i < 4 ? SIM_SIDE_LEFT : SIM_SIDE_RIGHT};
        hang_over(fixture, &slit);
        fixture_start(fixture, rates[i % 4]);
        fixture_steps(fixture, 5 * rates[i % 4]);
        const double way = fixture_way_of_a_tick(fixture);
        assert_at_most(way * rates[i % 4], 5e-3); // m/s
        fixture_particles(fixture);
        for (int row = 1; row < ROWS; row++)
            for (int column = LEFT - 2; column < LEFT; column++) // all that are over the other side
                assert_near(outside(fixture, row, column) * (i < 4 ? 1.0 : -1.0), 2.0 * THICKNESS,
                            0.2 * THICKNESS);
        assert_at_most(fixture_stretch(fixture), 1e-5);
        if (i < 7) fixture_finish(fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_are_garments_of_their_own),
        FIXTURE_TEST(test_parts_below_its_row_only),
        FIXTURE_TEST(test_no_cloth_in_a_slit),
        cmocka_unit_test(test_bones_do_not_reach_across),
        FIXTURE_TEST(test_one_side_lies_over_the_other),
    };
    return cmocka_run_group_tests_name("slits", tests, NULL, NULL);
}
