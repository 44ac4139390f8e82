// Motion against closed forms: free fall, damping, terminal speed, hanging chain, cantilever.
#include "measures.h"
#include "swatches.h"

static const int rates[] = {30, 60, 120, 240};
#define SUBSTEP (1.0 / 240.0)

static void test_free_fall(void **state) {
    Fixture *fixture = *state;
    float first[25][3];
    for (int i = 0; i < 4; i++) {
        fixture_sheet(fixture, 5, 5, 0.06f);
        fixture_unpin(fixture);
        fixture_vacuum(fixture);
        fixture_start(fixture, rates[i]);
        assert_int_equal(sim_world_substeps(fixture->world), 240 / rates[i]);
        for (int tick = 1; tick <= rates[i]; tick++) {
            sim_world_step(fixture->world);
            // Semi-implicit Euler: v = g n h after n substeps, so x = g t (t + h) / 2.
            double time = tick / (double)rates[i], fall = 9.81 * time * (time + SUBSTEP) / 2.0;
            const float(*x)[3] = fixture_particles(fixture);
            for (int p = 0; p < 25; p++) {
                assert_near(x[p][1] - fixture->positions[p][1], -fall, 5e-4 * fmax(fall, 0.1));
                assert_near(x[p][0], fixture->positions[p][0], 1e-4);
                assert_near(x[p][2], fixture->positions[p][2], 1e-4);
            }
        }
        if (i == 0) memcpy(first, fixture->particles, sizeof first);
        assert_memory_equal(first, fixture->particles, sizeof first);
        fixture_finish(fixture);
    }
}

// One particle's way from tick to tick.
static double way(Fixture *fixture, int particle) {
    double before = (double)fixture_particles(fixture)[particle][1];
    sim_world_step(fixture->world);
    return before - (double)fixture_particles(fixture)[particle][1];
}

static void test_damping(void **state) {
    Fixture *fixture = *state;
    const double half_life = 0.25, rate = log(2.0) / half_life;
    fixture_sheet(fixture, 4, 4, 0.06f);
    fixture_unpin(fixture);
    fixture_vacuum(fixture);
    fixture->garment.fabric.damping = (float)rate;
    fixture_start(fixture, 60);
    // v' = e^(-c h) v + g (1 - e^(-c h)) / c gives v = g (1 - e^(-c t)) / c at every substep, exactly.
    double fall = 0.0, time = 0.0;
    for (int tick = 0; tick < 30; tick++) {
        for (int s = 0; s < 4; s++) {
            time += SUBSTEP;
            fall += SUBSTEP * 9.81 * (1.0 - exp(-rate * time)) / rate;
        }
        sim_world_step(fixture->world);
        assert_near(-fixture_particles(fixture)[0][1], fall, 1e-5 * fmax(fall, 0.1));
    }
    SimEnvironment weightless = *sim_world_environment(fixture->world);
    weightless.gravity_world[1] = 0.0f;
    sim_world_set_environment(fixture->world, &weightless);
    double before = way(fixture, 5);
    fixture_steps(fixture, 14);
    assert_near(way(fixture, 5) / before, 0.5, 1e-3);
    fixture_steps(fixture, 14);
    assert_near(way(fixture, 5) / before, 0.25, 1e-3);
}

// The edge's factor acts on particles with fewer than four neighbours, and on these only.
static void test_edges_are_damped_by_their_factor(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, 5, 5, 0.06f);
    fixture_lay_flat(fixture); // links across the fall pull but little, for a while
    fixture_unpin(fixture);
    fixture_vacuum(fixture);
    fixture->garment.fabric.drape = 0.0f;
    fixture->garment.fabric.damping = 8.0f;
    fixture->garment.fabric.edge.damping = 0.5f;
    fixture_start(fixture, 240);
    double fall[2] = {0.0, 0.0};
    for (int tick = 1; tick <= 12; tick++) {
        sim_world_step(fixture->world);
        for (int edge = 0; edge < 2; edge++) {
            double c = edge ? 4.0 : 8.0;
            fall[edge] += SUBSTEP * 9.81 * (1.0 - exp(-c * SUBSTEP * tick)) / c;
        }
    }
    const float(*x)[3] = fixture_particles(fixture);
    for (int p = 0; p < 25; p++) {
        bool edge = p % 5 == 0 || p % 5 == 4 || p / 5 == 0 || p / 5 == 4;
        assert_near(x[p][1], -fall[edge], 0.05 * (fall[1] - fall[0]));
    }
}

