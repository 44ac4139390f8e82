// Surface nets: a vertex in each cell that the surface passes through, a square round each edge that it
// crosses.
#include "data.h"
#include "surface_cache.h"

#include <cglm/quat.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <text/array.h>
#include <text/hash.h>

#define FORMAT      2 // to be counted up when the same shapes get another surface
#define BORDER      2 // cells round the shapes
#define REFINEMENTS 2 // steps of a vertex towards the surface
#define EVENINGS    4 // passes that make the squares alike

typedef struct Loft {
    const AssetShape *shapes;
    int shape_count;
    float cell, blend;
    float origin[3];
    int size[3];   // corners
    float *values; // [corners] the field, m: negative inside
    int *vertices; // [corners] of the cell that begins there, -1: none
    AssetSurface *surface;
    size_t vertex_capacity, triangle_capacity;
} Loft;

static bool compute(Loft *loft, AssetError *out_error);
static bool lay_out(Loft *loft, AssetError *out_error);
static void shape_bounds(const AssetShape *shape, vec3 out_low, vec3 out_high);
static float field(const Loft *loft, const float point[3], float out_outward[3]);
static void corner_point(const Loft *loft, const int at[3], float out_point[3]);
static size_t corner_at(const Loft *loft, int x, int y, int z);
static bool add_vertices(Loft *loft);
static bool is_crossed(const Loft *loft, const int at[3], float out_middle[3]);
static bool add_vertex(Loft *loft, const float point[3]);
static bool add_squares(Loft *loft);
static bool add_square(Loft *loft, const int at[3], int axis);
static bool even_out(Loft *loft);

bool asset_surface_loft(AssetSurface *surface, const AssetShape *shapes, int shape_count, float cell,
                        float blend, const char *cache, AssetError *out_error) {
    const float numbers[] = {FORMAT, cell, blend};
    uint64_t key = text_hash(TEXT_HASH_BEGIN, numbers, sizeof numbers);
    key = text_hash(key, shapes, (size_t)shape_count * sizeof *shapes);
    *surface = (AssetSurface){0};
    if (asset_surface_read(surface, cache, key)) return true;
    if (shape_count < 1) return asset_fail(out_error, "expected one shape at least");
    Loft loft = {
        .shapes = shapes, .shape_count = shape_count, .cell = cell, .blend = blend, .surface = surface};
    if (!compute(&loft, out_error)) return false;
    asset_surface_write(surface, cache, key);
    return true;
}

static bool compute(Loft *loft, AssetError *out_error) {
    if (!lay_out(loft, out_error)) return false;
    const size_t corners = corner_at(loft, 0, 0, loft->size[2]);
    loft->values = malloc(corners * sizeof *loft->values);
    loft->vertices = malloc(corners * sizeof *loft->vertices);
    bool done = loft->values && loft->vertices;
    int at[3];
    for (at[2] = 0; done && at[2] < loft->size[2]; at[2]++) {
        for (at[1] = 0; at[1] < loft->size[1]; at[1]++) {
            for (at[0] = 0; at[0] < loft->size[0]; at[0]++) {
                vec3 point;
                corner_point(loft, at, point);
                loft->values[corner_at(loft, at[0], at[1], at[2])] = field(loft, point, NULL);
            }
        }
    }
    done = done && add_vertices(loft) && add_squares(loft) && even_out(loft);
    free(loft->values);
    free(loft->vertices);
    return done || asset_fail(out_error, "out of memory");
}

