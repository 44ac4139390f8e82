// Catmull-Clark subdivision over arrays of quads.
#include "shape/subdivide.h"

#include <cglm/vec3.h>
#include <stdlib.h>
#include <string.h>

#define SWEEPS 24   // of the correction that leads the surface through the cage's points
#define STEP   1.4f // its share of the error: over 1, since the surface follows a rough cage by a ninth only

// One side of a quad; sorted, those of one edge follow each other.
typedef struct Side {
    int low, high; // points
    int quad, side;
} Side;

typedef struct Edge {
    int points[2]; // in the order of the first quad
    int quads[2];  // the second is -1 on the border
} Edge;

typedef struct Mesh {
    float (*points)[3];
    int (*quads)[4];
    ScriptPlace (*places)[4];
    int (*edges_of)[4]; // [quad_count] edge from corner i to the next
    Edge *edges;
    int *valences; // [point_count] quads
    int *borders;  // [point_count] edges on the border
    int point_count, quad_count, edge_count;
} Mesh;

static bool connect(ScriptArena *arena, Mesh *mesh);
static int compare_sides(const void *a, const void *b);
static bool correct(ScriptArena *arena, Mesh *mesh);
static void find_limit(const Mesh *mesh, float (*out)[3]);
static bool is_smooth_border(const Mesh *mesh, int point);
static bool split(ScriptArena *arena, const Mesh *mesh, Mesh *out);
static void place_edges(const Mesh *mesh, float (*centers)[3], float (*out)[3]);
static void place_points(const Mesh *mesh, float (*centers)[3], float (*out)[3]);
static void split_quads(const Mesh *mesh, Mesh *out);
static bool finish(ScriptArena *arena, Mesh *mesh, ScriptFineSurface *out);
static void find_normals(ScriptFineSurface *surface);

int script_cage_fault(ScriptArena *arena, const ScriptCage *cage) {
    Side *sides = script_arena_alloc(arena, (size_t)cage->quad_count * 4, sizeof *sides);
    if (!sides) return -1;
    for (int i = 0; i < cage->quad_count * 4; i++) {
        const int *quad = cage->quads[i / 4], a = quad[i % 4], b = quad[(i + 1) % 4];
        sides[i] = (Side){a < b ? a : b, a < b ? b : a, i / 4, i % 4};
    }
    qsort(sides, (size_t)cage->quad_count * 4, sizeof *sides, compare_sides);
    for (int i = 2; i < cage->quad_count * 4; i++)
        if (sides[i].low == sides[i - 2].low && sides[i].high == sides[i - 2].high) return sides[i].quad;
    return -1;
}

bool script_subdivide(ScriptArena *arena, const ScriptCage *cage, int levels,
                      ScriptFineSurface *out_surface) {
    Mesh mesh = {
        .quads = (int(*)[4])cage->quads, .point_count = cage->point_count, .quad_count = cage->quad_count};
    mesh.points = script_arena_alloc(arena, (size_t)mesh.point_count, sizeof *mesh.points);
    mesh.places = script_arena_alloc(arena, (size_t)mesh.quad_count, sizeof *mesh.places);
    if (!mesh.points || !mesh.places) return false;
    memcpy(mesh.points, cage->points, (size_t)mesh.point_count * sizeof *mesh.points);
    for (int i = 0; i < mesh.quad_count; i++)
        for (int k = 0; k < 4; k++) mesh.places[i][k] = (ScriptPlace){i, k == 1 || k == 2, k >= 2};
    if (!connect(arena, &mesh) || !correct(arena, &mesh)) return false;
    for (int level = 0; level < levels; level++) {
        Mesh fine;
        if (!split(arena, &mesh, &fine)) return false;
        mesh = fine;
    }
    return finish(arena, &mesh, out_surface);
}

void script_place_shares(const ScriptPlace *place, float out_shares[4]) {
    out_shares[0] = (1.0f - place->u) * (1.0f - place->v);
    out_shares[1] = place->u * (1.0f - place->v);
    out_shares[2] = place->u * place->v;
    out_shares[3] = (1.0f - place->u) * place->v;
}

