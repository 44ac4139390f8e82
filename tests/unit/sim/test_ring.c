// A closed garment: rows are solved as rings, so the seam shows nowhere. And soft columns.
#include "sim_fixture.h"

enum { ROWS = 8, COLUMNS = 24 };
#define CELL 0.05f

// A skirt about the y axis. Columns run so that the bones' z points outwards: in front, at +z, towards +x.
// The first column is `further` columns further round.
static void skirt(Fixture *fixture, int first) {
    fixture_sheet(fixture, ROWS, COLUMNS, CELL);
    for (int p = 0; p < ROWS * COLUMNS; p++) {
        double turn = 2.0 * FIXTURE_PI * (p % COLUMNS + first) / COLUMNS;
        fixture->positions[p][0] = (float)(0.2 * sin(turn));
        fixture->positions[p][2] = (float)(0.2 * cos(turn));
    }
    fixture->garment.closed = true;
}

// The largest relative errors of row links, longer and shorter; of the seam's links or of all others.
typedef struct RowStrain {
    double longer, shorter;
} RowStrain;

static RowStrain row_strain(Fixture *fixture, bool seam) {
    RowStrain worst = {0.0, 0.0};
    const float(*x)[3] = fixture_particles(fixture);
    for (int p = 0; p < ROWS * COLUMNS; p++) {
        if ((p % COLUMNS == COLUMNS - 1) != seam) continue;
        int next = p / COLUMNS * COLUMNS + (p + 1) % COLUMNS;
        double share = fixture_distance(x[p], x[next]) /
                       fixture_distance(fixture->positions[p], fixture->positions[next]);
        worst.longer = fmax(worst.longer, share - 1.0), worst.shorter = fmax(worst.shorter, 1.0 - share);
    }
    return worst;
}

// Tilted, with the largest stretch number there is: no link of a row gives way, and the seam no more than the
// others. (Columns are solved after the rows, so rows are a little shorter where both fold.)
static void test_rows_are_closed(void **state) {
    Fixture *fixture = *state;
    skirt(fixture, 0);
    fixture->garment.fabric.stretch = 1e6f;
    fixture->def.environment.gravity_world[0] = 3.0f;
    fixture->def.environment.gravity_world[2] = 3.0f;
    fixture_start(fixture, 60);
    for (int tick = 0; tick < 240; tick++) {
        sim_world_step(fixture->world);
        for (int seam = 0; seam < 2; seam++) {
            RowStrain strain = row_strain(fixture, seam);
            assert_at_most(strain.longer, 1e-3);
            assert_at_most(strain.shorter, 1e-2);
        }
        assert_at_most(fixture_stretch(fixture), 1e-5);
    }
}

// The solver does not depend on which column is first: without sweeps, which have an order, the same skirt
// numbered from another column moves alike.
static void test_the_seam_is_nowhere(void **state) {
    (void)state;
    static Fixture rings[2];
    const int further = 7;
    for (int i = 0; i < 2; i++) {
        skirt(&rings[i], i ? further : 0);
        rings[i].garment.fabric.shear = rings[i].garment.fabric.drape = 0.0f;
        rings[i].def.environment.gravity_world[0] = 4.0f;
        rings[i].def.environment.gravity_world[2] = -2.0f;
        fixture_start(&rings[i], 60);
    }
    double moved = 0.0;
    for (int tick = 0; tick < 45; tick++) {
        sim_world_step(rings[0].world);
        sim_world_step(rings[1].world);
        const float(*one)[3] = fixture_particles(&rings[0]), (*other)[3] = fixture_particles(&rings[1]);
        for (int p = 0; p < ROWS * COLUMNS; p++) {
            int same = p / COLUMNS * COLUMNS + (p + COLUMNS - further) % COLUMNS;
            assert_at_most(fixture_distance(one[p], other[same]), 2e-4);
            moved = fmax(moved, fixture_distance(one[p], rings[0].positions[p]));
        }
    }
    assert_at_least(moved, 0.05);
    fixture_finish(&rings[0]);
    fixture_finish(&rings[1]);
}

// The same cloth gapes when it is open.
static void test_an_open_one_opens(void **state) {
    Fixture *fixture = *state;
    skirt(fixture, 0);
    fixture->garment.closed = false;
    fixture->def.environment.gravity_world[2] = 4.0f;
    fixture_start(fixture, 60);
    fixture_steps(fixture, 120);
    assert_at_least(row_strain(fixture, true).longer, 0.1);
    assert_at_most(row_strain(fixture, false).longer, 0.01);
}

