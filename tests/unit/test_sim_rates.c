// The shipped fabrics look alike at every tick rate: swing, damping, trail, and the pose in which they lie on
// a body. Sag has a program of its own.
//
// Rates that divide 240 have substeps of one length, so that what stands still is the same to the bit. Others
// have substeps of 1/216 to 1/320 s, and are close.
#include "sim_fixture.h"

enum { ROWS = 7, COLUMNS = 5, PARTICLES = ROWS * COLUMNS };
#define CELL  0.06
#define SHARE 0.05 // by how much rates may differ

static const int dividing[] = {30, 60, 120, 240};
static const int others[] = {25, 50, 72, 90, 144, 160};
enum { DIVIDING = 4, OTHERS = 6 };

static Fixture fixture;
static SimCharacterId characters[FIXTURE_PRESETS];
static float lying[FIXTURE_PRESETS][PARTICLES][3];

// All presets side by side, changed by the caller's function.
static void start(int tick_rate, void (*change)(SimFabric *fabric)) {
    fixture_start(&fixture, tick_rate);
    for (int i = 0; i < FIXTURE_PRESETS; i++) {
        SimFabric fabric = fixture_preset(i);
        if (change) change(&fabric);
        characters[i] = i ? fixture_another(&fixture) : fixture.character;
        sim_garment_set_fabric(fixture.world, characters[i], 0, &fabric, false);
    }
    sim_world_place(fixture.world);
}

static float (*particles_of(int preset))[3] {
    static float particles[PARTICLES][3];
    sim_garment_particles_model(fixture.world, characters[preset], 0, particles);
    return particles;
}

static void no_air(SimFabric *fabric) {
    fabric->wind = 0.0f;
    fabric->edge = (SimFabricEdge){1.0f, 1.0f, 1.0f, 1.0f};
}

static void no_damping(SimFabric *fabric) {
    no_air(fabric);
    fabric->damping = 0.0f;
}

// Swing: a sheet let go at 20 degrees; the time from the first to the third passage of its hem.
// -----------------------------------------------------------------------------------------------------------

static void swing(int tick_rate, double out_periods[FIXTURE_PRESETS]) {
    double before[FIXTURE_PRESETS] = {0}, first[FIXTURE_PRESETS] = {0};
    int passages[FIXTURE_PRESETS] = {0};
    fixture_sheet(&fixture, ROWS, COLUMNS, (float)CELL);
    for (int p = 0; p < PARTICLES; p++) {
        float down = -fixture.positions[p][1];
        fixture.positions[p][1] = -down * cosf(0.35f), fixture.positions[p][2] = down * sinf(0.35f);
    }
    start(tick_rate, no_damping);
    for (int tick = 1; tick <= 2 * tick_rate; tick++) {
        sim_world_step(fixture.world);
        for (int i = 0; i < FIXTURE_PRESETS; i++) {
            double now = (double)particles_of(i)[PARTICLES - 3][2];
            if (tick > 1 && before[i] * now < 0.0 && passages[i]++ % 2 == 0) {
                double time = (tick - now / (now - before[i])) / tick_rate;
                if (passages[i] == 1) first[i] = time;
                if (passages[i] == 3) out_periods[i] = time - first[i];
            }
            before[i] = now;
        }
    }
    for (int i = 0; i < FIXTURE_PRESETS; i++) assert_true(passages[i] >= 3);
    fixture_finish(&fixture);
}

static void test_swing(void **state) {
    (void)state;
    double expected[FIXTURE_PRESETS], found[FIXTURE_PRESETS];
    swing(60, expected);
    // Between a pendulum's on a thread and a rod's.
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

static void half_lives(int tick_rate, double out[FIXTURE_PRESETS]) {
    double places[3][FIXTURE_PRESETS];
    fixture_sheet(&fixture, ROWS, COLUMNS, (float)CELL);
    fixture_unpin(&fixture);
    start(tick_rate, no_air);
    SimEnvironment environment = *sim_world_environment(fixture.world);
    for (int push = 0; push < 2; push++) {
        environment.gravity_world[0] = push ? 0.0f : 9.81f, environment.gravity_world[1] = 0.0f;
        sim_world_set_environment(fixture.world, &environment);
        if (!push) fixture_steps(&fixture, tick_rate / 5);
    }
    int ticks = tick_rate / 15 + 1; // the way in two equal times
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < FIXTURE_PRESETS; i++) places[k][i] = (double)particles_of(i)[PARTICLES / 2][0];
        fixture_steps(&fixture, ticks);
    }
    for (int i = 0; i < FIXTURE_PRESETS; i++)
        out[i] =
            log(2.0) * ticks / tick_rate / log((places[1][i] - places[0][i]) / (places[2][i] - places[1][i]));
    fixture_finish(&fixture);
}