// Finds edges, valences and borders.
static bool connect(ScriptArena *arena, Mesh *mesh) {
    const int side_count = mesh->quad_count * 4;
    Side *sides = script_arena_alloc(arena, (size_t)side_count, sizeof *sides);
    mesh->edges = script_arena_alloc(arena, (size_t)side_count, sizeof *mesh->edges);
    mesh->edges_of = script_arena_alloc(arena, (size_t)mesh->quad_count, sizeof *mesh->edges_of);
    mesh->valences = script_arena_alloc(arena, (size_t)mesh->point_count, sizeof *mesh->valences);
    mesh->borders = script_arena_alloc(arena, (size_t)mesh->point_count, sizeof *mesh->borders);
    if (!sides || !mesh->edges || !mesh->edges_of || !mesh->valences || !mesh->borders) return false;
    for (int i = 0; i < side_count; i++) {
        const int *quad = mesh->quads[i / 4], a = quad[i % 4], b = quad[(i + 1) % 4];
        sides[i] = (Side){a < b ? a : b, a < b ? b : a, i / 4, i % 4};
        mesh->valences[a]++;
    }
    qsort(sides, (size_t)side_count, sizeof *sides, compare_sides);
    mesh->edge_count = 0;
    for (int i = 0; i < side_count; i++) {
        const Side *side = &sides[i];
        const bool is_new = i == 0 || side->low != side[-1].low || side->high != side[-1].high;
        if (is_new) {
            const int *quad = mesh->quads[side->quad];
            mesh->edges[mesh->edge_count++] =
                (Edge){{quad[side->side], quad[(side->side + 1) % 4]}, {side->quad, -1}};
        } else {
            mesh->edges[mesh->edge_count - 1].quads[1] = side->quad;
        }
        mesh->edges_of[side->quad][side->side] = mesh->edge_count - 1;
    }
    for (int i = 0; i < mesh->edge_count; i++)
        if (mesh->edges[i].quads[1] < 0)
            for (int k = 0; k < 2; k++) mesh->borders[mesh->edges[i].points[k]]++;
    return true;
}

static int compare_sides(const void *a, const void *b) {
    const Side *left = a, *right = b;
    if (left->low != right->low) return left->low < right->low ? -1 : 1;
    if (left->high != right->high) return left->high < right->high ? -1 : 1;
    return left->quad != right->quad ? (left->quad < right->quad ? -1 : 1) : left->side - right->side;
}

// Moves the points until the smooth surface passes where they were.
static bool correct(ScriptArena *arena, Mesh *mesh) {
    float(*wanted)[3] = script_arena_alloc(arena, (size_t)mesh->point_count, sizeof *wanted);
    float(*limit)[3] = script_arena_alloc(arena, (size_t)mesh->point_count, sizeof *limit);
    if (!wanted || !limit) return false;
    memcpy(wanted, mesh->points, (size_t)mesh->point_count * sizeof *wanted);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        find_limit(mesh, limit);
        for (int i = 0; i < mesh->point_count; i++)
            for (int k = 0; k < 3; k++) mesh->points[i][k] += STEP * (wanted[i][k] - limit[i][k]);
    }
    return true;
}

// Where the points end up when subdivision goes on for ever.
static void find_limit(const Mesh *mesh, float (*out)[3]) {
    memset(out, 0, (size_t)mesh->point_count * sizeof *out);
    for (int i = 0; i < mesh->quad_count * 4; i++) {
        const int *quad = mesh->quads[i / 4], point = quad[i % 4];
        if (!mesh->borders[point]) glm_vec3_add(out[point], mesh->points[quad[(i + 2) % 4]], out[point]);
    }
    for (int i = 0; i < mesh->edge_count * 2; i++) {
        const Edge *edge = &mesh->edges[i / 2];
        const int point = edge->points[i % 2];
        float *other = mesh->points[edge->points[1 - i % 2]];
        if (!mesh->borders[point])
            glm_vec3_muladds(other, 4.0f, out[point]);
        else if (edge->quads[1] < 0)
            glm_vec3_add(out[point], other, out[point]);
    }
    for (int i = 0; i < mesh->point_count; i++) {
        const float n = (float)mesh->valences[i];
        const bool is_border = is_smooth_border(mesh, i);
        if (mesh->borders[i] ? !is_border : !mesh->valences[i]) {
            glm_vec3_copy(mesh->points[i], out[i]);
            continue;
        }
        glm_vec3_muladds(mesh->points[i], is_border ? 4.0f : n * n, out[i]);
        glm_vec3_scale(out[i], 1.0f / (is_border ? 6.0f : n * (n + 5.0f)), out[i]);
    }
}

// Corners, and points where borders meet, stay where they are.
static bool is_smooth_border(const Mesh *mesh, int point) {
    return mesh->borders[point] == 2 && mesh->valences[point] > 1;
}

static bool split(ScriptArena *arena, const Mesh *mesh, Mesh *out) {
    *out = (Mesh){.point_count = mesh->point_count + mesh->edge_count + mesh->quad_count,
                  .quad_count = mesh->quad_count * 4};
    out->points = script_arena_alloc(arena, (size_t)out->point_count, sizeof *out->points);
    out->quads = script_arena_alloc(arena, (size_t)out->quad_count, sizeof *out->quads);
    out->places = script_arena_alloc(arena, (size_t)out->quad_count, sizeof *out->places);
    if (!out->points || !out->quads || !out->places) return false;
    float(*edges)[3] = out->points + mesh->point_count, (*centers)[3] = edges + mesh->edge_count;
    for (int i = 0; i < mesh->quad_count; i++)
        for (int k = 0; k < 4; k++) glm_vec3_muladds(mesh->points[mesh->quads[i][k]], 0.25f, centers[i]);
    place_edges(mesh, centers, edges);
    place_points(mesh, centers, out->points);
    split_quads(mesh, out);
    return connect(arena, out);
}

