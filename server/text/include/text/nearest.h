// "did you mean": the name that a mistyped one most likely stands for.
#pragma once

#include <stddef.h>

// The candidate that `name` most likely means: the fewest insertions, deletions, replacements and swaps of
// neighbours, at most one in three letters (and never more than 3); NULL when none is that near. Among equals
// the first.
const char *text_nearest_name(const char *name, const char *const *candidates, size_t candidate_count);
