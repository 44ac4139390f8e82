// Flattening by springs along the edges and diagonals of quads.
#include "shape/flatten.h"

#include <cglm/vec3.h>
#include <math.h>
#include <string.h>

#define SWEEPS 200

typedef struct Flat {
    int point, next; // next: of the same point, cut apart from this one, or -1
    float uv[2];
} Flat;

static int flat_of(Flat *flats, int *flat_count, int *firsts, int point, const float uv[2]);
static void relax(const ScriptCage *cage, int (*corners)[4], Flat *flats, int sweep);
static void pull(Flat *a, Flat *b, float length);

bool script_flatten(ScriptArena *arena, const ScriptCage *cage, float (*uvs)[4][2]) {
    Flat *flats = script_arena_alloc(arena, (size_t)cage->quad_count * 4, sizeof *flats);
    int(*corners)[4] = script_arena_alloc(arena, (size_t)cage->quad_count, sizeof *corners);
    int *firsts = script_arena_alloc(arena, (size_t)cage->point_count, sizeof *firsts), flat_count = 0;
    if (!flats || !corners || !firsts) return false;
    memset(firsts, -1, (size_t)cage->point_count * sizeof *firsts);
    for (int i = 0; i < cage->quad_count * 4; i++)
        corners[i / 4][i % 4] =
            flat_of(flats, &flat_count, firsts, cage->quads[i / 4][i % 4], uvs[i / 4][i % 4]);
    for (int sweep = 0; sweep < SWEEPS; sweep++) relax(cage, corners, flats, sweep);
    for (int i = 0; i < cage->quad_count * 4; i++)
        memcpy(uvs[i / 4][i % 4], flats[corners[i / 4][i % 4]].uv, sizeof uvs[i / 4][i % 4]);
    return true;
}

static int flat_of(Flat *flats, int *flat_count, int *firsts, int point, const float uv[2]) {
    for (int i = firsts[point]; i >= 0; i = flats[i].next)
        if (fabsf(flats[i].uv[0] - uv[0]) + fabsf(flats[i].uv[1] - uv[1]) < 1e-4f) return i;
    flats[*flat_count] = (Flat){point, firsts[point], {uv[0], uv[1]}};
    return firsts[point] = (*flat_count)++;
}

// One way and back, so that no side is favoured.
static void relax(const ScriptCage *cage, int (*corners)[4], Flat *flats, int sweep) {
    static const int links[6][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 3}};
    for (int i = 0; i < cage->quad_count; i++) {
        const int quad = sweep % 2 ? cage->quad_count - 1 - i : i;
        for (int k = 0; k < 6; k++) {
            const int a = links[k][0], b = links[k][1];
            const float length = glm_vec3_distance((float *)cage->points[cage->quads[quad][a]],
                                                   (float *)cage->points[cage->quads[quad][b]]);
            pull(&flats[corners[quad][a]], &flats[corners[quad][b]], length);
        }
    }
}

static void pull(Flat *a, Flat *b, float length) {
    const float u = b->uv[0] - a->uv[0], v = b->uv[1] - a->uv[1], now = sqrtf(u * u + v * v);
    if (now < 1e-9f) return;
    const float share = 0.25f * (now - length) / now;
    a->uv[0] += share * u, a->uv[1] += share * v;
    b->uv[0] -= share * u, b->uv[1] -= share * v;
}
