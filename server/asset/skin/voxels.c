// The surface marks the voxels that it passes through; what a flood from the border does not reach is inside.
#include "skin/voxels.h"

#include "data.h"

#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BORDER        2         // empty voxels round the mesh
#define MOST_OVERLAPS 400000000 // tests of a triangle against a voxel

enum { INSIDE = 0, OUTSIDE = -1, SURFACE = 1 }; // marks, before voxels are numbered

typedef struct Span {
    int low[3], high[3]; // voxels, both included
} Span;

static bool lay_out(SkinVoxels *voxels, const AssetBindDef *def, AssetError *out_error);
static bool mark_surface(SkinVoxels *voxels, const AssetBindDef *def, AssetError *out_error);
static Span triangle_span(const SkinVoxels *voxels, vec3 corners[3]);
static bool overlaps(vec3 corners[3], const int at[3]);
static bool is_apart(vec3 corners[3], vec3 center, vec3 axis);
static bool flood_outside(SkinVoxels *voxels);
static bool number_filled(SkinVoxels *voxels);
static size_t cell_count(const SkinVoxels *voxels);
static size_t cell_at(const SkinVoxels *voxels, const int at[3]);

bool skin_voxels_init(SkinVoxels *voxels, const AssetBindDef *def, AssetError *out_error) {
    *voxels = (SkinVoxels){0};
    if (!lay_out(voxels, def, out_error)) return false;
    voxels->index = calloc(cell_count(voxels), sizeof *voxels->index);
    if (!voxels->index) return asset_fail(out_error, "out of memory");
    if (!mark_surface(voxels, def, out_error)) return false;
    if (!flood_outside(voxels) || !number_filled(voxels)) return asset_fail(out_error, "out of memory");
    return true;
}

void skin_voxels_finish(SkinVoxels *voxels) {
    free(voxels->index);
    free(voxels->cells);
    *voxels = (SkinVoxels){0};
}

void skin_voxels_place(const SkinVoxels *voxels, const float point[3], float out_place[3]) {
    for (int k = 0; k < 3; k++) out_place[k] = (point[k] - voxels->origin[k]) / voxels->cell;
}

int skin_voxels_at(const SkinVoxels *voxels, const int at[3]) {
    for (int k = 0; k < 3; k++)
        if (at[k] < 0 || at[k] >= voxels->size[k]) return -1;
    return voxels->index[cell_at(voxels, at)];
}

static bool lay_out(SkinVoxels *voxels, const AssetBindDef *def, AssetError *out_error) {
    vec3 bounds[2];
    glm_vec3_copy((float *)def->positions[0], bounds[0]);
    glm_vec3_copy((float *)def->positions[0], bounds[1]);
    for (int i = 1; i < def->vertex_count; i++) {
        glm_vec3_minv(bounds[0], (float *)def->positions[i], bounds[0]);
        glm_vec3_maxv(bounds[1], (float *)def->positions[i], bounds[1]);
    }
    vec3 extent;
    glm_vec3_sub(bounds[1], bounds[0], extent);
    voxels->cell = glm_vec3_max(extent) / (float)def->resolution;
    if (!(voxels->cell > 0.0f)) return asset_fail(out_error, "the mesh is a point");
    double cells = 1.0;
    for (int k = 0; k < 3; k++) {
        voxels->size[k] = (int)ceilf(extent[k] / voxels->cell) + 2 * BORDER;
        voxels->origin[k] = 0.5f * (bounds[0][k] + bounds[1][k] - (float)voxels->size[k] * voxels->cell);
        cells *= voxels->size[k];
    }
    if (cells <= ASSET_MOST_VOXELS) return true;
    return asset_fail(out_error, "at a resolution of %d the mesh takes %.0f voxels, %d at most",
                      def->resolution, cells, ASSET_MOST_VOXELS);
}

static bool mark_surface(SkinVoxels *voxels, const AssetBindDef *def, AssetError *out_error) {
    double tests = 0.0;
    for (int i = 0; i < def->triangle_count; i++) {
        vec3 corners[3];
        for (int k = 0; k < 3; k++)
            skin_voxels_place(voxels, def->positions[def->triangles[i][k]], corners[k]);
        const Span span = triangle_span(voxels, corners);
        double span_cells = 1.0;
        for (int k = 0; k < 3; k++) span_cells *= span.high[k] - span.low[k] + 1;
        if ((tests += span_cells) > MOST_OVERLAPS)
            return asset_fail(out_error, "its %d triangles are too large at a resolution of %d",
                              def->triangle_count, def->resolution);
        int at[3];
        for (at[2] = span.low[2]; at[2] <= span.high[2]; at[2]++)
            for (at[1] = span.low[1]; at[1] <= span.high[1]; at[1]++)
                for (at[0] = span.low[0]; at[0] <= span.high[0]; at[0]++)
                    if (overlaps(corners, at)) voxels->index[cell_at(voxels, at)] = SURFACE;
    }
    return true;
}

