// Pairs the triangles whose quads are nearest to rectangles.
#include "grid/quads.h"

#include "data.h"

#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// An edge between two triangles that may be a quad's diagonal.
typedef struct Diagonal {
    int triangles[2];
    int quad[4];
    float bend; // rad: how far the worst corner is from a right angle
} Diagonal;

static int list_diagonals(const GridSurface *surface, Diagonal *out_diagonals);
static void set_diagonal(const GridSurface *surface, const GridEdge edges[2], Diagonal *out_diagonal);
static int compare_diagonals(const void *left, const void *right);

int grid_quads_find(const GridSurface *surface, int (*out_quads)[4], AssetError *out_error) {
    bool *paired = calloc((size_t)surface->triangle_count, sizeof *paired);
    const int count = paired ? grid_quads_pair(surface, INFINITY, paired, out_quads) : -1;
    int alone = 0;
    while (count >= 0 && alone < surface->triangle_count && paired[alone]) alone++;
    free(paired);
    if (count < 0) asset_fail(out_error, "out of memory");
    if (count < 0 || alone == surface->triangle_count) return count;
    vec3 middle = {0.0f, 0.0f, 0.0f};
    for (int k = 0; k < 3; k++)
        glm_vec3_muladds((float *)grid_place(surface, surface->triangles[alone][k]), 1.0f / 3.0f, middle);
    asset_fail(out_error, "expected a grid of quads: the triangle at {%g, %g, %g} makes none with another",
               (double)middle[0], (double)middle[1], (double)middle[2]);
    return -1;
}

int grid_quads_pair(const GridSurface *surface, float most_bend, bool *paired, int (*out_quads)[4]) {
    Diagonal *diagonals = malloc(3 * (size_t)surface->triangle_count * sizeof *diagonals);
    if (!diagonals) return -1;
    const int diagonal_count = list_diagonals(surface, diagonals);
    int count = 0;
    for (int i = 0; i < diagonal_count && diagonals[i].bend <= most_bend; i++) {
        const Diagonal *diagonal = &diagonals[i];
        if (paired[diagonal->triangles[0]] || paired[diagonal->triangles[1]]) continue;
        paired[diagonal->triangles[0]] = paired[diagonal->triangles[1]] = true;
        memcpy(out_quads[count++], diagonal->quad, sizeof diagonal->quad);
    }
    free(diagonals);
    return count;
}

// The best first.
static int list_diagonals(const GridSurface *surface, Diagonal *out_diagonals) {
    const int edge_count = 3 * surface->triangle_count;
    int count = 0;
    for (int i = 0, alike; i < edge_count; i += alike) {
        alike = grid_edges_alike(&surface->edges[i], edge_count - i);
        if (alike == 2) set_diagonal(surface, &surface->edges[i], &out_diagonals[count++]);
    }
    qsort(out_diagonals, (size_t)count, sizeof *out_diagonals, compare_diagonals);
    return count;
}

static void set_diagonal(const GridSurface *surface, const GridEdge edges[2], Diagonal *out_diagonal) {
    const int *first = surface->triangles[edges[0].face], *second = surface->triangles[edges[1].face];
    const int side = edges[0].side;
    *out_diagonal = (Diagonal){
        .triangles = {edges[0].face, edges[1].face},
        .quad = {first[side], second[(edges[1].side + 2) % 3], first[(side + 1) % 3], first[(side + 2) % 3]},
    };
    for (int k = 0; k < 4; k++) {
        const float *at = grid_place(surface, out_diagonal->quad[k]);
        const float *next = grid_place(surface, out_diagonal->quad[(k + 1) % 4]);
        const float *before = grid_place(surface, out_diagonal->quad[(k + 3) % 4]);
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
