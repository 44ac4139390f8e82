// Welds vertices, checks the surface, and pairs triangles.
#include "grid/quads.h"

#include "data.h"
#include "vertex_weld.h"

#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SIZE 0.005f // m, of the longest side
#define MOST_SIZE  20.0f

// An edge between two triangles that may be a quad's diagonal.
typedef struct Diagonal {
    int triangles[2];
    int quad[4];
    float bend; // rad: how far the worst corner is from a right angle
} Diagonal;

static bool has_size(const AssetGridDef *def, AssetError *out_error);
static bool weld(GridQuads *quads, const AssetGridDef *def, AssetError *out_error);
static int list_triangles(const GridQuads *quads, const AssetGridDef *def, int (*out_triangles)[3]);
static bool is_one_piece(const GridQuads *quads, const AssetGridDef *def, const int (*triangles)[3],
                         int triangle_count, AssetError *out_error);
static int root_of(int *parents, int place);
static int list_diagonals(const GridQuads *quads, const AssetGridDef *def, const int (*triangles)[3],
                          int triangle_count, Diagonal *out_diagonals, AssetError *out_error);
static void set_diagonal(const GridQuads *quads, const AssetGridDef *def, const int (*triangles)[3],
                         const GridEdge edges[2], Diagonal *out_diagonal);
static int compare_diagonals(const void *left, const void *right);
static bool pair(GridQuads *quads, const AssetGridDef *def, const int (*triangles)[3], int triangle_count,
                 const Diagonal *diagonals, int diagonal_count, AssetError *out_error);
static const float *place(const GridQuads *quads, const AssetGridDef *def, int index);

bool grid_quads_find(GridQuads *quads, const AssetGridDef *def, AssetError *out_error) {
    *quads = (GridQuads){0};
    if (def->triangle_count == 0) return asset_fail(out_error, "expected triangles, found none");
    if (!has_size(def, out_error) || !weld(quads, def, out_error)) return false;
    int(*triangles)[3] = malloc((size_t)def->triangle_count * sizeof *triangles);
    Diagonal *diagonals = malloc(3 * (size_t)def->triangle_count * sizeof *diagonals);
    quads->quads = malloc((size_t)def->triangle_count * sizeof *quads->quads);
    bool done = triangles && diagonals && quads->quads;
    if (!done) asset_fail(out_error, "out of memory");
    const int triangle_count = done ? list_triangles(quads, def, triangles) : 0;
    const int(*whole)[3] = (const int(*)[3])triangles;
    done = done && is_one_piece(quads, def, whole, triangle_count, out_error);
    const int diagonal_count =
        done ? list_diagonals(quads, def, whole, triangle_count, diagonals, out_error) : -1;
    done =
        diagonal_count >= 0 && pair(quads, def, whole, triangle_count, diagonals, diagonal_count, out_error);
    free(triangles);
    free(diagonals);
    return done;
}

void grid_quads_finish(GridQuads *quads) {
    free(quads->place_of);
    free(quads->vertices);
    free(quads->quads);
    *quads = (GridQuads){0};
}

void grid_edges_list(GridEdge *out_edges, const int *faces, int face_count, int corners) {
    for (int face = 0; face < face_count; face++) {
        for (int side = 0; side < corners; side++) {
            const int a = faces[face * corners + side], b = faces[face * corners + (side + 1) % corners];
            *out_edges++ = a < b ? (GridEdge){a, b, face, side} : (GridEdge){b, a, face, side};
        }
    }
    qsort(out_edges - face_count * corners, (size_t)face_count * (size_t)corners, sizeof *out_edges,
          grid_edges_compare);
}

