// From assimp's matrices to rigid placements.
#include "with_assimp/scene.h"

#include <cglm/mat4.h>
#include <cglm/quat.h>
#include <cglm/vec3.h>

void scene_matrix(const struct aiMatrix4x4 *matrix, mat4 out_matrix) {
    mat4 columns = {{matrix->a1, matrix->b1, matrix->c1, matrix->d1},
                    {matrix->a2, matrix->b2, matrix->c2, matrix->d2},
                    {matrix->a3, matrix->b3, matrix->c3, matrix->d3},
                    {matrix->a4, matrix->b4, matrix->c4, matrix->d4}};
    glm_mat4_copy(columns, out_matrix);
}

SimTransform scene_rigid(mat4 matrix) {
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

SimTransform scene_relative(const SimTransform *parent, const SimTransform *child) {
    SimTransform result;
    versor back;
    glm_quat_inv((float *)parent->rotation, back);
    glm_vec3_sub((float *)child->position, (float *)parent->position, result.position);
    glm_quat_rotatev(back, result.position, result.position);
    glm_quat_mul(back, (float *)child->rotation, result.rotation);
    glm_quat_normalize(result.rotation);
    return result;
}