static void test_terminal_speed_of_a_flat_sheet(void **state) {
    (void)state;
    static Swatches swatches;
    const float densities[] = {0.035f, 0.15f, 0.40f}, dampings[] = {0.0f, 3.0f, 14.0f};
    SimFabric fabrics[9];
    double speeds[9];
    for (int i = 0; i < 9; i++) {
        fabrics[i] = sim_default_fabric();
        fabrics[i].density = densities[i % 3], fabrics[i].damping = dampings[i / 3];
    }
    measure_falls(fabrics, 9, 60, speeds);
    swatches_fall(&swatches, fabrics, 9, 60, 5, 0.06f);
    for (int i = 0; i < 9; i++) {
        // k v^2 + c v = g, k = C_n rho_air / 2 / density with C_n = 2.
        double c = (double)fabrics[i].damping, k = 1.225 / (double)fabrics[i].density;
        double terminal = (sqrt(c * c + 4.0 * k * 9.81) - c) / (2.0 * k);
        assert_near(speeds[i] / terminal, 1.0, 0.04); // forces act one after the other in a substep
        const float(*x)[3] = swatch_particles(&swatches, i);
        for (int p = 0; p < 25; p++) assert_near(x[p][1], x[12][1], 1e-3);
    }
    fixture_finish(&swatches.fixture);
}

static double bessel_j0(double x) {
    double term = 1.0, sum = 1.0;
    for (int k = 1; k < 30; k++) sum += term *= -x * x / (4.0 * k * k);
    return sum;
}

// A chain in its first mode, x = A J0(j sqrt(1 - s / L)): w = j / 2 sqrt(g / L), j the first zero of J0.
static void test_hanging_chain(void **state) {
    Fixture *fixture = *state;
    const double j = 2.404825557695773, length = 0.96, period = 4.0 * FIXTURE_PI / j * sqrt(length / 9.81);
    const int rows = 17;
    for (int i = 0; i < 4; i++) {
        fixture_sheet(fixture, rows, 1, 0.06f);
        for (int row = 1; row < rows; row++) {
            double share = row / (double)(rows - 1), step = length / (rows - 1);
            float *x = fixture->positions[row], *above = fixture->positions[row - 1];
            x[0] = (float)(0.06 * bessel_j0(j * sqrt(1.0 - share)));
            x[1] = above[1] - (float)sqrt(step * step - pow((double)x[0] - (double)above[0], 2.0));
        }
        fixture_vacuum(fixture);
        fixture->garment.fabric.drape = 0.0f;
        fixture_start(fixture, rates[i]);
        double before = 1.0, crossing = 0.0;
        for (int tick = 1; tick <= rates[i] && crossing <= 0.0; tick++) {
            sim_world_step(fixture->world);
            double now = (double)fixture_particles(fixture)[rows - 1][0];
            if (now <= 0.0) crossing = (tick - 1 + before / (before - now)) / rates[i];
            before = now;
            assert_at_most(fixture_stretch(fixture), 1e-5);
        }
        assert_near(crossing / (period / 4.0), 1.0, 0.02);
        fixture_finish(fixture);
    }
}

static void test_chain_comes_to_hang_straight(void **state) {
    Fixture *fixture = *state;
    fixture_sheet(fixture, 12, 1, 0.05f);
    for (int row = 0; row < 12; row++) {
        fixture->positions[row][0] = 0.05f * (float)row;
        fixture->positions[row][1] = 0.0f;
    }
    fixture_vacuum(fixture);
    fixture->garment.fabric.damping = 4.0f;
    fixture_start(fixture, 60);
    for (int tick = 0; tick < 480; tick++) {
        sim_world_step(fixture->world);
        fixture_particles(fixture);
        assert_at_most(fixture_stretch(fixture), 1e-5);
    }
    for (int row = 0; row < 12; row++) {
        assert_near(fixture->particles[row][0], 0.0, 1e-3);
        assert_near(fixture->particles[row][1], -0.05 * row, 1e-4);
    }
}

// Peirce: a strip that stands out by twice its drape length falls 41.5 degrees below the horizontal.
static void test_cantilever(void **state) {
    (void)state;
    for (int cells = 4; cells <= 7; cells++) {
        SimFabric fabric = sim_default_fabric();
        double angle;
        fabric.drape = 0.005f * (float)cells;
        measure_droops(&fabric, 1, cells, 0.01f, &angle);
        assert_near(angle, 41.5, 3.0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_free_fall),
        FIXTURE_TEST(test_damping),
        FIXTURE_TEST(test_edges_are_damped_by_their_factor),
        cmocka_unit_test(test_terminal_speed_of_a_flat_sheet),
        FIXTURE_TEST(test_hanging_chain),
        FIXTURE_TEST(test_chain_comes_to_hang_straight),
        cmocka_unit_test(test_cantilever),
    };
    return cmocka_run_group_tests_name("sim mechanics", tests, NULL, NULL);
}
