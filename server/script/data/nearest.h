// Which known name was probably meant: "did you mean "tweed"?".
#pragma once

#include <stddef.h>

typedef struct ScriptNearest {
    const char *name;
    const char *best; // NULL where nothing offered comes near
    size_t distance;  // of best
} ScriptNearest;

ScriptNearest script_nearest_to(const char *name);
// best: a name within a third of the length in edits (a letter more, less, other, or two swapped), case
// aside.
void script_nearest_offer(ScriptNearest *nearest, const char *candidate);
// "; did you mean "tweed"?", or "".
void script_nearest_hint(const ScriptNearest *nearest, char *buffer, size_t size);