static void test_damping_half_life(void **state) {
    (void)state;
    for (int k = 0; k < DIVIDING + OTHERS; k++) {
        double found[FIXTURE_PRESETS];
        half_lives(k < DIVIDING ? dividing[k] : others[k - DIVIDING], found);
        for (int i = 0; i < FIXTURE_PRESETS; i++) {
            SimFabric fabric = fixture_preset(i);
            assert_near(found[i] * (double)fabric.damping / log(2.0), 1.0, 0.01);
        }
    }
}

// Trail: a root at a steady 5 m/s; every link hangs back by atan(c share v / g).
// -----------------------------------------------------------------------------------------------------------

static void run(int tick_rate, float speed, int seconds) {
    SimTransform root = SIM_TRANSFORM_IDENTITY;
    for (int tick = 1; tick <= seconds * tick_rate; tick++) {
        root.position[2] = speed * (float)tick / (float)tick_rate;
        for (int i = 0; i < FIXTURE_PRESETS; i++)
            sim_character_move(fixture.world, characters[i], &root, SIM_TELEPORT_NONE);
        sim_world_step(fixture.world);
    }
}

static void test_trail(void **state) {
    (void)state;
    for (int k = 0; k < DIVIDING + OTHERS; k++) {
        int tick_rate = k < DIVIDING ? dividing[k] : others[k - DIVIDING];
        fixture_sheet(&fixture, ROWS, COLUMNS, (float)CELL);
        start(tick_rate, no_air);
        run(tick_rate, 5.0f, 16);
        for (int i = 0; i < FIXTURE_PRESETS; i++) {
            SimFabric fabric = fixture_preset(i);
            float(*x)[3] = particles_of(i);
            double expected = atan((double)(fabric.damping * fabric.world_motion) * 5.0 / 9.81);
            for (int p = COLUMNS; p < PARTICLES; p++) {
                const float *upper = x[p - COLUMNS];
                double angle = atan2((double)(upper[2] - x[p][2]), (double)(upper[1] - x[p][1]));
                assert_near((angle - expected) * 180.0 / FIXTURE_PI, 0.0, 0.3);
            }
        }
        fixture_finish(&fixture);
    }
}

// With the headwind, and edges that are livelier: the hem's middle against the line from pin to pin.
static void trails_in_air(int tick_rate, double out_angles[FIXTURE_PRESETS]) {
    fixture_sheet(&fixture, ROWS, COLUMNS, (float)CELL);
    start(tick_rate, NULL);
    run(tick_rate, 5.0f, 8);
    for (int i = 0; i < FIXTURE_PRESETS; i++) {
        const float *hem = particles_of(i)[PARTICLES - 1 - COLUMNS / 2];
        out_angles[i] = atan2((double)-hem[2], (double)-hem[1]) * 180.0 / FIXTURE_PI;
    }
    fixture_finish(&fixture);
}

static void test_trail_in_air(void **state) {
    (void)state;
    double expected[FIXTURE_PRESETS], found[FIXTURE_PRESETS];
    trails_in_air(60, expected);
    for (int i = 0; i < FIXTURE_PRESETS; i++) assert_true(expected[i] > 2.0 && expected[i] < 90.0);
    for (int k = 0; k < DIVIDING; k++) {
        trails_in_air(dividing[k], found);
        for (int i = 0; i < FIXTURE_PRESETS; i++) assert_near(found[i] / expected[i], 1.0, 1e-3);
    }
}

// Lying: a sheet that hangs against a ball, as it comes to rest with all that the preset is.
// -----------------------------------------------------------------------------------------------------------

static void lie(int tick_rate) {
    fixture_sheet(&fixture, ROWS, COLUMNS, (float)CELL);
    SimColliderDef *ball = fixture_add_collider(&fixture, SIM_COLLIDER_SPHERE, 0);
    ball->center[0] = 0.12f, ball->center[1] = -0.2f, ball->center[2] = 0.17f, ball->radius = 0.2f;
    start(tick_rate, NULL);
    fixture_steps(&fixture, 12 * tick_rate);
}

static void test_lying_on_a_body(void **state) {
    (void)state;
    for (int k = 0; k < DIVIDING + OTHERS; k++) {
        lie(k < DIVIDING ? dividing[k] : others[k - DIVIDING]);
        for (int i = 0; i < FIXTURE_PRESETS; i++) {
            float(*x)[3] = particles_of(i);
            if (k == 0) memcpy(lying[i], x, sizeof lying[i]);
            if (k < DIVIDING) assert_memory_equal(lying[i], x, sizeof lying[i]);
            for (int p = 0; p < PARTICLES; p++) assert_at_most(fixture_distance(lying[i][p], x[p]), 3e-3);
        }
        fixture_finish(&fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swing),           cmocka_unit_test(test_damping_half_life),
        cmocka_unit_test(test_trail),           cmocka_unit_test(test_trail_in_air),
        cmocka_unit_test(test_lying_on_a_body),
    };
    return cmocka_run_group_tests_name("sim rates", tests, NULL, NULL);
}
