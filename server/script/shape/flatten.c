// Flattening by springs along the edges and diagonals of quads.
//
// A fine surface is laid flat from the quads of its cage down to the finest ones: each level takes over how
// the one before has moved, and has only its own detail left to find.
#include "shape/flatten.h"

#include <cglm/vec2.h>
#include <cglm/vec3.h>
#include <math.h>
#include <string.h>

#define CAGE_SWEEPS   200
#define COARSE_SWEEPS 32   // of a fine surface's levels but the finest
#define FINE_SWEEPS   16   // of the finest
#define FAST          0.4f // share of a gap that each end goes
#define GENTLE        0.1f // in the last quarter of the sweeps

enum { LINKS = 6 };

typedef struct Level {
    int (*corners)[4];       // [quad_count] vertices
    float (*lengths)[LINKS]; // [quad_count] of edges and diagonals
    int quad_count;
} Level;

typedef struct Flat {
    int point, next; // next: of the same point, cut apart from this one, or -1
    float uv[2];
} Flat;

static int flat_of(Flat *flats, int *flat_count, int *firsts, int point, const float uv[2]);
static bool make_level(ScriptArena *arena, Level *level, int quad_count);
static void measure(const Level *level, const float (*points)[3]);
static void merge(const Level *fine, const Level *level);
static void relax(const Level *level, int sweeps, float (*uvs)[2]);
static void pull(float a[2], float b[2], float length, float share_of_gap);
static void take_over(const Level *level, const Level *fine, const float (*before)[2], float (*uvs)[2]);

static const int links[LINKS][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 3}}; // edges and diagonals

bool script_flatten(ScriptArena *arena, const ScriptCage *cage, float (*uvs)[4][2]) {
    Level level;
    Flat *flats = script_arena_alloc(arena, (size_t)cage->quad_count * 4, sizeof *flats);
    int *firsts = script_arena_alloc(arena, (size_t)cage->point_count, sizeof *firsts), flat_count = 0;
    float(*points)[3] = script_arena_alloc(arena, (size_t)cage->quad_count * 4, sizeof *points);
    float(*flat_uvs)[2] = script_arena_alloc(arena, (size_t)cage->quad_count * 4, sizeof *flat_uvs);
    if (!flats || !firsts || !points || !flat_uvs || !make_level(arena, &level, cage->quad_count))
        return false;
    memset(firsts, -1, (size_t)cage->point_count * sizeof *firsts);
    for (int i = 0; i < cage->quad_count * 4; i++) {
        const int point = cage->quads[i / 4][i % 4];
        const int flat = flat_of(flats, &flat_count, firsts, point, uvs[i / 4][i % 4]);
        level.corners[i / 4][i % 4] = flat;
        memcpy(points[flat], cage->points[point], sizeof points[flat]);
    }
    for (int i = 0; i < flat_count; i++) memcpy(flat_uvs[i], flats[i].uv, sizeof flat_uvs[i]);
    measure(&level, (const float(*)[3])points);
    relax(&level, CAGE_SWEEPS, flat_uvs);
    for (int i = 0; i < cage->quad_count * 4; i++)
        memcpy(uvs[i / 4][i % 4], flat_uvs[level.corners[i / 4][i % 4]], sizeof uvs[i / 4][i % 4]);
    return true;
}

bool script_flatten_fine(ScriptArena *arena, const ScriptFinePanels *panels, float (*uvs)[2]) {
    Level levels[SCRIPT_MAX_LEVELS + 1];
    float(*before)[2] = script_arena_alloc(arena, (size_t)panels->vertex_count, sizeof *before);
    if (!before) return false;
    for (int i = panels->levels, count = panels->quad_count; i >= 0; i--, count /= 4)
        if (!make_level(arena, &levels[i], count)) return false;
    memcpy(levels[panels->levels].corners, panels->corners,
           (size_t)panels->quad_count * sizeof *panels->corners);
    for (int i = panels->levels; i > 0; i--) merge(&levels[i], &levels[i - 1]);
    memcpy(before, uvs, (size_t)panels->vertex_count * sizeof *before);
    for (int i = 0; i <= panels->levels; i++) {
        measure(&levels[i], panels->points);
        relax(&levels[i], i < panels->levels ? COARSE_SWEEPS : FINE_SWEEPS, uvs);
        if (i < panels->levels) take_over(&levels[i], &levels[i + 1], (const float(*)[2])before, uvs);
    }
    return true;
}

