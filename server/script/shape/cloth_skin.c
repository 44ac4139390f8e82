// Weights of a garment's bones over its grid.
#include "shape/cloth_skin.h"

#include <cglm/vec3.h>
#include <math.h>

// Two neighbours and the share of the second.
typedef struct Pair {
    int first, second;
    float share;
} Pair;

static void try_cell(const SimGarmentDef *garment, const float point[3], int row, int column,
                     ScriptClothPlace *best);
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

ScriptClothPlace script_cloth_nearest(const SimGarmentDef *garment, const float point[3],
                                      const ScriptClothPlace *near) {
    ScriptClothPlace best = {.distance = INFINITY};
    const int columns = garment->closed ? garment->columns : garment->columns - 1;
    if (near) {
        const int row = (int)near->row, column = (int)near->column;
        try_cell(garment, point, row < garment->rows - 1 ? row : row - 1,
                 column < columns ? column : columns - 1, &best);
    }
    for (int row = 0; row < garment->rows - 1; row++)
        for (int column = 0; column < columns; column++) try_cell(garment, point, row, column, &best);
    return best;
}

bool script_cloth_is_cut(const SimGarmentDef *garment, int row, int column) {
    for (int i = 0; i < garment->slit_count; i++)
        if (garment->slits[i].column == column && row >= garment->slits[i].row) return true;
    return false;
}

// C. Ericson, Real-Time Collision Detection, 5.1.5.
void script_nearest_on_triangle(const float point[3], const float *const corners[3], float out_shares[3]) {
    vec3 ab, ac, ap, bp, cp;
    glm_vec3_sub((float *)corners[1], (float *)corners[0], ab);
    glm_vec3_sub((float *)corners[2], (float *)corners[0], ac);
    glm_vec3_sub((float *)point, (float *)corners[0], ap);
    glm_vec3_sub((float *)point, (float *)corners[1], bp);
    glm_vec3_sub((float *)point, (float *)corners[2], cp);
    const float d1 = glm_vec3_dot(ab, ap), d2 = glm_vec3_dot(ac, ap), d3 = glm_vec3_dot(ab, bp);
    const float d4 = glm_vec3_dot(ac, bp), d5 = glm_vec3_dot(ab, cp), d6 = glm_vec3_dot(ac, cp);
    const float a = d3 * d6 - d5 * d4, b = d5 * d2 - d1 * d6, c = d1 * d4 - d3 * d2; // areas opposite
    float right = 0.0f, left = 0.0f; // the shares of corners 1 and 2
    if (d1 <= 0.0f && d2 <= 0.0f)
        ; // corner 0
    else if (d3 >= 0.0f && d4 <= d3)
        right = 1.0f;
    else if (d6 >= 0.0f && d5 <= d6)
        left = 1.0f;
    else if (c <= 0.0f && d1 >= 0.0f && d3 <= 0.0f)
        right = d1 / (d1 - d3);
    else if (b <= 0.0f && d2 >= 0.0f && d6 <= 0.0f)
        left = d2 / (d2 - d6);
    else if (a <= 0.0f && d4 - d3 >= 0.0f && d5 - d6 >= 0.0f)
        left = (d4 - d3) / (d4 - d3 + d5 - d6), right = 1.0f - left;
    else
        right = b / (a + b + c), left = c / (a + b + c);
    out_shares[0] = 1.0f - right - left;
    out_shares[1] = right;
    out_shares[2] = left;
}

// The cell below a row and beside a column, as two triangles.
static void try_cell(const SimGarmentDef *garment, const float point[3], int row, int column,
                     ScriptClothPlace *best) {
    const int columns = garment->columns, right = (column + 1) % columns;
    const float *const top[2] = {garment->positions[row * columns + column],
                                 garment->positions[row * columns + right]};
    const float *const bottom[2] = {garment->positions[(row + 1) * columns + column],
                                    garment->positions[(row + 1) * columns + right]};
    const float reach = fmaxf(fmaxf(glm_vec3_distance((float *)top[0], (float *)top[1]),
                                    glm_vec3_distance((float *)top[0], (float *)bottom[0])),
                              glm_vec3_distance((float *)top[0], (float *)bottom[1]));
    if (glm_vec3_distance((float *)top[0], (float *)point) - reach > best->distance) return;
    if (script_cloth_is_cut(garment, row + 1, column)) return;
    const float *const halves[2][3] = {{top[0], bottom[0], bottom[1]}, {top[0], bottom[1], top[1]}};
    for (int half = 0; half < 2; half++) {
        float shares[3];
        vec3 at = {0.0f, 0.0f, 0.0f};
        script_nearest_on_triangle(point, halves[half], shares);
        for (int k = 0; k < 3; k++) glm_vec3_muladds((float *)halves[half][k], shares[k], at);
        const float distance = glm_vec3_distance(at, (float *)point);
        if (distance >= best->distance) continue;
        best->distance = distance;
        best->row = (float)row + (half == 0 ? shares[1] + shares[2] : shares[1]);
        best->column = (float)column + (half == 0 ? shares[2] : shares[1] + shares[2]);
    }
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
