// The volume inside a closed surface.
#pragma once

#include <cglm/cglm.h>
#include <stdint.h>

static inline double volume_inside(float (*positions)[3], uint32_t (*triangles)[3], int triangle_count) {
    double sum = 0.0;
    for (int i = 0; i < triangle_count; i++) {
        const uint32_t *triangle = triangles[i];
        vec3 normal;
        glm_vec3_cross(positions[triangle[0]], positions[triangle[1]], normal);
        sum += (double)glm_vec3_dot(normal, positions[triangle[2]]) / 6.0;
    }
    return sum;
}
