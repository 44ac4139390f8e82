// "did you mean": the known name that a mistyped one most likely stands for.
#pragma once

#include <stddef.h>

// A search among names that are offered one by one.
typedef struct TextNearest {
    const char *name; // the mistyped name
    const char *best; // the nearest name offered; NULL if none is near
    int edits;        // a name with fewer edits than this is nearer than `best`
} TextNearest;

// A name is near within (length + 1) / 3 edits, 3 at most: a letter more, a letter less, another letter, or
// two neighbours swapped. Case does not count, nor do bytes behind the first 64. Among equals the first
// wins.
TextNearest text_nearest_to(const char *name);
void text_nearest_offer(TextNearest *nearest, const char *candidate);

// The whole search among `count` names.
TextNearest text_nearest_of(const char *name, const char *const *candidates, size_t count);

enum { TEXT_HINT_SIZE = 96 }; // of a hint at a name of 64 bytes

// Writes "; did you mean "tweed"?", or "" where nothing is near.
void text_nearest_hint(const TextNearest *nearest, char *buffer, size_t size);