static bool lay_out(Loft *loft, AssetError *out_error) {
    vec3 low, high;
    glm_vec3_broadcast(INFINITY, low);
    glm_vec3_broadcast(-INFINITY, high);
    for (int i = 0; i < loft->shape_count; i++) {
        vec3 shape_low, shape_high;
        shape_bounds(&loft->shapes[i], shape_low, shape_high);
        glm_vec3_minv(low, shape_low, low);
        glm_vec3_maxv(high, shape_high, high);
    }
    const float beyond = loft->blend * logf((float)loft->shape_count) + BORDER * loft->cell;
    double corners = 1.0;
    for (int k = 0; k < 3; k++) {
        const float wide = ceilf((high[k] - low[k] + 2.0f * beyond) / loft->cell);
        corners *= (double)wide + 1.0;
        if (!(corners <= ASSET_MOST_LOFT_CELLS))
            return asset_fail(out_error, "cells of %g m are more than %d", (double)loft->cell,
                              ASSET_MOST_LOFT_CELLS);
        loft->size[k] = (int)wide + 1;
        loft->origin[k] = 0.5f * (low[k] + high[k] - wide * loft->cell);
    }
    return true;
}

static void shape_bounds(const AssetShape *shape, vec3 out_low, vec3 out_high) {
    if (shape->kind == ASSET_SHAPE_CAPSULE) {
        const float radius = fmaxf(shape->radius, shape->radius_end);
        glm_vec3_minv((float *)shape->from, (float *)shape->to, out_low);
        glm_vec3_maxv((float *)shape->from, (float *)shape->to, out_high);
        glm_vec3_subs(out_low, radius, out_low);
        glm_vec3_adds(out_high, radius, out_high);
        return;
    }
    vec3 reach = {0.0f, 0.0f, 0.0f}; // along each axis of the model, by the ellipsoid's three
    for (int k = 0; k < 3; k++) {
        vec3 axis = {0.0f, 0.0f, 0.0f};
        axis[k] = shape->radii[k];
        glm_quat_rotatev((float *)shape->rotation, axis, axis);
        for (int j = 0; j < 3; j++) reach[j] += axis[j] * axis[j];
    }
    for (int k = 0; k < 3; k++) reach[k] = sqrtf(reach[k]);
    glm_vec3_sub((float *)shape->center, reach, out_low);
    glm_vec3_add((float *)shape->center, reach, out_high);
}

static float field(const Loft *loft, const float point[3], float out_outward[3]) {
    return asset_shapes_distance(loft->shapes, loft->shape_count, loft->blend, point, out_outward);
}

static void corner_point(const Loft *loft, const int at[3], float out_point[3]) {
    for (int k = 0; k < 3; k++) out_point[k] = loft->origin[k] + (float)at[k] * loft->cell;
}

static size_t corner_at(const Loft *loft, int x, int y, int z) {
    return ((size_t)z * (size_t)loft->size[1] + (size_t)y) * (size_t)loft->size[0] + (size_t)x;
}

static bool add_vertices(Loft *loft) {
    int at[3];
    memset(loft->vertices, -1, corner_at(loft, 0, 0, loft->size[2]) * sizeof *loft->vertices);
    for (at[2] = 0; at[2] < loft->size[2] - 1; at[2]++) {
        for (at[1] = 0; at[1] < loft->size[1] - 1; at[1]++) {
            for (at[0] = 0; at[0] < loft->size[0] - 1; at[0]++) {
                vec3 middle;
                if (!is_crossed(loft, at, middle)) continue;
                loft->vertices[corner_at(loft, at[0], at[1], at[2])] = loft->surface->vertex_count;
                if (!add_vertex(loft, middle)) return false;
            }
        }
    }
    return true;
}

// Whether the surface passes through a cell, and the mean of where it crosses the cell's edges.
static bool is_crossed(const Loft *loft, const int at[3], float out_middle[3]) {
    int crossings = 0;
    glm_vec3_zero(out_middle);
    for (int edge = 0; edge < 12; edge++) {
        const int axis = edge / 4;
        int ends[2][3];
        memcpy(ends[0], at, sizeof ends[0]);
        ends[0][(axis + 1) % 3] += edge & 1;
        ends[0][(axis + 2) % 3] += edge >> 1 & 1;
        memcpy(ends[1], ends[0], sizeof ends[1]);
        ends[1][axis]++;
        const float from = loft->values[corner_at(loft, ends[0][0], ends[0][1], ends[0][2])];
        const float to = loft->values[corner_at(loft, ends[1][0], ends[1][1], ends[1][2])];
        if ((from < 0.0f) == (to < 0.0f)) continue;
        vec3 point;
        corner_point(loft, ends[0], point);
        point[axis] += loft->cell * from / (from - to);
        glm_vec3_add(out_middle, point, out_middle);
        crossings++;
    }
    if (crossings > 0) glm_vec3_divs(out_middle, (float)crossings, out_middle);
    return crossings > 0;
}

