// The memory of one garment's mutable state, of all lanes.
#pragma once

#include "core/arena.h"
#include "core/kernel.h"

// All arrays in one block of [numbers][width], so that a state can be saved, moved and put back whole.
// Returns the block, or NULL when the arena failed.
float *sim_state_allocate(SimArena *arena, const SimTopology *topology, int width, SimGarmentState *out_state,
                          size_t *out_numbers);
