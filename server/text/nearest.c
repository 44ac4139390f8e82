// "did you mean": the name that a mistyped one most likely stands for.
#include "text/nearest.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64, MOST_EDITS = 3 };

static int edits(const char *a, int a_length, const char *b, int b_length, int limit);

const char *text_nearest_name(const char *name, const char *const *candidates, size_t candidate_count) {
    size_t length = strlen(name);
    if (length < 2 || length > LONGEST) return NULL;
    int limit = length < 6 ? 1 : length < 9 ? 2 : MOST_EDITS;
    const char *nearest = NULL;
    for (size_t i = 0; i < candidate_count; ++i) {
        size_t candidate_length = strlen(candidates[i]);
        if (candidate_length > LONGEST) continue;
        int distance = edits(name, (int)length, candidates[i], (int)candidate_length, limit);
        if (distance > limit) continue;
        nearest = candidates[i];
        if (distance == 0) break;
        limit = distance - 1;
    }
    return nearest;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment) from a to b;
// anything over `limit` once it is known to be more. Only the cells within `limit` of the diagonal can
// matter: thousands of names are looked through between two ticks.
static int edits(const char *a, int a_length, const char *b, int b_length, int limit) {
    if (abs(a_length - b_length) > limit) return limit + 1;
    int rows[3][LONGEST + 1];
    for (int column = 0; column <= b_length; ++column) rows[0][column] = column;
    for (int row = 1; row <= a_length; ++row) {
        int *now = rows[row % 3], *before = rows[(row + 2) % 3], *before_that = rows[(row + 1) % 3];
        int first = row > limit ? row - limit : 1, last = smaller(b_length, row + limit);
        int least = limit + 1;
        now[first - 1] = first == 1 ? row : limit + 1;
        for (int column = first; column <= last; ++column) {
            int from_above = column < row + limit ? before[column] + 1 : limit + 1;
            int distance = smaller(before[column - 1] + (a[row - 1] != b[column - 1]),
                                   smaller(from_above, now[column - 1] + 1));
            if (row > 1 && column > 1 && a[row - 1] == b[column - 2] && a[row - 2] == b[column - 1]) {
                distance = smaller(distance, before_that[column - 2] + 1);
            }
            now[column] = distance;
            least = smaller(least, distance);
        }
        if (least > limit) return limit + 1;
    }
    return rows[a_length % 3][b_length];
}
