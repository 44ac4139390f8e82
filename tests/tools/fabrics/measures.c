// The six measures of a fabric, each a small experiment with sheets of cells of 6 cm.
#include "measures.h"

#include "swatches.h"

enum { ROWS = 7, COLUMNS = 5, PARTICLES = ROWS * COLUMNS };
#define CELL 0.06f

static const double degrees = 180.0 / FIXTURE_PI;

static void ways(Swatches *swatches, float before[SWATCHES_MOST][PARTICLES][3], double *out_speeds);
static void heavily_damped(SimFabric *fabric);
static void lay_out(Fixture *fixture, int cells, float cell);

const Measure *measures(void) {
    static const Measure all[MEASURES] = {
        [MEASURE_SAG] = {"sag", "mm", "a sheet of 96 cm between two edges as far apart hangs through", 1e3,
                         measure_sags},
        [MEASURE_SETTLE] = {"settles", "s",
                            "let go at 20 degrees, 36 cm of it move at less than 1 cm/s after", 1.0,
                            measure_settle_times},
        [MEASURE_HALF_LIFE] = {"half-life", "s",
                               "speed halves in, without air; the amplitude of a swing in twice that", 1.0,
                               measure_half_lives},
        [MEASURE_OVERHANG] = {"overhang", "cm",
                              "a strip that stands out droops by 41.5 degrees at (Peirce; ASTM D1388)", 1e2,
                              measure_overhangs},
        [MEASURE_FALL] = {"falls at", "m/s", "a flat sheet falls through still air at", 1.0, measure_falls},
        [MEASURE_TRAIL] = {"trails at", "deg", "36 cm of it hang back on someone who runs at 5 m/s by", 1.0,
                           measure_trails},
    };
    return all;
}

void measure_sags(const SimFabric *fabrics, int count, int tick_rate, double *out_depths) {
    static Swatches swatches;
    swatches_hang(&swatches, fabrics, count, tick_rate, 4, 17, CELL);
    for (int i = 0; i < count; i++) out_depths[i] = -(double)swatch_particles(&swatches, i)[8][1];
    fixture_finish(&swatches.fixture);
}

void measure_settle_times(const SimFabric *fabrics, int count, int tick_rate, double *out_times) {
    static Swatches swatches;
    static float before[SWATCHES_MOST][PARTICLES][3];
    const int longest = 30 * tick_rate;
    double speeds[SWATCHES_MOST];
    int last[SWATCHES_MOST] = {0};
    fixture_sheet(&swatches.fixture, ROWS, COLUMNS, CELL);
    swatches_tilt(&swatches, 0.35f);
    swatches_start(&swatches, fabrics, count, tick_rate, NULL);
    ways(&swatches, before, speeds);
    for (int tick = 1; tick <= longest; tick++) {
        sim_world_step(swatches.fixture.world);
        ways(&swatches, before, speeds);
        for (int i = 0; i < count; i++)
            if (speeds[i] * tick_rate > 0.01) last[i] = tick;
    }
    for (int i = 0; i < count; i++) out_times[i] = last[i] < longest ? (double)last[i] / tick_rate : HUGE_VAL;
    fixture_finish(&swatches.fixture);
}

void measure_half_lives(const SimFabric *fabrics, int count, int tick_rate, double *out_times) {
    static Swatches swatches;
    Fixture *fixture = &swatches.fixture;
    double places[3][SWATCHES_MOST];
    fixture_sheet(fixture, ROWS, COLUMNS, CELL);
    fixture_unpin(fixture);
    swatches_start(&swatches, fabrics, count, tick_rate, swatch_no_air);
    SimEnvironment environment = *sim_world_environment(fixture->world);
    for (int push = 0; push < 2; push++) {
        environment.gravity_world[0] = push ? 0.0f : 9.81f, environment.gravity_world[1] = 0.0f;
        sim_world_set_environment(fixture->world, &environment);
        if (!push) fixture_steps(fixture, tick_rate / 5);
    }
    int ticks = tick_rate / 15 + 1; // the way in two equal times
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < count; i++)
            places[k][i] = (double)swatch_particles(&swatches, i)[PARTICLES / 2][0];
        fixture_steps(fixture, ticks);
    }
    for (int i = 0; i < count; i++) {
        double lost = log((places[1][i] - places[0][i]) / (places[2][i] - places[1][i]));
        out_times[i] = lost > 1e-6 ? log(2.0) * ticks / tick_rate / lost : HUGE_VAL;
    }
    fixture_finish(fixture);
}