int grid_edges_compare(const void *left, const void *right) {
    const GridEdge *a = left, *b = right;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

int grid_edges_alike(const GridEdge *edges, int count) {
    int alike = 1;
    while (alike < count && grid_edges_compare(&edges[0], &edges[alike]) == 0) alike++;
    return alike;
}

static bool has_size(const AssetGridDef *def, AssetError *out_error) {
    static const float factors[] = {0.01f, 0.001f, 0.0254f, 1000.0f, 100.0f};
    float longest = 0.0f;
    for (int k = 0; k < 3; k++) {
        float least = INFINITY, most = -INFINITY;
        for (int i = 0; i < def->vertex_count; i++) {
            least = fminf(least, def->positions[i][k]);
            most = fmaxf(most, def->positions[i][k]);
        }
        longest = fmaxf(longest, most - least);
    }
    if (longest >= LEAST_SIZE && longest <= MOST_SIZE) return true;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        if (longest * factors[i] >= 0.1f && longest * factors[i] <= 3.0f)
            return asset_fail(out_error,
                              "expected metres, found a longest side of %g: a scale of %g would make it %g m",
                              (double)longest, (double)factors[i], (double)(longest * factors[i]));
    return asset_fail(out_error, "expected a longest side of %g to %g m, found %g", (double)LEAST_SIZE,
                      (double)MOST_SIZE, (double)longest);
}

static bool weld(GridQuads *quads, const AssetGridDef *def, AssetError *out_error) {
    const size_t count = (size_t)def->vertex_count;
    quads->place_of = malloc(count * sizeof *quads->place_of);
    quads->vertices = malloc(count * sizeof *quads->vertices);
    quads->place_count =
        quads->place_of && quads->vertices
            ? asset_weld(def->positions, def->vertex_count, def->weld, quads->place_of, quads->vertices)
            : -1;
    if (quads->place_count < 0) return asset_fail(out_error, "out of memory");
    return quads->place_count <= ASSET_MOST_GRID_PARTICLES ||
           asset_fail(out_error, "expected %d vertices at most, after those at one place are one, found %d",
                      ASSET_MOST_GRID_PARTICLES, quads->place_count);
}

// Those that have two corners at one place have no area and are left out.
static int list_triangles(const GridQuads *quads, const AssetGridDef *def, int (*out_triangles)[3]) {
    int count = 0;
    for (int i = 0; i < def->triangle_count; i++) {
        int *corners = out_triangles[count];
        for (int k = 0; k < 3; k++) corners[k] = quads->place_of[def->triangles[i][k]];
        count += corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0];
    }
    return count;
}

static bool is_one_piece(const GridQuads *quads, const AssetGridDef *def, const int (*triangles)[3],
                         int triangle_count, AssetError *out_error) {
    int *parents = malloc((size_t)quads->place_count * sizeof *parents), pieces = 0, other = -1;
    if (!parents) return asset_fail(out_error, "out of memory");
    for (int i = 0; i < quads->place_count; i++) parents[i] = -1; // of no triangle
    for (int i = 0; i < triangle_count; i++) {
        for (int k = 0; k < 3; k++)
            if (parents[triangles[i][k]] < 0) parents[triangles[i][k]] = triangles[i][k];
        for (int k = 1; k < 3; k++)
            parents[root_of(parents, triangles[i][k])] = root_of(parents, triangles[i][0]);
    }
    for (int i = 0; i < quads->place_count; i++) {
        if (parents[i] != i) continue;
        pieces++;
        if (pieces == 2) other = i;
    }
    free(parents);
    if (pieces == 1) return true;
    if (pieces == 0) return asset_fail(out_error, "expected triangles with an area, found none");
    const float *at = place(quads, def, other);
    return asset_fail(out_error,
                      "expected one piece, found %d: one has the vertex {%g, %g, %g}; a larger weld may join "
                      "them, and import_mesh takes one mesh of a file",
                      pieces, (double)at[0], (double)at[1], (double)at[2]);
}

static int root_of(int *parents, int of) {
    while (parents[of] != of) of = parents[of] = parents[parents[of]];
    return of;
}

