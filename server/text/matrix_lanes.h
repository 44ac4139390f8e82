// Affine matrices as text, half of one at a time, where the processor has AVX-512 with VBMI2.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { TEXT_LANES_MOST_DECIMALS = 5 };

bool text_lanes_run(void);

// Writes "],[" behind each matrix, up to the first one that is not affine (its last row is 0, 0, 0, 1), has a
// position of 1000 or more, or another number of 10 or more. Returns how many it has written; `out` moves to
// their end. `decimals` are at most TEXT_LANES_MOST_DECIMALS. Only where text_lanes_run().
size_t text_write_matrix_lanes(char **out, const float *const matrices[], size_t count, int decimals);