void measure_droops(const SimFabric *fabrics, int count, int cells, float cell, double *out_angles) {
    static Swatches swatches;
    lay_out(&swatches.fixture, cells, cell);
    swatches_start(&swatches, fabrics, count, 960, heavily_damped);
    fixture_steps(&swatches.fixture, 2000);
    for (int i = 0; i < count; i++) {
        const float(*x)[3] = swatch_particles(&swatches, i);
        const float *clamp = x[4], *tip = x[(cells + 1) * 3 + 1];
        out_angles[i] = degrees * atan2((double)(clamp[1] - tip[1]), (double)(tip[2] - clamp[2]));
    }
    fixture_finish(&swatches.fixture);
}

// From long strips to short ones, since the cells of a short strip may be too fine for a stiff fabric.
void measure_overhangs(const SimFabric *fabrics, int count, int tick_rate, double *out_lengths) {
    const double angle = 41.5, step = 1.15, longest = 0.5, shortest = 0.01;
    const int cells = 6;
    double before[SWATCHES_MOST], now[SWATCHES_MOST];
    bool found[SWATCHES_MOST] = {false};
    (void)tick_rate; // a strip takes substeps of its own
    memset(out_lengths, 0, (size_t)count * sizeof *out_lengths);
    int left = count;
    for (double length = longest; length > shortest && left > 0; length /= step) {
        measure_droops(fabrics, count, cells, (float)length / (float)cells, now);
        for (int i = 0; i < count; i++) {
            if (now[i] <= angle && !found[i]) {
                double share = (angle - now[i]) / (before[i] - now[i]); // of the way to the length before
                out_lengths[i] = length < longest ? length * pow(step, share) : HUGE_VAL;
                found[i] = true;
                left--;
            }
            before[i] = now[i];
        }
    }
}

void measure_falls(const SimFabric *fabrics, int count, int tick_rate, double *out_speeds) {
    static Swatches swatches;
    double before[SWATCHES_MOST];
    swatches_fall(&swatches, fabrics, count, tick_rate, COLUMNS, CELL);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < count; i++) {
            double height = (double)swatch_particles(&swatches, i)[COLUMNS * COLUMNS / 2][1];
            if (k) out_speeds[i] = tick_rate * (before[i] - height);
            before[i] = height;
        }
        sim_world_step(swatches.fixture.world);
    }
    fixture_finish(&swatches.fixture);
}

void measure_trails(const SimFabric *fabrics, int count, int tick_rate, double *out_angles) {
    static Swatches swatches;
    fixture_sheet(&swatches.fixture, ROWS, COLUMNS, CELL);
    swatches_start(&swatches, fabrics, count, tick_rate, NULL);
    swatches_run(&swatches, 5.0f, 8);
    for (int i = 0; i < count; i++) {
        const float *hem = swatch_particles(&swatches, i)[PARTICLES - 1 - COLUMNS / 2];
        out_angles[i] = degrees * atan2((double)-hem[2], (double)-hem[1]);
    }
    fixture_finish(&swatches.fixture);
}

// The way of the fastest particle of each swatch since `before`, which becomes what is now.
static void ways(Swatches *swatches, float before[SWATCHES_MOST][PARTICLES][3], double *out_speeds) {
    for (int i = 0; i < swatches->count; i++) {
        const float(*x)[3] = swatch_particles(swatches, i);
        out_speeds[i] = 0.0;
        for (int p = 0; p < PARTICLES; p++)
            out_speeds[i] = fmax(out_speeds[i], fixture_distance(before[i][p], x[p]));
        memcpy(before[i], x, sizeof before[i]);
    }
}

// A strip of three columns whose first two rows are clamped.
static void lay_out(Fixture *fixture, int cells, float cell) {
    fixture_sheet(fixture, cells + 2, 3, cell);
    fixture_lay_flat(fixture);
    for (int p = 0; p < 6; p++) fixture->pinned[p] = true;
}

// How long a strip takes to come to rest is not asked.
static void heavily_damped(SimFabric *fabric) {
    swatch_no_air(fabric);
    fabric->damping = 20.0f;
}