static Span triangle_span(const SkinVoxels *voxels, vec3 corners[3]) {
    Span span;
    for (int k = 0; k < 3; k++) {
        const float low = fminf(corners[0][k], fminf(corners[1][k], corners[2][k]));
        const float high = fmaxf(corners[0][k], fmaxf(corners[1][k], corners[2][k]));
        span.low[k] = (int)glm_clamp(floorf(low), 0.0f, (float)voxels->size[k] - 1.0f);
        span.high[k] = (int)glm_clamp(floorf(high), 0.0f, (float)voxels->size[k] - 1.0f);
    }
    return span;
}

// Whether a triangle meets a voxel of its span: no axis separates them (T. Akenine-Möller, "Fast 3D
// Triangle-Box Overlap Testing", 2001; the voxel's own axes are the span).
static bool overlaps(vec3 corners[3], const int at[3]) {
    vec3 center = {(float)at[0] + 0.5f, (float)at[1] + 0.5f, (float)at[2] + 0.5f};
    vec3 edges[3], normal;
    for (int k = 0; k < 3; k++) glm_vec3_sub(corners[(k + 1) % 3], corners[k], edges[k]);
    glm_vec3_cross(edges[0], edges[1], normal);
    if (is_apart(corners, center, normal)) return false;
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++) {
            vec3 unit = {0.0f, 0.0f, 0.0f}, axis;
            unit[j] = 1.0f;
            glm_vec3_cross(unit, edges[k], axis);
            if (is_apart(corners, center, axis)) return false;
        }
    }
    return true;
}

static bool is_apart(vec3 corners[3], vec3 center, vec3 axis) {
    float low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 3; k++) {
        vec3 from_center;
        glm_vec3_sub(corners[k], center, from_center);
        const float along = glm_vec3_dot(from_center, axis);
        low = fminf(low, along);
        high = fmaxf(high, along);
    }
    const float reach = 0.5001f * (fabsf(axis[0]) + fabsf(axis[1]) + fabsf(axis[2]));
    return low > reach || high < -reach;
}

static bool flood_outside(SkinVoxels *voxels) {
    const size_t count = cell_count(voxels);
    int *stack = malloc(count * sizeof *stack);
    if (!stack) return false;
    const int steps[3] = {1, voxels->size[0], voxels->size[0] * voxels->size[1]};
    size_t depth = 0;
    stack[depth++] = 0; // a corner: the border is empty
    voxels->index[0] = OUTSIDE;
    while (depth > 0) {
        const int cell = stack[--depth];
        for (int k = 0; k < 3; k++) {
            const int at = cell / steps[k] % voxels->size[k];
            for (int way = -1; way <= 1; way += 2) {
                if (at + way < 0 || at + way >= voxels->size[k]) continue;
                const int next = cell + way * steps[k];
                if (voxels->index[next] != INSIDE) continue;
                voxels->index[next] = OUTSIDE;
                stack[depth++] = next;
            }
        }
    }
    free(stack);
    return true;
}

static bool number_filled(SkinVoxels *voxels) {
    const size_t count = cell_count(voxels);
    for (size_t i = 0; i < count; i++)
        if (voxels->index[i] != OUTSIDE) voxels->index[i] = voxels->count++;
    voxels->cells = malloc((size_t)voxels->count * sizeof *voxels->cells);
    if (!voxels->cells) return false;
    for (size_t i = 0; i < count; i++)
        if (voxels->index[i] >= 0) voxels->cells[voxels->index[i]] = (int)i;
    return true;
}

static size_t cell_count(const SkinVoxels *voxels) {
    return (size_t)voxels->size[0] * (size_t)voxels->size[1] * (size_t)voxels->size[2];
}

static size_t cell_at(const SkinVoxels *voxels, const int at[3]) {
    return ((size_t)at[2] * (size_t)voxels->size[1] + (size_t)at[1]) * (size_t)voxels->size[0] +
           (size_t)at[0];
}
