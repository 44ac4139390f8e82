// Distances from ellipsoids and capsules.
#include "asset/surface.h"

#include <cglm/quat.h>
#include <cglm/vec3.h>
#include <math.h>

#define NEGLIGIBLE 8.0f // exp(-8) is 0.0003

static float ball_distance(const AssetShape *shape, const float point[3]);
static float ellipsoid_distance(const AssetShape *shape, const float point[3], float out_outward[3]);
static float capsule_distance(const AssetShape *shape, const float point[3], float out_outward[3]);

float asset_shape_distance(const AssetShape *shape, const float point[3], float out_outward[3]) {
    vec3 outward;
    const float distance = shape->kind == ASSET_SHAPE_CAPSULE ? capsule_distance(shape, point, outward)
                                                              : ellipsoid_distance(shape, point, outward);
    if (out_outward) glm_vec3_copy(outward, out_outward);
    return distance;
}

float asset_shapes_distance(const AssetShape *shapes, int shape_count, float blend, const float point[3],
                            float out_outward[3]) {
    float least = INFINITY, sum = 0.0f;
    vec3 mean = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < shape_count; i++) {
        vec3 outward;
        if (ball_distance(&shapes[i], point) - least > NEGLIGIBLE * blend) continue;
        const float distance = asset_shape_distance(&shapes[i], point, outward);
        if (distance - least > NEGLIGIBLE * blend) continue;
        if (distance < least) { // what is summed so far is relative to the least
            const float fade = expf((distance - least) / blend);
            sum *= fade;
            glm_vec3_scale(mean, fade, mean);
            least = distance;
        }
        const float share = expf((least - distance) / blend);
        sum += share;
        glm_vec3_muladds(outward, share, mean);
    }
    if (out_outward) glm_vec3_normalize_to(mean, out_outward);
    return least - blend * logf(sum);
}

// The distance from a ball round the shape: less, and quicker.
static float ball_distance(const AssetShape *shape, const float point[3]) {
    if (shape->kind == ASSET_SHAPE_ELLIPSOID)
        return glm_vec3_distance((float *)point, (float *)shape->center) -
               glm_vec3_max((float *)shape->radii);
    vec3 middle;
    glm_vec3_lerp((float *)shape->from, (float *)shape->to, 0.5f, middle);
    return glm_vec3_distance((float *)point, middle) -
           0.5f * glm_vec3_distance((float *)shape->from, (float *)shape->to) -
           fmaxf(shape->radius, shape->radius_end);
}

// The implicit function over the length of its gradient.
static float ellipsoid_distance(const AssetShape *shape, const float point[3], float out_outward[3]) {
    versor back;
    vec3 local, unit, gradient;
    glm_quat_conjugate((float *)shape->rotation, back);
    glm_vec3_sub((float *)point, (float *)shape->center, local);
    glm_quat_rotatev(back, local, local);
    glm_vec3_div(local, (float *)shape->radii, unit);
    glm_vec3_div(unit, (float *)shape->radii, gradient);
    const float at = glm_vec3_norm(unit), steep = glm_vec3_norm(gradient);
    if (at < 1e-6f) { // the center
        glm_vec3_copy((vec3){0.0f, 1.0f, 0.0f}, out_outward);
        return -glm_vec3_min((float *)shape->radii);
    }
    glm_vec3_scale(gradient, 1.0f / steep, gradient);
    glm_quat_rotatev((float *)shape->rotation, gradient, out_outward);
    return at * (at - 1.0f) / steep;
}

static float capsule_distance(const AssetShape *shape, const float point[3], float out_outward[3]) {
    vec3 way, ahead, nearest;
    glm_vec3_sub((float *)shape->to, (float *)shape->from, way);
    glm_vec3_sub((float *)point, (float *)shape->from, ahead);
    const float length = glm_vec3_norm2(way);
    const float share = length > 0.0f ? glm_clamp(glm_vec3_dot(ahead, way) / length, 0.0f, 1.0f) : 0.0f;
    glm_vec3_lerp((float *)shape->from, (float *)shape->to, share, nearest);
    glm_vec3_sub((float *)point, nearest, out_outward);
    const float away = glm_vec3_norm(out_outward);
    if (away > 0.0f)
        glm_vec3_scale(out_outward, 1.0f / away, out_outward);
    else
        glm_vec3_copy((vec3){0.0f, 1.0f, 0.0f}, out_outward);
    return away - glm_lerp(shape->radius, shape->radius_end, share);
}
