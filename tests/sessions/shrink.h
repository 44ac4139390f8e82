// A failing session with as few acts as it fails with.
#pragma once

#include <stdbool.h>

// Whether the session fails with these acts, `context` knows how.
typedef bool (*ShrinkFails)(void *context, const int *acts, int act_count);

// Delta debugging (Zeller and Hildebrandt, 2002): leaves out halves, then quarters, and so on down to single
// acts, as long as it still fails. Shortens `acts` in place; returns how many are left.
int shrink_acts(int *acts, int act_count, ShrinkFails fails, void *context);