static void place_edges(const Mesh *mesh, float (*centers)[3], float (*out)[3]) {
    for (int i = 0; i < mesh->edge_count; i++) {
        const Edge *edge = &mesh->edges[i];
        const bool is_border = edge->quads[1] < 0;
        for (int k = 0; k < 2; k++) {
            glm_vec3_muladds(mesh->points[edge->points[k]], is_border ? 0.5f : 0.25f, out[i]);
            if (!is_border) glm_vec3_muladds(centers[edge->quads[k]], 0.25f, out[i]);
        }
    }
}

static void place_points(const Mesh *mesh, float (*centers)[3], float (*out)[3]) {
    for (int i = 0; i < mesh->quad_count * 4; i++) {
        const int point = mesh->quads[i / 4][i % 4];
        const float n = (float)mesh->valences[point];
        if (!mesh->borders[point]) glm_vec3_muladds(centers[i / 4], 1.0f / (n * n), out[point]);
    }
    for (int i = 0; i < mesh->edge_count * 2; i++) {
        const Edge *edge = &mesh->edges[i / 2];
        const int point = edge->points[i % 2];
        const float n = (float)mesh->valences[point];
        float *other = mesh->points[edge->points[1 - i % 2]];
        if (!mesh->borders[point])
            glm_vec3_muladds(other, 1.0f / (n * n), out[point]);
        else if (edge->quads[1] < 0 && is_smooth_border(mesh, point))
            glm_vec3_muladds(other, 0.125f, out[point]);
    }
    for (int i = 0; i < mesh->point_count; i++) {
        const float n = (float)mesh->valences[i];
        const float own = mesh->borders[i] ? (is_smooth_border(mesh, i) ? 0.75f : 1.0f)
                          : n > 0.0f       ? (n - 2.0f) / n
                                           : 1.0f;
        glm_vec3_muladds(mesh->points[i], own, out[i]);
    }
}

// Each corner keeps its quad; its own corner is the first.
static void split_quads(const Mesh *mesh, Mesh *out) {
    const int first_edge = mesh->point_count, first_center = first_edge + mesh->edge_count;
    for (int i = 0; i < mesh->quad_count; i++) {
        const ScriptPlace *at = mesh->places[i];
        const int quad = at[0].quad;
        const ScriptPlace center = {quad, (at[0].u + at[2].u) / 2.0f, (at[0].v + at[2].v) / 2.0f};
        for (int k = 0; k < 4; k++) {
            const int next = (k + 1) % 4, last = (k + 3) % 4;
            int *fine = out->quads[i * 4 + k];
            ScriptPlace *places = out->places[i * 4 + k];
            fine[0] = mesh->quads[i][k];
            fine[1] = first_edge + mesh->edges_of[i][k];
            fine[2] = first_center + i;
            fine[3] = first_edge + mesh->edges_of[i][last];
            places[0] = at[k];
            places[1] = (ScriptPlace){quad, (at[k].u + at[next].u) / 2.0f, (at[k].v + at[next].v) / 2.0f};
            places[2] = center;
            places[3] = (ScriptPlace){quad, (at[k].u + at[last].u) / 2.0f, (at[k].v + at[last].v) / 2.0f};
        }
    }
}

static bool finish(ScriptArena *arena, Mesh *mesh, ScriptFineSurface *out) {
    *out = (ScriptFineSurface){.quads = mesh->quads,
                               .places = mesh->places,
                               .point_count = mesh->point_count,
                               .quad_count = mesh->quad_count};
    out->points = script_arena_alloc(arena, (size_t)mesh->point_count, sizeof *out->points);
    out->normals = script_arena_alloc(arena, (size_t)mesh->point_count, sizeof *out->normals);
    out->borders = script_arena_alloc(arena, (size_t)mesh->edge_count, sizeof *out->borders);
    if (!out->points || !out->normals || !out->borders) return false;
    find_limit(mesh, out->points);
    for (int i = 0; i < mesh->quad_count * 4; i++)
        if (mesh->edges[mesh->edges_of[i / 4][i % 4]].quads[1] < 0)
            out->borders[out->border_count++] = (ScriptBorder){i / 4, i % 4};
    find_normals(out);
    return true;
}

// The mean of the quads around each point, by area.
static void find_normals(ScriptFineSurface *surface) {
    for (int i = 0; i < surface->quad_count; i++) {
        const int *quad = surface->quads[i];
        vec3 a, b, normal;
        glm_vec3_sub(surface->points[quad[2]], surface->points[quad[0]], a);
        glm_vec3_sub(surface->points[quad[3]], surface->points[quad[1]], b);
        glm_vec3_cross(a, b, normal);
        for (int k = 0; k < 4; k++)
            glm_vec3_add(surface->normals[quad[k]], normal, surface->normals[quad[k]]);
    }
    for (int i = 0; i < surface->point_count; i++) glm_vec3_normalize(surface->normals[i]);
}
