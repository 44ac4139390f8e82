// Weights of a garment's bones over its grid.
#include "shape/cloth_skin.h"

#include <math.h>

// Two neighbours and the share of the second.
typedef struct Pair {
    int first, second;
    float share;
} Pair;

static Pair rows_beside(const SimGarmentDef *garment, float row);
static Pair columns_beside(const SimGarmentDef *garment, float column);
static Pair pair_at(float at, int count);
static float smooth(float share);

ScriptClothPoint script_cloth_skin(const SimGarmentDef *garment, float row, float column) {
    const Pair rows = rows_beside(garment, row), columns = columns_beside(garment, column);
    ScriptClothPoint point;
    for (int i = 0; i < SCRIPT_CLOTH_INFLUENCES; i++) {
        const bool is_lower = i / 2, is_right = i % 2;
        point.particles[i] = (is_lower ? rows.second : rows.first) * garment->columns +
                             (is_right ? columns.second : columns.first);
        point.weights[i] =
            (is_lower ? rows.share : 1.0f - rows.share) * (is_right ? columns.share : 1.0f - columns.share);
    }
    return point;
}

// A bone's place is the middle of its link.
static Pair rows_beside(const SimGarmentDef *garment, float row) {
    const int count = garment->rows - (garment->bone_last_row == SIM_LAST_ROW_NONE);
    return pair_at(row - 0.5f, count);
}

static Pair columns_beside(const SimGarmentDef *garment, float column) {
    const int first = garment->bone_first_column, step = garment->bone_column_step;
    const int count = (garment->columns - 1 - first) / step + 1;
    Pair pair;
    if (garment->closed && column < (float)first) column += (float)garment->columns;
    const int last = first + (count - 1) * step;
    if (garment->closed && column > (float)last) {
        const float gap = (float)(first + garment->columns - last);
        pair = (Pair){count - 1, 0, smooth((column - (float)last) / gap)};
    } else {
        pair = pair_at((column - (float)first) / (float)step, count);
    }
    pair.first = first + pair.first * step;
    pair.second = first + pair.second * step;
    return pair;
}

// Between the two of `count` places, 0, 1, ..., that are next to it.
static Pair pair_at(float at, int count) {
    const float inside = fminf(fmaxf(at, 0.0f), (float)(count - 1));
    int first = (int)inside;
    if (first > count - 2) first = count > 1 ? count - 2 : 0;
    return (Pair){first, count > 1 ? first + 1 : 0, smooth(inside - (float)first)};
}

static float smooth(float share) {
    return share * share * (3.0f - 2.0f * share);
}
