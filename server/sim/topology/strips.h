// A large grid cut into SIM_LANES vertical strips of equal width, so that one garment alone uses all lanes.
// The cut follows from the definition and nothing else, since strips are swept in another order than a whole
// garment.
#pragma once

#include "core/arena.h"
#include "core/kernel.h"

// True for a grid that is large enough, has columns to share out evenly, and whose pins are whole rows.
bool sim_strips_fit(const SimTopology *whole);

// The topology of the strips, for a kernel with SIM_STRIPS: SimShared is a number for each of them. False
// where the arena failed.
bool sim_strips_build(SimArena *arena, const SimTopology *whole, SimTopology *out_strips);

// The number of a particle in memory of one lane per strip, where a vector of that particle has 3.
static inline size_t sim_strips_place(const SimTopology *strips, int whole_columns, int particle,
                                      int *out_strip) {
    int row = particle / whole_columns, column = particle % whole_columns;
    *out_strip = column / strips->columns;
    return (size_t)(row * strips->columns + column % strips->columns);
}
