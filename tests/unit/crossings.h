// Counts where cloth passes through cloth: in double precision, by brute force, without the simulation's
// help.
#pragma once

#include "sim/rig.h"

#include <math.h>
#include <stdbool.h>

// Six times that of the tetrahedron.
static inline double crossings_volume(const float a[3], const float b[3], const float c[3],
                                      const float d[3]) {
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - (double)a[k];
        v[k] = (double)c[k] - (double)a[k];
        w[k] = (double)d[k] - (double)a[k];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

// The ends lie on both sides of the plane, and the line passes all sides of the triangle in one sense.
static inline bool crossings_passes(const float *edge[2], const float *triangle[3]) {
    const float *p = edge[0], *q = edge[1];
    if (crossings_volume(triangle[0], triangle[1], triangle[2], p) *
            crossings_volume(triangle[0], triangle[1], triangle[2], q) >=
        0.0)
        return false;
    double sides[3];
    for (int k = 0; k < 3; k++) sides[k] = crossings_volume(p, q, triangle[k], triangle[(k + 1) % 3]);
    return (sides[0] > 0.0 && sides[1] > 0.0 && sides[2] > 0.0) ||
           (sides[0] < 0.0 && sides[1] < 0.0 && sides[2] < 0.0);
}

static inline bool crossings_apart(const float *edge[2], const float *triangle[3]) {
    for (int k = 0; k < 3; k++) {
        const float a = triangle[0][k], b = triangle[1][k], c = triangle[2][k];
        const float p = edge[0][k], q = edge[1][k];
        if ((p < a && p < b && p < c && q < a && q < b && q < c) ||
            (p > a && p > b && p > c && q > a && q > b && q > c))
            return true;
    }
    return false;
}

// Of the two triangles at an edge, the first one has it.
static inline bool crossings_owns_edge(const SimGarmentInfo *garment, int triangle, int corner) {
    const int *own = garment->triangles[triangle];
    const int p = own[corner], q = own[(corner + 1) % 3];
    for (int t = 0; t < triangle; t++) {
        const int *other = garment->triangles[t];
        bool has_p = other[0] == p || other[1] == p || other[2] == p;
        if (has_p && (other[0] == q || other[1] == q || other[2] == q)) return false;
    }
    return true;
}

// Pairs of an edge of the first garment's triangles and a triangle of the second one that it passes through.
// For one garment with itself, pass it twice; pairs that share a particle are left out.
static inline int crossings_count(const SimGarmentInfo *edges, const float (*edge_points)[3],
                                  const SimGarmentInfo *triangles, const float (*triangle_points)[3]) {
    int count = 0;
    for (int i = 0; i < 3 * edges->triangle_count; i++) {
        if (!crossings_owns_edge(edges, i / 3, i % 3)) continue;
        const int p = edges->triangles[i / 3][i % 3], q = edges->triangles[i / 3][(i + 1) % 3];
        const float *edge[2] = {edge_points[p], edge_points[q]};
        for (int t = 0; t < triangles->triangle_count; t++) {
            const int *corners = triangles->triangles[t];
            const float *triangle[3];
            for (int k = 0; k < 3; k++) triangle[k] = triangle_points[corners[k]];
            if (crossings_apart(edge, triangle)) continue;
            bool shared = false;
            for (int k = 0; k < 3; k++) shared = shared || corners[k] == p || corners[k] == q;
            if (!shared || edge_points != triangle_points) count += crossings_passes(edge, triangle);
        }
    }
    return count;
}
