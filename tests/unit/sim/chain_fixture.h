// Chains for tests, and measurements of them.
#pragma once

#include "sim_fixture.h"

// One column that leaves its first point along a direction in the x-y plane, 0 down, counter-clockwise.
void straight(Fixture *fixture, int rows, double link, double angle);
void weightless(Fixture *fixture);

// The bone that the chain hangs from turns to a pose within a millisecond, and stays there.
void hang_on_turning_bone(Fixture *fixture, int axis, double degrees);

// Times at which a signal falls through 0, by linear interpolation.
typedef struct Crossings {
    double first, last, before;
    int count;
} Crossings;

void watch(Crossings *crossings, double value, int tick, int rate);
double period_of(const Crossings *crossings);

// Turns v by the smallest rotation from direction a to direction b.
void turned(const double a[3], const double b[3], double v[3]);
// The largest angle in degrees between a link and its reference, from link `first` on, each seen from the
// link above, in double precision, as the angle limit defines it. The first link leads to particle 1.
double widest_joint(Fixture *fixture, int first);
