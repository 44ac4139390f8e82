// Pendulums and chains that swing, by gravity and by pose stiffness: periods and amplitudes against closed
// forms.
#include "chain_fixture.h"

static const int rates[] = {30, 60, 120, 240};

// Mechanical energy per density of the fabric, m^2 m^2/s^2, at the middle of the last tick, from the
// positions at both ends. A particle carries the square of the mean length of its links.
static double energy(const Fixture *fixture, const float (*before)[3], int rate) {
    double sum = 0.0;
    int count = fixture_particle_count(fixture);
    for (int p = 1; p < count; p++) {
        double link = fixture_distance(fixture->positions[p - 1], fixture->positions[p]);
        double width = p + 1 < count ? link : 0.5 * link;
        double speed = rate * fixture_distance(before[p], fixture->particles[p]);
        double height = 0.5 * ((double)before[p][1] + (double)fixture->particles[p][1]);
        sum += width * width * (0.5 * speed * speed + 9.81 * height);
    }
    return sum;
}

// 2 pi sqrt(L / g) / agm(1, cos(A / 2)), the complete elliptic integral by the arithmetic-geometric mean.
static double elliptic_period(double length, double amplitude) {
    double a = 1.0, b = cos(amplitude / 2.0);
    for (int i = 0; i < 30; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2.0 * FIXTURE_PI * sqrt(length / 9.81) / a;
}

static void check_swing(double length, double degrees, int rate) {
    static Fixture fixture;
    double amplitude = degrees * FIXTURE_PI / 180.0;
    straight(&fixture, 2, length, amplitude);
    fixture_start(&fixture, rate);
    Crossings crossings = {.before = 0.0};
    double highest = -length, most = -length;
    for (int tick = 0; tick <= 6 * rate; tick++) {
        if (tick) sim_world_step(fixture.world);
        const float(*x)[3] = fixture_particles(&fixture);
        watch(&crossings, (double)x[1][0], tick, rate);
        assert_near(fixture_distance(x[0], x[1]), length, 1e-5 * length);
        most = fmax(most, (double)x[1][1]);
        highest = tick == 4 * rate ? -length : fmax(highest, (double)x[1][1]);
    }
    assert_near(period_of(&crossings) / elliptic_period(length, amplitude), 1.0, 0.003);
    assert_near(acos(-highest / length) / amplitude, 1.0, 0.015); // of the last 2 s
    assert_at_most(acos(-most / length) / amplitude, 1.001);
    fixture_finish(&fixture);
}

static void test_pendulum_period_and_amplitude(void **state) {
    (void)state;
    static const double lengths[] = {0.08, 0.25, 1.0}, amplitudes[] = {10.0, 30.0, 60.0};
    for (int i = 0; i < 9; i++)
        for (int rate = 0; rate < 4; rate++) check_swing(lengths[i % 3], amplitudes[i / 3], rates[rate]);
}

// Its first mode, x = A J0(j sqrt(1 - s / L)), at w = j / 2 sqrt(g / L); a straight chain that is moved aside
// by A (1 - s / L) contains little else.
static void test_first_mode_of_a_chain(void **state) {
    Fixture *fixture = *state;
    const double j = 2.404825557695773, length = 0.5;
    for (int rows = 9; rows <= 17; rows += 4) {
        straight(fixture, rows, length / (rows - 1), 0.05);
        fixture_start(fixture, 60);
        Crossings crossings = {.before = 0.0};
        for (int tick = 0; tick <= 480; tick++) {
            if (tick) sim_world_step(fixture->world);
            watch(&crossings, (double)fixture_particles(fixture)[rows / 3][0], tick, 60);
        }
        assert_near(period_of(&crossings) * j * sqrt(9.81 / length) / (4.0 * FIXTURE_PI), 1.0, 0.015);
        fixture_finish(fixture);
    }
}

// An undamped chain dropped from the horizontal never has more energy than at the start.
static void test_chains_gain_no_energy(void **state) {
    Fixture *fixture = *state;
    static const float limits[] = {180.0f, 60.0f, 20.0f, 5.0f};
    static float before[FIXTURE_PARTICLES][3];
    for (int i = 0; i < 12; i++) {
        int rows = (const int[]){3, 9, 21}[i / 4];
        straight(fixture, rows, 0.03, FIXTURE_PI / 2.0);
        fixture->garment.angle_limit[0] = fixture->garment.angle_limit[1] = limits[i % 4];
        fixture_start(fixture, 240);
        double whole = 0.0, most = 0.0, highest = 0.0;                  // energy is 0 at the start
        for (int p = 1; p < rows; p++) whole += 9e-4 * 9.81 * 0.03 * p; // about that of hanging down
        memcpy(before, fixture_particles(fixture), sizeof before);
        for (int tick = 1; tick <= 960; tick++) {
            sim_world_step(fixture->world);
            fixture_particles(fixture);
            most = fmax(most, energy(fixture, (const float(*)[3])before, 240));
            assert_at_most(fixture_stretch(fixture), 1e-5);
            memcpy(before, fixture->particles, sizeof before);
            double height = 0.0;
            for (int p = 1; p < rows; p++) height += (double)before[p][1] * (p + 1 < rows ? 1.0 : 0.25);
            highest = fmax(highest, height / (rows - 1));
        }
        // Narrow cones turn the lower links of a long chain at once, which shows as speed for a few ticks.
        assert_at_most(most / whole, limits[i % 4] > 100.0f ? 0.002 : limits[i % 4] > 50.0f ? 0.02 : 3.0);
        assert_at_most(highest, 0.01 * 0.03 * rows);
        assert_int_equal(sim_world_stats(fixture->world).unstable, 0);
        fixture_finish(fixture);
    }
}

// Weightless and turned aside as a whole, a chain swings about its references at its pose stiffness, however
// many links it has, at every rate.
static void test_pose_stiffness_is_a_frequency(void **state) {
    Fixture *fixture = *state;
    static const float frequencies[] = {1.0f, 4.0f, 12.0f};
    for (int i = 0; i < 36; i++) {
        int rows = (const int[]){2, 5, 13}[i % 3], rate = rates[i / 9];
        double frequency = (double)frequencies[i / 3 % 3];
        straight(fixture, rows, 0.03, 0.0);
        weightless(fixture);
        fixture->garment.pose_stiffness[0] = fixture->garment.pose_stiffness[1] = (float)frequency;
        hang_on_turning_bone(fixture, 2, 5.0); // the chain stays behind: -5 degrees from its references
        fixture_start(fixture, rate);
        fixture_play(fixture, false);
        Crossings crossings = {.before = 0.0};
        for (int tick = 0; tick <= 4 * rate; tick++) {
            if (tick) sim_world_step(fixture->world);
            const float *tip = fixture_particles(fixture)[rows - 1];
            watch(&crossings, sin(5.0 / 180.0 * FIXTURE_PI) * 0.03 * (rows - 1) - (double)tip[0], tick, rate);
        }
        assert_near(period_of(&crossings) * frequency, 1.0, 0.005);
        fixture_finish(fixture);
    }
}

// A damping ratio z takes e^(-2 pi z / sqrt(1 - z^2)) from one swing to the next.
static void test_pose_damping_is_a_ratio(void **state) {
    Fixture *fixture = *state;
    const double ratio = 0.1, turn = 5.0 / 180.0 * FIXTURE_PI, length = 0.24;
    for (int i = 0; i < 4; i++) {
        straight(fixture, 9, length / 8.0, 0.0);
        weightless(fixture);
        fixture->garment.pose_stiffness[0] = fixture->garment.pose_stiffness[1] = 2.0f;
        fixture->garment.pose_damping = (float)ratio;
        hang_on_turning_bone(fixture, 2, 5.0);
        fixture_start(fixture, rates[i]);
        fixture_play(fixture, false);
        double peaks[2] = {0.0, 0.0}; // beyond the references, in the first swing and in the second
        for (int tick = 1; tick <= rates[i]; tick++) {
            sim_world_step(fixture->world);
            double aside = (double)fixture_particles(fixture)[8][0] / length - sin(turn);
            double *peak = &peaks[2 * tick > rates[i]];
            *peak = fmax(*peak, aside);
        }
        double expected = exp(-2.0 * FIXTURE_PI * ratio / sqrt(1.0 - ratio * ratio));
        assert_near(peaks[1] / peaks[0] / expected, 1.0, 0.04);
        fixture_finish(fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum_period_and_amplitude),
        FIXTURE_TEST(test_first_mode_of_a_chain),
        FIXTURE_TEST(test_chains_gain_no_energy),
        FIXTURE_TEST(test_pose_stiffness_is_a_frequency),
        FIXTURE_TEST(test_pose_damping_is_a_ratio),
    };
    return cmocka_run_group_tests_name("sim swing", tests, NULL, NULL);
}