static int flat_of(Flat *flats, int *flat_count, int *firsts, int point, const float uv[2]) {
    for (int i = firsts[point]; i >= 0; i = flats[i].next)
        if (fabsf(flats[i].uv[0] - uv[0]) + fabsf(flats[i].uv[1] - uv[1]) < 1e-4f) return i;
    flats[*flat_count] = (Flat){point, firsts[point], {uv[0], uv[1]}};
    return firsts[point] = (*flat_count)++;
}

static bool make_level(ScriptArena *arena, Level *level, int quad_count) {
    level->quad_count = quad_count;
    level->corners = script_arena_alloc(arena, (size_t)quad_count, sizeof *level->corners);
    level->lengths = script_arena_alloc(arena, (size_t)quad_count, sizeof *level->lengths);
    return level->corners && level->lengths;
}

static void measure(const Level *level, const float (*points)[3]) {
    for (int i = 0; i < level->quad_count * LINKS; i++) {
        const int *quad = level->corners[i / LINKS], *link = links[i % LINKS];
        level->lengths[i / LINKS][i % LINKS] =
            glm_vec3_distance((float *)points[quad[link[0]]], (float *)points[quad[link[1]]]);
    }
}

// Each quad of `level` was split in four: the one at its corner k has that corner first, then the middle of
// the edge to the next corner, the middle of the quad, and the middle of the edge from the corner before.
static void merge(const Level *fine, const Level *level) {
    for (int i = 0; i < level->quad_count * 4; i++) level->corners[i / 4][i % 4] = fine->corners[i][0];
}

// One way and back, so that no side is favoured.
static void relax(const Level *level, int sweeps, float (*uvs)[2]) {
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (int i = 0; i < level->quad_count; i++) {
            const int quad = sweep % 2 ? level->quad_count - 1 - i : i, *corners = level->corners[quad];
            const float share = sweep < sweeps * 3 / 4 ? FAST : GENTLE;
            for (int k = 0; k < LINKS; k++)
                pull(uvs[corners[links[k][0]]], uvs[corners[links[k][1]]], level->lengths[quad][k], share);
        }
}

static void pull(float a[2], float b[2], float length, float share_of_gap) {
    const float u = b[0] - a[0], v = b[1] - a[1], now = sqrtf(u * u + v * v);
    if (now < 1e-9f) return;
    const float share = share_of_gap * (now - length) / now;
    a[0] += share * u, a[1] += share * v;
    b[0] -= share * u, b[1] -= share * v;
}

// The middles of edges and quads move by the mean of the corners round them.
static void take_over(const Level *level, const Level *fine, const float (*before)[2], float (*uvs)[2]) {
    for (int i = 0; i < level->quad_count; i++) {
        const int *center = &fine->corners[i * 4][2];
        vec2 moves[4], sum = GLM_VEC2_ZERO_INIT;
        for (int k = 0; k < 4; k++) {
            const int corner = level->corners[i][k];
            glm_vec2_sub(uvs[corner], (float *)before[corner], moves[k]);
            glm_vec2_add(sum, moves[k], sum);
        }
        for (int k = 0; k < 4; k++) {
            const int middle = fine->corners[i * 4 + k][1];
            vec2 both;
            glm_vec2_add(moves[k], moves[(k + 1) % 4], both);
            glm_vec2_scale(both, 0.5f, both);
            glm_vec2_add((float *)before[middle], both, uvs[middle]);
        }
        glm_vec2_scale(sum, 0.25f, sum);
        glm_vec2_add((float *)before[*center], sum, uvs[*center]);
    }
}