// -1 with an error where more than two triangles meet.
static int list_diagonals(const GridQuads *quads, const AssetGridDef *def, const int (*triangles)[3],
                          int triangle_count, Diagonal *out_diagonals, AssetError *out_error) {
    const int edge_count = 3 * triangle_count;
    GridEdge *edges = malloc((size_t)edge_count * sizeof *edges);
    int count = 0;
    if (!edges) return asset_fail(out_error, "out of memory"), -1;
    grid_edges_list(edges, triangles[0], triangle_count, 3);
    for (int i = 0, alike; count >= 0 && i < edge_count; i += alike) {
        alike = grid_edges_alike(&edges[i], edge_count - i);
        if (alike == 2) set_diagonal(quads, def, triangles, &edges[i], &out_diagonals[count++]);
        if (alike <= 2) continue;
        const float *from = place(quads, def, edges[i].from), *to = place(quads, def, edges[i].to);
        asset_fail(out_error,
                   "expected two triangles at most at an edge, found %d from {%g, %g, %g} to {%g, %g, %g}",
                   alike, (double)from[0], (double)from[1], (double)from[2], (double)to[0], (double)to[1],
                   (double)to[2]);
        count = -1;
    }
    free(edges);
    if (count > 0) qsort(out_diagonals, (size_t)count, sizeof *out_diagonals, compare_diagonals);
    return count;
}

static void set_diagonal(const GridQuads *quads, const AssetGridDef *def, const int (*triangles)[3],
                         const GridEdge edges[2], Diagonal *out_diagonal) {
    const int *first = triangles[edges[0].face], *second = triangles[edges[1].face];
    const int side = edges[0].side;
    *out_diagonal = (Diagonal){
        .triangles = {edges[0].face, edges[1].face},
        .quad = {first[side], second[(edges[1].side + 2) % 3], first[(side + 1) % 3], first[(side + 2) % 3]},
    };
    for (int k = 0; k < 4; k++) {
        const float *at = place(quads, def, out_diagonal->quad[k]);
        const float *next = place(quads, def, out_diagonal->quad[(k + 1) % 4]);
        const float *before = place(quads, def, out_diagonal->quad[(k + 3) % 4]);
        vec3 along, back;
        glm_vec3_sub((float *)next, (float *)at, along);
        glm_vec3_sub((float *)before, (float *)at, back);
        out_diagonal->bend = fmaxf(out_diagonal->bend, fabsf(glm_vec3_angle(along, back) - GLM_PI_2f));
    }
}

static int compare_diagonals(const void *left, const void *right) {
    const Diagonal *a = left, *b = right;
    if (a->bend != b->bend) return a->bend < b->bend ? -1 : 1;
    return (a->triangles[0] > b->triangles[0]) - (a->triangles[0] < b->triangles[0]);
}

// The best first.
static bool pair(GridQuads *quads, const AssetGridDef *def, const int (*triangles)[3], int triangle_count,
                 const Diagonal *diagonals, int diagonal_count, AssetError *out_error) {
    bool *paired = calloc((size_t)triangle_count, sizeof *paired);
    if (!paired) return asset_fail(out_error, "out of memory");
    for (int i = 0; i < diagonal_count; i++) {
        const Diagonal *diagonal = &diagonals[i];
        if (paired[diagonal->triangles[0]] || paired[diagonal->triangles[1]]) continue;
        paired[diagonal->triangles[0]] = paired[diagonal->triangles[1]] = true;
        memcpy(quads->quads[quads->quad_count++], diagonal->quad, sizeof diagonal->quad);
    }
    int alone = 0;
    while (alone < triangle_count && paired[alone]) alone++;
    free(paired);
    if (alone == triangle_count) return true;
    vec3 middle = {0.0f, 0.0f, 0.0f};
    for (int k = 0; k < 3; k++)
        glm_vec3_muladds((float *)place(quads, def, triangles[alone][k]), 1.0f / 3.0f, middle);
    return asset_fail(out_error,
                      "expected a grid of quads: the triangle at {%g, %g, %g} makes none with another",
                      (double)middle[0], (double)middle[1], (double)middle[2]);
}

static const float *place(const GridQuads *quads, const AssetGridDef *def, int index) {
    return def->positions[quads->vertices[index]];
}
