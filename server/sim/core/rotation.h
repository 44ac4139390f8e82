// Small vector and quaternion functions that cglm lacks, or has without the care that tiny angles need.
#pragma once

#include "core/exact_math.h"
#include "sim/types.h"

#include <cglm/cglm.h>
#include <math.h>
#include <string.h>

// The shortest way from one rotation to the other.
typedef struct SimArc {
    const float *from, *to; // versors
    float sign, angle, sine;
} SimArc;

static inline SimArc sim_arc(const versor from, const versor to) {
    float cosine = from[0] * to[0] + from[1] * to[1] + from[2] * to[2] + from[3] * to[3];
    float near = glm_clamp(fabsf(cosine), 0.0f, 1.0f);
    float sine = sqrtf((1.0f - near) * (1.0f + near));
    return (SimArc){from, to, cosine < 0.0f ? -1.0f : 1.0f, sim_atan2(sine, near), sine};
}

// Exact at both ends and for tiny angles.
static inline void sim_arc_at(const SimArc *arc, float share, versor out) {
    float a = 1.0f - share, b = share;
    if (arc->sine > 1e-3f) a = sim_sin(a * arc->angle) / arc->sine, b = sim_sin(b * arc->angle) / arc->sine;
    for (int i = 0; i < 4; i++) out[i] = a * arc->from[i] + arc->sign * b * arc->to[i];
    glm_quat_normalize(out);
}

static inline void sim_quat_slerp(const versor from, const versor to, float share, versor out) {
    SimArc arc = sim_arc(from, to);
    sim_arc_at(&arc, share, out);
}

// Axis times angle, the angle in -pi..pi.
static inline void sim_quat_log(const versor q, vec3 out) {
    float sign = q[3] < 0.0f ? -1.0f : 1.0f;
    float sine = sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    float factor = sine > 1e-7f ? sign * 2.0f * sim_atan2(sine, sign * q[3]) / sine : sign * 2.0f;
    for (int i = 0; i < 3; i++) out[i] = factor * q[i];
}

static inline void sim_quat_exp(const vec3 rotation, versor out) {
    float angle = sqrtf(rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2]);
    float factor = angle > 1e-6f ? sim_sin(0.5f * angle) / angle : 0.5f;
    for (int i = 0; i < 3; i++) out[i] = factor * rotation[i];
    out[3] = sim_cos(0.5f * angle);
    glm_quat_normalize(out);
}

// Any unit vector at right angles to the unit vector u.
static inline void sim_perpendicular(const vec3 u, vec3 out) {
    if (fabsf(u[0]) > 0.7f)
        glm_vec3_copy((vec3){-u[1], u[0], 0.0f}, out);
    else
        glm_vec3_copy((vec3){0.0f, u[2], -u[1]}, out);
    glm_vec3_normalize(out);
}

// The smallest rotation that turns one unit vector into another.
static inline void sim_quat_between(const vec3 from, const vec3 to, versor out) {
    float cosine = from[0] * to[0] + from[1] * to[1] + from[2] * to[2];
    if (cosine < -0.99999f) {
        sim_perpendicular(from, out);
        out[3] = 0.0f;
        return;
    }
    glm_vec3_cross((float *)from, (float *)to, out);
    out[3] = 1.0f + cosine;
    glm_quat_normalize(out);
}

static inline void sim_quat_inverse(const versor q, versor out) {
    for (int i = 0; i < 3; i++) out[i] = -q[i];
    out[3] = q[3];
}

static inline void sim_quat_rotate(const versor q, const vec3 v, vec3 out) {
    glm_quat_rotatev((float *)q, (float *)v, out);
}

// Rotation and position of a rigid matrix, and back.
static inline void sim_matrix_to_transform(const mat4 matrix, SimTransform *out) {
    glm_vec3_copy((float *)matrix[3], out->position);
    glm_mat4_quat((vec4 *)matrix, out->rotation);
    glm_quat_normalize(out->rotation);
}

static inline void sim_transform_to_matrix(const SimTransform *transform, mat4 out) {
    glm_quat_mat4((float *)transform->rotation, out);
    glm_vec3_copy((float *)transform->position, out[3]);
}

// As glm_mat4_mul in plain C, a column at a time. out is neither of the others.
static inline void sim_matrix_multiply(const mat4 a, const mat4 b, mat4 out) {
    typedef float Column __attribute__((vector_size(sizeof(vec4))));
    Column of_a[4];
    memcpy(of_a, a, sizeof of_a);
    for (int i = 0; i < 4; i++) {
        const Column product = of_a[0] * b[i][0] + of_a[1] * b[i][1] + of_a[2] * b[i][2] + of_a[3] * b[i][3];
        memcpy(out[i], &product, sizeof product);
    }
}

// a after b: x -> a(b(x)).
static inline void sim_transform_multiply(const SimTransform *a, const SimTransform *b, SimTransform *out) {
    SimTransform product;
    sim_quat_rotate(a->rotation, b->position, product.position);
    glm_vec3_add(product.position, (float *)a->position, product.position);
    glm_quat_mul((float *)a->rotation, (float *)b->rotation, product.rotation);
    glm_quat_normalize(product.rotation);
    *out = product;
}

static inline void sim_transform_mix(const SimTransform *from, const SimTransform *to, float share,
                                     SimTransform *out) {
    glm_vec3_lerp((float *)from->position, (float *)to->position, share, out->position);
    sim_quat_slerp(from->rotation, to->rotation, share, out->rotation);
}