static bool add_vertex(Loft *loft, const float point[3]) {
    AssetSurface *surface = loft->surface;
    if (!TEXT_ARRAY_GROW(surface->positions, surface->vertex_count, loft->vertex_capacity)) return false;
    glm_vec3_copy((float *)point, surface->positions[surface->vertex_count++]);
    return true;
}

static bool add_squares(Loft *loft) {
    int at[3];
    for (at[2] = 1; at[2] < loft->size[2] - 1; at[2]++)
        for (at[1] = 1; at[1] < loft->size[1] - 1; at[1]++)
            for (at[0] = 1; at[0] < loft->size[0] - 1; at[0]++)
                for (int axis = 0; axis < 3; axis++)
                    if (!add_square(loft, at, axis)) return false;
    return true;
}

// The four cells round an edge of the grid, where the surface crosses it.
static bool add_square(Loft *loft, const int at[3], int axis) {
    AssetSurface *surface = loft->surface;
    int next[3] = {at[0], at[1], at[2]};
    next[axis]++;
    const bool begins_inside = loft->values[corner_at(loft, at[0], at[1], at[2])] < 0.0f;
    if (begins_inside == (loft->values[corner_at(loft, next[0], next[1], next[2])] < 0.0f)) return true;
    if (!TEXT_ARRAY_GROW(surface->triangles, surface->triangle_count + 1, loft->triangle_capacity))
        return false; // for two more
    uint32_t corners[4];
    for (int k = 0; k < 4; k++) { // round the edge, as the right hand turns about it
        int cell[3] = {at[0], at[1], at[2]};
        if (k == 0 || k == 3) cell[(axis + 1) % 3]--;
        if (k == 0 || k == 1) cell[(axis + 2) % 3]--;
        corners[begins_inside ? k : 3 - k] =
            (uint32_t)loft->vertices[corner_at(loft, cell[0], cell[1], cell[2])];
    }
    uint32_t(*triangles)[3] = surface->triangles + surface->triangle_count;
    memcpy(triangles[0], (uint32_t[]){corners[0], corners[1], corners[2]}, sizeof *triangles);
    memcpy(triangles[1], (uint32_t[]){corners[0], corners[2], corners[3]}, sizeof *triangles);
    surface->triangle_count += 2;
    return true;
}

// Moves each vertex to the middle of its neighbours, and from there to the surface.
static bool even_out(Loft *loft) {
    AssetSurface *surface = loft->surface;
    float(*sums)[4] = malloc((size_t)surface->vertex_count * sizeof *sums);
    for (int pass = 0; sums && pass < EVENINGS; pass++) {
        memset(sums, 0, (size_t)surface->vertex_count * sizeof *sums);
        for (int i = 0; i < surface->triangle_count; i++) {
            for (int k = 0; k < 3; k++) {
                float *sum = sums[surface->triangles[i][k]];
                for (int other = 1; other < 3; other++) {
                    glm_vec3_add(sum, surface->positions[surface->triangles[i][(k + other) % 3]], sum);
                    sum[3] += 1.0f;
                }
            }
        }
        for (int i = 0; i < surface->vertex_count; i++) {
            vec3 outward;
            float *position = surface->positions[i];
            glm_vec3_scale(sums[i], 1.0f / sums[i][3], position);
            for (int step = 0; step < REFINEMENTS; step++)
                glm_vec3_muladds(outward, -field(loft, position, outward), position);
        }
    }
    free(sums);
    return sums != NULL;
}
