// Poses in model space, and how low and high they reach.
#include "data.h"

#include <cglm/mat4.h>
#include <cglm/quat.h>
#include <cglm/vec3.h>
#include <math.h>

static SimTransform below(const AssetFile *file, const SimTransform *pose_model, int bone,
                          const float *position, const float *rotation);
static float extreme(const AssetFile *file, const SimTransform *pose_model, float sign);

SimTransform asset_compose(const SimTransform *parent, const float *position, const float *rotation) {
    SimTransform result;
    glm_quat_rotatev((float *)parent->rotation, (float *)position, result.position);
    glm_vec3_add((float *)parent->position, result.position, result.position);
    glm_quat_mul((float *)parent->rotation, (float *)rotation, result.rotation);
    glm_quat_normalize(result.rotation);
    return result;
}

void asset_pose_model(const AssetFile *file, versor *rotations, float (*positions)[3],
                      SimTransform *out_pose_model) {
    for (int b = 0; b < file->bone_count; b++)
        out_pose_model[b] = below(file, out_pose_model, b, positions[b], rotations[b]);
}

void asset_rest_model(const AssetFile *file, SimTransform *out_pose_model) {
    for (int b = 0; b < file->bone_count; b++)
        out_pose_model[b] = below(file, out_pose_model, b, file->bones[b].position, file->bones[b].rotation);
}

bool asset_is_in_range(const float *position) {
    return fabsf(position[0]) <= ASSET_FARTHEST && fabsf(position[1]) <= ASSET_FARTHEST &&
           fabsf(position[2]) <= ASSET_FARTHEST;
}

float asset_pose_lowest(const AssetFile *file, const SimTransform *pose_model) {
    return -extreme(file, pose_model, -1.0f);
}

float asset_pose_highest(const AssetFile *file, const SimTransform *pose_model) {
    return extreme(file, pose_model, 1.0f);
}

SimTransform asset_rigid(mat4 matrix) {
    SimTransform result;
    mat4 rotation = GLM_MAT4_IDENTITY_INIT;
    for (int i = 0; i < 3; i++) glm_vec3_normalize_to(matrix[i], rotation[i]);
    vec3 across;
    glm_vec3_cross(rotation[1], rotation[2], across);
    if (glm_vec3_dot(across, rotation[0]) < 0.0f) glm_vec3_negate(rotation[0]);
    glm_mat4_quat(rotation, result.rotation);
    glm_quat_normalize(result.rotation);
    glm_vec3_copy(matrix[3], result.position);
    return result;
}

SimTransform asset_relative(const SimTransform *parent, const SimTransform *child) {
    SimTransform result;
    versor back;
    glm_quat_inv((float *)parent->rotation, back);
    glm_vec3_sub((float *)child->position, (float *)parent->position, result.position);
    glm_quat_rotatev(back, result.position, result.position);
    glm_quat_mul(back, (float *)child->rotation, result.rotation);
    glm_quat_normalize(result.rotation);
    return result;
}

static SimTransform below(const AssetFile *file, const SimTransform *pose_model, int bone,
                          const float *position, const float *rotation) {
    int parent = file->bones[bone].parent;
    SimTransform origin = SIM_TRANSFORM_IDENTITY;
    return asset_compose(parent < 0 ? &origin : &pose_model[parent], position, rotation);
}

// The largest sign * y.
static float extreme(const AssetFile *file, const SimTransform *pose_model, float sign) {
    float found = -INFINITY;
    for (int b = 0; b < file->bone_count; b++) {
        found = fmaxf(found, sign * pose_model[b].position[1]);
        if (!file->has_end[b]) continue;
        vec3 end;
        glm_quat_rotatev((float *)pose_model[b].rotation, file->ends[b], end);
        found = fmaxf(found, sign * (pose_model[b].position[1] + end[1]));
    }
    return found;
}
