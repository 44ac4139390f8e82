// The scalar reference: a grid of particles as one writes it first, one garment after the other, a link at a
// time. Gravity, then sweeps over all links, then the velocity.
#pragma once

#include "grid.h"

typedef struct ScalarSetting {
    int rows, columns;
    int garments;
} ScalarSetting;

// Entries of a table: a step is GRID_STEP seconds of all garments, GRID_ITERATIONS sweeps.
void *scalar_create(const void *setting);
void scalar_steps(void *scalar, int count);
void scalar_destroy(void *scalar);
