// The shipped fabrics look alike at every tick rate: swing, damping, trail, and the pose in which they lie on
// a body. Sag has a program of its own.
//
// Rates that divide 240 have substeps of one length, so that what stands still is the same to the bit. Others
// have substeps of 1/216 to 1/320 s, and are close.
#include "measures.h"
#include "sanitized.h"
#include "swatches.h"

enum { ROWS = 7, COLUMNS = 5, PARTICLES = ROWS * COLUMNS };
#define CELL  0.06
#define SHARE 0.05 // by how much rates may differ

static const int dividing[] = {30, 240, 60, 120};
static const int others[] = {25, 144, 50, 72, 90, 160};
enum { DIVIDING = SANITIZED ? 2 : 4, OTHERS = SANITIZED ? 2 : 6 };

static SimFabric presets[FIXTURE_PRESETS];
static Swatches swatches;
static float lying[FIXTURE_PRESETS][PARTICLES][3];

// Swing: a sheet let go at 20 degrees; the time from the first to the third passage of its hem.
// -----------------------------------------------------------------------------------------------------------

static void swing(int tick_rate, double out_periods[FIXTURE_PRESETS]) {
    double before[FIXTURE_PRESETS] = {0}, first[FIXTURE_PRESETS] = {0};
    int passages[FIXTURE_PRESETS] = {0};
    fixture_sheet(&swatches.fixture, ROWS, COLUMNS, (float)CELL);
    swatches_tilt(&swatches, 0.35f);
    swatches_start(&swatches, presets, FIXTURE_PRESETS, tick_rate, swatch_no_damping);
    for (int tick = 1; tick <= 2 * tick_rate; tick++) {
        sim_world_step(swatches.fixture.world);
        for (int i = 0; i < FIXTURE_PRESETS; i++) {
            double now = (double)swatch_particles(&swatches, i)[PARTICLES - 3][2];
            if (tick > 1 && before[i] * now < 0.0 && passages[i]++ % 2 == 0) {
                double time = (tick - now / (now - before[i])) / tick_rate;
                if (passages[i] == 1) first[i] = time;
                if (passages[i] == 3) out_periods[i] = time - first[i];
            }
            before[i] = now;
        }
    }
    for (int i = 0; i < FIXTURE_PRESETS; i++) assert_true(passages[i] >= 3);
    fixture_finish(&swatches.fixture);
}

static void test_swing(void **state) {
    (void)state;
    double expected[FIXTURE_PRESETS], found[FIXTURE_PRESETS];
    swing(60, expected);
    // Between the periods of a bob on a thread and of a rod.
    for (int i = 0; i < FIXTURE_PRESETS; i++) {
        assert_at_most(expected[i], 2.0 * FIXTURE_PI * sqrt(CELL * (ROWS - 1) / 9.81));
        assert_at_least(expected[i], 0.8 * 2.0 * FIXTURE_PI * sqrt(2.0 / 3.0 * CELL * (ROWS - 1) / 9.81));
    }
    for (int k = 0; k < DIVIDING + OTHERS; k++) {
        swing(k < DIVIDING ? dividing[k] : others[k - DIVIDING], found);
        for (int i = 0; i < FIXTURE_PRESETS; i++) assert_near(found[i] / expected[i], 1.0, SHARE);
    }
}

// Damping: a free sheet without weight, after a push; its speed halves in ln 2 / c.
// -----------------------------------------------------------------------------------------------------------

static void test_damping_half_life(void **state) {
    (void)state;
    for (int k = 0; k < DIVIDING + OTHERS; k++) {
        double found[FIXTURE_PRESETS];
        measure_half_lives(presets, FIXTURE_PRESETS, k < DIVIDING ? dividing[k] : others[k - DIVIDING],
                           found);
        for (int i = 0; i < FIXTURE_PRESETS; i++) {
            SimFabric fabric = fixture_preset(i);
            assert_near(found[i] * (double)fabric.damping / log(2.0), 1.0, 0.01);
        }
    }
}

