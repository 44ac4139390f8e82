// What tells one fabric from another, measured by simulation. Each measure takes at most SWATCHES_MOST
// fabrics and gives one number for each.
#pragma once

#include "sim/fabric.h"

// Depth of the middle of a sheet of 0.96 m that hangs between two edges as far apart, m.
void measure_sags(const SimFabric *fabrics, int count, int tick_rate, double *out_depths);

// The time, s, from which on no particle of a sheet of 0.36 m, let go at 20 degrees in still air, moves
// faster than 1 cm/s; infinite if that takes longer than 30 s.
void measure_settle_times(const SimFabric *fabrics, int count, int tick_rate, double *out_times);

// The time, s, in which the speed of a free sheet halves, without air: a swing's amplitude takes twice that.
void measure_half_lives(const SimFabric *fabrics, int count, int tick_rate, double *out_times);

// How far below the horizontal the tip of a strip of so many cells is that stands out flat, degrees. Cells
// are fine enough where the drape length is less than (a^4 / (12 g h^2))^(1/3), with h of 1/960 s.
void measure_droops(const SimFabric *fabrics, int count, int cells, float cell, double *out_angles);

// Peirce's bending test: the length, m, at which a strip's tip is 41.5 degrees below the horizontal. 0 for
// what no strip of 1 cm stands out, infinite for what holds one of 0.5 m.
void measure_overhangs(const SimFabric *fabrics, int count, int tick_rate, double *out_lengths);

// How fast a flat sheet falls through still air after 2 s, m/s.
void measure_falls(const SimFabric *fabrics, int count, int tick_rate, double *out_speeds);

// How far behind the vertical the hem of a sheet of 0.36 m hangs on a root that runs at 5 m/s, degrees.
void measure_trails(const SimFabric *fabrics, int count, int tick_rate, double *out_angles);

typedef struct Measure {
    const char *name, *unit, *help;
    double scale; // from the measure's unit to the one that is shown
    void (*measure)(const SimFabric *fabrics, int count, int tick_rate, double *out);
} Measure;

#define MEASURES 6
enum { MEASURE_SAG, MEASURE_SETTLE, MEASURE_HALF_LIFE, MEASURE_OVERHANG, MEASURE_FALL, MEASURE_TRAIL };
const Measure *measures(void); // [MEASURES]
