// The shipped fabrics differ measurably from each other, in the order that textile sense expects.
#include "measures.h"
#include "swatches.h"

#define APART 0.15 // of the greater, in two measures at least
#define RANK  0.03 // by which a fabric of a higher rank is above those below it

static double cards[MEASURES][FIXTURE_PRESETS];

static int measure_all(void **state) {
    (void)state;
    SimFabric presets[FIXTURE_PRESETS];
    for (int i = 0; i < FIXTURE_PRESETS; i++) presets[i] = fixture_preset(i);
    for (int k = 0; k < MEASURES; k++) measures()[k].measure(presets, FIXTURE_PRESETS, 60, cards[k]);
    return 0;
}

static void test_every_pair_differs(void **state) {
    (void)state;
    for (int a = 0; a < FIXTURE_PRESETS; a++) {
        for (int b = 0; b < a; b++) {
            int apart = 0;
            for (int k = 0; k < MEASURES; k++)
                apart += fabs(cards[k][a] - cards[k][b]) > APART * fmax(cards[k][a], cards[k][b]);
            if (apart < 2)
                fail_msg("%s and %s differ in %d measures", fixture_preset_names[a], fixture_preset_names[b],
                         apart);
        }
    }
}

// The veil is the lightest and most damped, leather the stiffest and heaviest, rubber bounces longest.
static void test_order(void **state) {
    (void)state;
    static const int ranks[MEASURES][FIXTURE_PRESETS] = {
        // tweed, down, veil, silk, denim, leather, rubber, cotton
        [MEASURE_SAG] = {1, 1, 1, 1, 1, 1, 2, 1},       // but for rubber, cloth does not stretch
        [MEASURE_SETTLE] = {4, 1, 1, 1, 2, 5, 6, 3},    // as half-life, but the air holds the veil up
        [MEASURE_HALF_LIFE] = {6, 3, 1, 2, 4, 7, 8, 5}, // light and padded cloth is soon still
        [MEASURE_OVERHANG] = {4, 5, 1, 2, 6, 7, 6, 3},  // limp to stiff
        [MEASURE_FALL] = {4, 3, 1, 2, 4, 6, 5, 3},      // light to heavy; the filling slows the down
        [MEASURE_TRAIL] = {3, 4, 7, 6, 2, 1, 2, 5},     // heavy to light
    };
    for (int k = 0; k < MEASURES; k++)
        for (int a = 0; a < FIXTURE_PRESETS; a++)
            for (int b = 0; b < FIXTURE_PRESETS; b++)
                if (ranks[k][a] < ranks[k][b] && !(cards[k][a] < (1.0 - RANK) * cards[k][b]))
                    fail_msg("%s: %s has %g, %s %g", measures()[k].name, fixture_preset_names[a], cards[k][a],
                             fixture_preset_names[b], cards[k][b]);
}

// Hung by two edges, rubber stretches by a tenth, all others by less than 0.2 %.
static void test_only_rubber_stretches(void **state) {
    (void)state;
    for (int i = 0; i < FIXTURE_PRESETS; i++) {
        double sag = cards[MEASURE_SAG][i] / 0.96, stretch = 8.0 / 3.0 * sag * sag; // a flat parabola's
        if (strcmp(fixture_preset_names[i], "rubber") == 0)
            assert_at_least(stretch, 0.09);
        else
            assert_at_most(stretch, 0.002);
    }
}

// Peirce's bending length is half of the overhang; strips of six cells stand out a little less.
static void test_overhang_is_twice_the_drape_length(void **state) {
    (void)state;
    for (int i = 0; i < FIXTURE_PRESETS; i++) {
        const double drape = (double)fixture_preset(i).drape;
        assert_near(cards[MEASURE_OVERHANG][i] / (2.0 * drape), 0.95, 0.04);
    }
}

// Limits of the measures: a fabric without bending stiffness or far too much, and one without damping.
static void test_extremes(void **state) {
    (void)state;
    SimFabric fabrics[2] = {sim_default_fabric(), sim_default_fabric()};
    double found[2];
    fabrics[0].drape = 0.0f, fabrics[1].drape = 1.0f;
    measure_overhangs(fabrics, 2, 60, found);
    assert_true(found[0] == 0.0 && found[1] == HUGE_VAL);
    swatch_no_damping(&fabrics[0]);
    measure_half_lives(fabrics, 2, 60, found);
    assert_true(found[0] > 1e3);
    assert_near(found[1], log(2.0) / (double)fabrics[1].damping, 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pair_differs),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_only_rubber_stretches),
        cmocka_unit_test(test_overhang_is_twice_the_drape_length),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests_name("sim cards", tests, measure_all, NULL);
}