// Trail: a root at a steady 5 m/s; every link hangs back by atan(c share v / g).
// -----------------------------------------------------------------------------------------------------------

static void test_trail(void **state) {
    (void)state;
    for (int k = 0; k < DIVIDING + OTHERS; k++) {
        int tick_rate = k < DIVIDING ? dividing[k] : others[k - DIVIDING];
        fixture_sheet(&swatches.fixture, ROWS, COLUMNS, (float)CELL);
        swatches_start(&swatches, presets, FIXTURE_PRESETS, tick_rate, swatch_no_air);
        swatches_run(&swatches, 5.0f, 16);
        for (int i = 0; i < FIXTURE_PRESETS; i++) {
            SimFabric fabric = fixture_preset(i);
            const float(*x)[3] = swatch_particles(&swatches, i);
            double expected = atan((double)(fabric.damping * fabric.world_motion) * 5.0 / 9.81);
            for (int p = COLUMNS; p < PARTICLES; p++) {
                const float *upper = x[p - COLUMNS];
                double angle = atan2((double)(upper[2] - x[p][2]), (double)(upper[1] - x[p][1]));
                assert_near((angle - expected) * 180.0 / FIXTURE_PI, 0.0, 0.3);
            }
        }
        fixture_finish(&swatches.fixture);
    }
}

// The same with headwind and with edges that differ from the middle.
static void test_trail_in_air(void **state) {
    (void)state;
    double expected[FIXTURE_PRESETS], found[FIXTURE_PRESETS];
    measure_trails(presets, FIXTURE_PRESETS, 60, expected);
    for (int i = 0; i < FIXTURE_PRESETS; i++) assert_true(expected[i] > 2.0 && expected[i] < 90.0);
    for (int k = 0; k < DIVIDING; k++) {
        measure_trails(presets, FIXTURE_PRESETS, dividing[k], found);
        for (int i = 0; i < FIXTURE_PRESETS; i++) assert_near(found[i] / expected[i], 1.0, 1e-3);
    }
}

// Lying: a sheet that hangs against a ball, as it comes to rest with all that the preset is.
// -----------------------------------------------------------------------------------------------------------

static void lie(int tick_rate) {
    fixture_sheet(&swatches.fixture, ROWS, COLUMNS, (float)CELL);
    SimColliderDef *ball = fixture_add_collider(&swatches.fixture, SIM_COLLIDER_SPHERE, 0);
    ball->center[0] = 0.12f, ball->center[1] = -0.2f, ball->center[2] = 0.17f, ball->radius = 0.2f;
    swatches_start(&swatches, presets, FIXTURE_PRESETS, tick_rate, NULL);
    fixture_steps(&swatches.fixture, 12 * tick_rate);
}

static void test_lying_on_a_body(void **state) {
    (void)state;
    for (int k = 0; k < DIVIDING + OTHERS; k++) {
        lie(k < DIVIDING ? dividing[k] : others[k - DIVIDING]);
        for (int i = 0; i < FIXTURE_PRESETS; i++) {
            const float(*x)[3] = swatch_particles(&swatches, i);
            if (k == 0) memcpy(lying[i], x, sizeof lying[i]);
            if (k < DIVIDING) assert_memory_equal(lying[i], x, sizeof lying[i]);
            for (int p = 0; p < PARTICLES; p++) assert_at_most(fixture_distance(lying[i][p], x[p]), 3e-3);
        }
        fixture_finish(&swatches.fixture);
    }
}

int main(void) {
    for (int i = 0; i < FIXTURE_PRESETS; i++) presets[i] = fixture_preset(i);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swing),           cmocka_unit_test(test_damping_half_life),
        cmocka_unit_test(test_trail),           cmocka_unit_test(test_trail_in_air),
        cmocka_unit_test(test_lying_on_a_body),
    };
    return cmocka_run_group_tests_name("sim rates", tests, NULL, NULL);
}