static void test_bones_and_triangles_wrap(void **state) {
    Fixture *fixture = *state;
    skirt(fixture, 0);
    fixture_start(fixture, 60);
    const SimRigInfo *rig = sim_rig_info(fixture->world, fixture->rig_id);
    const SimGarmentInfo *garment = &rig->garments[0];
    assert_true(garment->closed);
    assert_int_equal(garment->bone_count, (ROWS - 1) * COLUMNS);
    assert_int_equal(garment->triangle_count, 2 * (ROWS - 1) * COLUMNS);
    const mat4 *bones = sim_character_bones_model(fixture->world, fixture->character);
    for (int i = 0; i < garment->bone_count; i++) {
        const float *x = fixture->positions[garment->bones[i].particle];
        const vec4 *bone = bones[garment->bones[i].bone];
        for (int axis = 0; axis < 3; axis++) { // down, along the ring, outwards: on the seam as anywhere
            float expected[3] = {axis == 1   ? x[2] / 0.2f
                                 : axis == 2 ? x[0] / 0.2f
                                             : 0.0f,
                                 axis == 0 ? -1.0f : 0.0f,
                                 axis == 1   ? -x[0] / 0.2f
                                 : axis == 2 ? x[2] / 0.2f
                                             : 0.0f};
            for (int k = 0; k < 3; k++) assert_near(bone[axis][k], expected[k], 1e-5);
        }
    }
    // z points outwards: each triangle's normal points away from the axis, also across the seam.
    int over_the_seam = 0;
    for (int i = 0; i < garment->triangle_count; i++) {
        const float *a = fixture->positions[garment->triangles[i][0]],
                    *b = fixture->positions[garment->triangles[i][1]],
                    *c = fixture->positions[garment->triangles[i][2]];
        float nx = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]);
        float nz = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        assert_true(nx * (a[0] + b[0] + c[0]) + nz * (a[2] + b[2] + c[2]) > 0.0f);
        bool first = false, last = false;
        for (int k = 0; k < 3; k++) {
            first = first || garment->triangles[i][k] % COLUMNS == 0;
            last = last || garment->triangles[i][k] % COLUMNS == COLUMNS - 1;
        }
        over_the_seam += first && last;
    }
    assert_int_equal(over_the_seam, 2 * (ROWS - 1));
}

// A ring of soft cloth comes to rest under its weight: no energy is added.
static void test_a_skirt_comes_to_rest(void **state) {
    Fixture *fixture = *state;
    static float before[ROWS * COLUMNS][3];
    skirt(fixture, 0);
    fixture_start(fixture, 60);
    fixture_steps(fixture, 300);
    memcpy(before, fixture_particles(fixture), sizeof before);
    fixture_steps(fixture, 60);
    fixture_particles(fixture);
    for (int p = 0; p < ROWS * COLUMNS; p++)
        assert_at_most(fixture_distance(before[p], fixture->particles[p]), 1e-3);
}

// Where the fabric's limit is above 0 the columns are soft, within that limit.
static void test_soft_columns_keep_their_limit(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, 9, 7, 0.06f);
    fixture->garment.fabric = fixture_preset(6);
    fixture->def.environment.gravity_world[1] = -60.0f;
    fixture->def.environment.wind = (SimWind){{0.0f, 15.0f, 15.0f}, 0.5f, 0.5f};
    fixture_start(fixture, 60);
    double shortest = HUGE_VAL, longest = 0.0;
    for (int tick = 0; tick < 240; tick++) {
        sim_world_step(fixture->world);
        const float(*x)[3] = fixture_particles(fixture);
        for (int p = 7; p < 63; p++) {
            double share = fixture_distance(x[p - 7], x[p]) / (double)0.06f;
            shortest = fmin(shortest, share), longest = fmax(longest, share);
        }
    }
    assert_near(longest, 1.15, 1e-4); // it is pulled that far, and no farther
    assert_at_least(shortest, 0.85 - 1e-4);
}

// Within the limit they stretch as their number says: the k-th link from below carries k - 1/2 cells'
// weight, K strain.
static void test_soft_columns_stretch_by_their_number(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, 9, 7, 0.06f);
    fixture_vacuum(fixture);
    fixture->garment.fabric.stretch = 60.0f;
    fixture->garment.fabric.limit = 0.3f;
    fixture->garment.fabric.damping = 8.0f;
    fixture->garment.fabric.shear = 0.0f;
    fixture_start(fixture, 60);
    fixture_steps(fixture, 360);
    const float(*x)[3] = fixture_particles(fixture);
    for (int p = 7; p < 63; p++) {
        double below = 8.5 - p / 7; // cells of weight, each 0.06 m
        double expected = 1.0 + 0.40 * 9.81 * 0.06 * below / 60.0;
        assert_near(fixture_distance(x[p - 7], x[p]) / (double)0.06f, expected, 1e-3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_rows_are_closed),
        cmocka_unit_test(test_the_seam_is_nowhere),
        FIXTURE_TEST(test_an_open_one_opens),
        FIXTURE_TEST(test_bones_and_triangles_wrap),
        FIXTURE_TEST(test_a_skirt_comes_to_rest),
        FIXTURE_TEST(test_soft_columns_keep_their_limit),
        FIXTURE_TEST(test_soft_columns_stretch_by_their_number),
    };
    return cmocka_run_group_tests_name("sim ring", tests, NULL, NULL);
}
