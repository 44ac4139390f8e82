// The edit distance between names, in three rows.
#include "data/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LONGEST ((size_t)64) // names are no longer, and what is cut off makes no name more alike

static size_t edit_distance(const char *a, const char *b);
static size_t smaller(size_t a, size_t b);
static bool alike(char a, char b);

ScriptNearest script_nearest_to(const char *name) {
    return (ScriptNearest){.name = name, .distance = (strlen(name) + 1) / 3 + 1};
}

void script_nearest_offer(ScriptNearest *nearest, const char *candidate) {
    const size_t distance = edit_distance(nearest->name, candidate);
    if (distance >= nearest->distance) return;
    nearest->distance = distance;
    nearest->best = candidate;
}

void script_nearest_hint(const ScriptNearest *nearest, char *buffer, size_t size) {
    if (nearest->best)
        snprintf(buffer, size, "; did you mean \"%s\"?", nearest->best);
    else
        snprintf(buffer, size, "%s", "");
}

// Optimal string alignment: Levenshtein's distance, and two neighbours swapped count once.
static size_t edit_distance(const char *a, const char *b) {
    const size_t a_length = smaller(strlen(a), LONGEST), b_length = smaller(strlen(b), LONGEST);
    size_t rows[3][LONGEST + 1]; // of the row before the last, the last, this one
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) last[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] =
                smaller(smaller(last[j], row[j - 1]) + 1, last[j - 1] + (alike(a[i - 1], b[j - 1]) ? 0 : 1));
            if (i > 1 && j > 1 && alike(a[i - 1], b[j - 2]) && alike(a[i - 2], b[j - 1]))
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[b_length];
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static bool alike(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}
