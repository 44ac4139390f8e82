// Flattening by springs along the edges and diagonals of quads.
#include "shape/flatten.h"

#include <cglm/vec3.h>
#include <math.h>
#include <string.h>

#define SWEEPS      200
#define FINE_SWEEPS 160
#define GENTLE      0.25f // share of a gap that each end goes
#define FAST        0.45f

typedef struct Flat {
    int point, next; // next: of the same point, cut apart from this one, or -1
    float uv[2];
} Flat;

static int flat_of(Flat *flats, int *flat_count, int *firsts, int point, const float uv[2]);
static void relax(const ScriptCage *cage, int (*corners)[4], Flat *flats, int sweep);
static void pull(float a[2], float b[2], float length, float share_of_gap);

static const int links[6][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 3}}; // edges and diagonals

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

bool script_flatten_fine(ScriptArena *arena, const int (*corners)[4], int quad_count,
                         const float (*points)[3], float (*uvs)[2]) {
    float(*lengths)[6] = script_arena_alloc(arena, (size_t)quad_count, sizeof *lengths);
    if (!lengths) return false;
    for (int i = 0; i < quad_count * 6; i++) {
        const int *quad = corners[i / 6], *link = links[i % 6];
        lengths[i / 6][i % 6] =
            glm_vec3_distance((float *)points[quad[link[0]]], (float *)points[quad[link[1]]]);
    }
    for (int sweep = 0; sweep < FINE_SWEEPS; sweep++)
        for (int i = 0; i < quad_count; i++) {
            const int quad = sweep % 2 ? quad_count - 1 - i : i;
            const float share = sweep < FINE_SWEEPS * 3 / 4 ? FAST : GENTLE;
            for (int k = 0; k < 6; k++)
                pull(uvs[corners[quad][links[k][0]]], uvs[corners[quad][links[k][1]]], lengths[quad][k],
                     share);
        }
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
    for (int i = 0; i < cage->quad_count; i++) {
        const int quad = sweep % 2 ? cage->quad_count - 1 - i : i;
        for (int k = 0; k < 6; k++) {
            const int a = links[k][0], b = links[k][1];
            const float length = glm_vec3_distance((float *)cage->points[cage->quads[quad][a]],
                                                   (float *)cage->points[cage->quads[quad][b]]);
            pull(flats[corners[quad][a]].uv, flats[corners[quad][b]].uv, length, GENTLE);
        }
    }
}

static void pull(float a[2], float b[2], float length, float share_of_gap) {
    const float u = b[0] - a[0], v = b[1] - a[1], now = sqrtf(u * u + v * v);
    if (now < 1e-9f) return;
    const float share = share_of_gap * (now - length) / now;
    a[0] += share * u, a[1] += share * v;
    b[0] -= share * u, b[1] -= share * v;
}
