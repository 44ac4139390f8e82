// The edit distance between names, given up where it exceeds a limit.
#include "text/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64, MOST_EDITS = 3 };

static int name_length(const char *name);
static int smaller(int a, int b);
static int edit_distance(const char *a, int a_length, const char *b, int b_length, int limit);

TextNearest text_nearest_to(const char *name) {
    return (TextNearest){.name = name, .edits = smaller((name_length(name) + 1) / 3, MOST_EDITS) + 1};
}

void text_nearest_offer(TextNearest *nearest, const char *candidate) {
    const int limit = nearest->edits - 1;
    if (limit < 0) return;
    const int edits =
        edit_distance(nearest->name, name_length(nearest->name), candidate, name_length(candidate), limit);
    if (edits > limit) return;
    nearest->edits = edits;
    nearest->best = candidate;
}

TextNearest text_nearest_of(const char *name, const char *const *candidates, size_t count) {
    TextNearest nearest = text_nearest_to(name);
    for (size_t i = 0; i < count; i++) text_nearest_offer(&nearest, candidates[i]);
    return nearest;
}

void text_nearest_hint(const TextNearest *nearest, char *buffer, size_t size) {
    const char *best = nearest->best;
    snprintf(buffer, size, "%s%s%s", best ? "; did you mean \"" : "", best ? best : "", best ? "\"?" : "");
}

static int name_length(const char *name) {
    const void *end = memchr(name, '\0', LONGEST);
    return end ? (int)((const char *)end - name) : LONGEST;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static bool is_alike(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

// Optimal string alignment: Levenshtein's distance, and two neighbours swapped count once. Anything over
// `limit` once it is known to be more: only the cells within `limit` of the diagonal matter, since thousands
// of names are searched between two ticks.
static int edit_distance(const char *a, int a_length, const char *b, int b_length, int limit) {
    if (abs(a_length - b_length) > limit) return limit + 1;
    int rows[3][LONGEST + 1];
    for (int column = 0; column <= b_length; column++) rows[0][column] = column;
    for (int row = 1; row <= a_length; row++) {
        int *now = rows[row % 3], *before = rows[(row + 2) % 3], *before_that = rows[(row + 1) % 3];
        int first = row > limit ? row - limit : 1, last = smaller(b_length, row + limit);
        int least = limit + 1;
        now[first - 1] = first == 1 ? row : limit + 1;
        for (int column = first; column <= last; column++) {
            int from_above = column < row + limit ? before[column] + 1 : limit + 1;
            int distance = smaller(before[column - 1] + !is_alike(a[row - 1], b[column - 1]),
                                   smaller(from_above, now[column - 1] + 1));
            if (row > 1 && column > 1 && is_alike(a[row - 1], b[column - 2]) &&
                is_alike(a[row - 2], b[column - 1]))
                distance = smaller(distance, before_that[column - 2] + 1);
            now[column] = distance;
            least = smaller(least, distance);
        }
        if (least > limit) return limit + 1;
    }
    return rows[a_length % 3][b_length];
}
