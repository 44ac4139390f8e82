// Swatches: one sheet in several fabrics, side by side in one world.
#pragma once

#include "sim_fixture.h"

#define SWATCHES_MOST 16

typedef struct Swatches {
    Fixture fixture; // to be dressed by fixture_sheet before the start
    SimCharacterId characters[SWATCHES_MOST];
    int count;
} Swatches;

void swatch_no_air(SimFabric *fabric);
void swatch_no_damping(SimFabric *fabric);

// Starts the fixture's sheet in each fabric, changed by `change` unless that is NULL.
void swatches_start(Swatches *swatches, const SimFabric *fabrics, int count, int tick_rate,
                    void (*change)(SimFabric *fabric));

// Valid until the next call.
const float (*swatch_particles(Swatches *swatches, int index))[3];

void swatches_hang(Swatches *swatches, const SimFabric *fabrics, int count, int tick_rate, int rows,
                   int columns, float cell);

// The sheet that hangs, turned about its upper edge. Call it before the start.
void swatches_tilt(Swatches *swatches, float angle);

// All roots go along +z at a steady speed, m/s.
void swatches_run(Swatches *swatches, float speed, int seconds);

// Flat sheets, held nowhere, fall through still air for 2 s.
void swatches_fall(Swatches *swatches, const SimFabric *fabrics, int count, int tick_rate, int columns,
                   float cell);
