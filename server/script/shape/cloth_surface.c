// A grid as a cage of quads, and its uvs unrolled from a cone.
#include "shape/cloth_surface.h"

#include "shape/flatten.h"

#include <cglm/vec3.h>
#include <math.h>
#include <string.h>

#define FINE_EDGE  0.026f // m, about the length of edges that subdivision aims at
#define MOST_QUADS 16384
#define FLAT_ANGLE 0.02f // below this angle a cone is unrolled as a cylinder

// Mean lengths of a grid: each row's across, and from the first row down to it.
typedef struct Lengths {
    float across[128], down[128];
} Lengths;

static int quad_columns(const SimGarmentDef *garment);
static int set_quads(const SimGarmentDef *garment, int (*quads)[4]);
static bool set_skin(ScriptArena *arena, const SimGarmentDef *garment, const ScriptCage *cage,
                     ScriptClothSurface *out);
static void measure(const SimGarmentDef *garment, const float (*points)[3], Lengths *out);
static void unroll(const SimGarmentDef *garment, const ScriptCage *cage, const Lengths *lengths,
                   float (*uvs)[4][2]);
static int levels_for(const SimGarmentDef *garment, const Lengths *lengths);

bool script_cloth_surface(ScriptArena *arena, const SimGarmentDef *garment, float thickness,
                          ScriptClothSurface *out) {
    const int point_count = garment->rows * garment->columns;
    int quad_count = (garment->rows - 1) * quad_columns(garment);
    int(*quads)[4] = script_arena_alloc(arena, (size_t)quad_count, sizeof *quads);
    float(*uvs)[4][2] = script_arena_alloc(arena, (size_t)quad_count, sizeof *uvs);
    float *thicknesses = script_arena_alloc(arena, (size_t)point_count, sizeof *thicknesses);
    Lengths lengths;
    if (!quads || !uvs || !thicknesses) return false;
    for (int i = 0; i < point_count; i++) thicknesses[i] = thickness;
    quad_count = set_quads(garment, quads);
    const ScriptCage cage = {garment->positions, (const int(*)[4])quads, point_count, quad_count};
    ScriptCage cut = cage;
    if (garment->pattern) cut.points = garment->pattern;
    measure(garment, cut.points, &lengths);
    unroll(garment, &cage, &lengths, uvs);
    if (!script_flatten(arena, &cut, uvs)) return false;
    const ScriptSurfaceDef def = {.cage = cage,
                                  .uvs = (const float(*)[4][2])uvs,
                                  .flatten = true,
                                  .pattern = garment->pattern,
                                  .thickness = thicknesses,
                                  .levels = levels_for(garment, &lengths)};
    return script_surface_make(arena, &def, &out->surface) && set_skin(arena, garment, &cage, out);
}

static int quad_columns(const SimGarmentDef *garment) {
    return garment->closed ? garment->columns : garment->columns - 1;
}

// Seen from outside, rows run down and columns to the right; slits part columns.
static int set_quads(const SimGarmentDef *garment, int (*quads)[4]) {
    const int columns = quad_columns(garment);
    int count = 0;
    for (int i = 0; i < (garment->rows - 1) * columns; i++) {
        const int top = i / columns * garment->columns, bottom = top + garment->columns;
        const int left = i % columns, right = (left + 1) % garment->columns;
        const int corners[4] = {bottom + left, bottom + right, top + right, top + left};
        if (!script_cloth_is_cut(garment, i / columns + 1, left))
            memcpy(quads[count++], corners, sizeof corners);
    }
    return count;
}

static bool set_skin(ScriptArena *arena, const SimGarmentDef *garment, const ScriptCage *cage,
                     ScriptClothSurface *out) {
    out->skin = script_arena_alloc(arena, (size_t)out->surface.vertex_count, sizeof *out->skin);
    for (int i = 0; out->skin && i < out->surface.vertex_count; i++) {
        const ScriptPlace *place = &out->surface.places[i];
        const int first = cage->quads[place->quad][3]; // the corner at the top and left
        out->skin[i] = script_cloth_skin(garment, (float)(first / garment->columns) + 1.0f - place->v,
                                         (float)(first % garment->columns) + place->u);
    }
    return out->skin != NULL;
}

static void measure(const SimGarmentDef *garment, const float (*points)[3], Lengths *out) {
    *out = (Lengths){0};
    for (int row = 0; row < garment->rows; row++) {
        const float(*at)[3] = points + row * garment->columns;
        float down = 0.0f;
        for (int i = 0; i < quad_columns(garment); i++)
            out->across[row] += glm_vec3_distance((float *)at[i], (float *)at[(i + 1) % garment->columns]);
        for (int i = 0; i < garment->columns && row > 0; i++)
            down += glm_vec3_distance((float *)at[i], (float *)at[i - garment->columns]);
        out->down[row] = row > 0 ? out->down[row - 1] + down / (float)garment->columns : 0.0f;
    }
}

// Rows grow evenly on a cone, which lies flat as a part of a ring: across = angle * (inner + down), by least
// squares.
static void unroll(const SimGarmentDef *garment, const ScriptCage *cage, const Lengths *lengths,
                   float (*uvs)[4][2]) {
    const float rows = (float)garment->rows, last = (float)quad_columns(garment);
    float down = 0.0f, across = 0.0f, variance = 0.0f, covariance = 0.0f;
    for (int row = 0; row < garment->rows; row++)
        down += lengths->down[row] / rows, across += lengths->across[row] / rows;
    for (int row = 0; row < garment->rows; row++) {
        variance += (lengths->down[row] - down) * (lengths->down[row] - down);
        covariance += (lengths->down[row] - down) * (lengths->across[row] - across);
    }
    const float angle = covariance / variance, inner = across / angle - down;
    const bool is_cylinder = !(fabsf(angle) > FLAT_ANGLE);
    for (int i = 0; i < cage->quad_count; i++)
        for (int k = 0; k < 4; k++) {
            const int first = cage->quads[i][3], row = first / garment->columns + (k < 2);
            const float share = (float)(first % garment->columns + (k == 1 || k == 2)) / last - 0.5f;
            const float radius = inner + lengths->down[row];
            uvs[i][k][0] = is_cylinder ? share * across : radius * sinf(share * angle);
            uvs[i][k][1] = is_cylinder ? -lengths->down[row] : inner - radius * cosf(share * angle);
        }
}

static int levels_for(const SimGarmentDef *garment, const Lengths *lengths) {
    const int quads = (garment->rows - 1) * quad_columns(garment);
    const float edge = lengths->down[garment->rows - 1] / (float)(garment->rows - 1);
    int levels = 0;
    while (levels < 3 && edge / (float)(1 << levels) > FINE_EDGE && quads << (2 * levels + 2) <= MOST_QUADS)
        levels++;
    return levels;
}
