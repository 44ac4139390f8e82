// Places bones parents first and solves twist, aim and position constraints where their turn comes.
#include "motion/skeleton.h"

#include "core/rotation.h"

// Here, where the bone above is known, the pose comes in.
static void place(const SimRig *rig, int bone, const SimPose *pose, float dt, SimTransform *local,
                  mat4 *model) {
    mat4 matrix;
    int parent = rig->info.bones[bone].parent;
    if (pose->posed_count > 0)
        sim_pose_apply(pose, bone, parent < 0 ? NULL : model[parent], dt, &local[bone]);
    sim_transform_to_matrix(&local[bone], matrix);
    if (parent < 0)
        glm_mat4_copy(matrix, model[bone]);
    else
        glm_mat4_mul(model[parent], matrix, model[bone]);
}

// Turns a placed bone about its pivot by a rotation in model space.
static void turn(mat4 matrix, const versor rotation) {
    for (int axis = 0; axis < 3; axis++) sim_quat_rotate(rotation, matrix[axis], matrix[axis]);
}

static void solve_aim(const SimRig *rig, int index, mat4 *model) {
    const SimConstraintDef *aim = &rig->constraints[index];
    vec4 *bone = model[aim->bone];
    vec3 axis, direction;
    glm_mat4_mulv3(bone, rig->constraint_axis[index], 0.0f, axis);
    if (aim->other >= 0) {
        glm_mat4_mulv3(model[aim->other], (float *)aim->offset, 1.0f, direction);
        glm_vec3_sub(direction, bone[3], direction);
    } else {
        glm_vec3_copy((float *)aim->direction, direction);
    }
    if (glm_vec3_norm(direction) < 1e-6f) return; // the spot lies on the pivot: any direction would do
    glm_vec3_normalize(direction);
    glm_vec3_normalize(axis);
    versor rotation, identity = {0.0f, 0.0f, 0.0f, 1.0f};
    sim_quat_between(axis, direction, rotation);
    sim_quat_slerp(identity, rotation, aim->weight, rotation);
    turn(bone, rotation);
}

// The twist of the followed bone about the axis, relative to its rest, by swing and twist.
static void solve_twist(const SimRig *rig, int index, const SimTransform *local, mat4 *model) {
    const SimConstraintDef *twist = &rig->constraints[index];
    versor rest_back, relative;
    sim_quat_inverse(rig->rest_local[twist->other].rotation, rest_back);
    glm_quat_mul((float *)local[twist->other].rotation, rest_back, relative);
    const float *axis = rig->constraint_axis[index];
    float along = relative[0] * axis[0] + relative[1] * axis[1] + relative[2] * axis[2];
    float sign = relative[3] < 0.0f ? -1.0f : 1.0f;
    float angle = 2.0f * sim_atan2(sign * along, sign * relative[3]);
    vec3 turned;
    glm_mat4_mulv3(model[twist->bone], (float *)twist->axis, 0.0f, turned);
    glm_vec3_scale_as(turned, angle * twist->weight, turned);
    versor rotation;
    sim_quat_exp(turned, rotation);
    turn(model[twist->bone], rotation);
}

// Half of what their distance differs from the rest is taken by each.
static void solve_position(const SimRig *rig, int index, mat4 *model) {
    const SimConstraintDef *pair = &rig->constraints[index];
    float *a = model[pair->bone][3], *b = model[pair->other][3];
    vec3 way;
    glm_vec3_sub(b, a, way);
    float distance = glm_vec3_norm(way);
    if (distance < 1e-6f) return;
    float share = 0.5f * pair->weight * (distance - rig->constraint_distance[index]) / distance;
    glm_vec3_muladds(way, share, a);
    glm_vec3_muladds(way, -share, b);
}

// Not in lanes: bones are few beside particles; less than 1 % of a jacket's tick (`./dev bench parts`).
void sim_skeleton_solve(const SimRig *rig, const SimPose *pose, float dt, SimTransform *local,
                        mat4 *out_model) {
    for (int i = 0; i < rig->step_count; i++) {
        const SimRigStep *step = &rig->steps[i];
        if (step->bone >= 0) {
            place(rig, step->bone, pose, dt, local, out_model);
            continue;
        }
        switch (rig->constraints[step->constraint].kind) {
        case SIM_CONSTRAINT_AIM:
            solve_aim(rig, step->constraint, out_model);
            break;
        case SIM_CONSTRAINT_TWIST:
            solve_twist(rig, step->constraint, local, out_model);
            break;
        case SIM_CONSTRAINT_POSITION:
            solve_position(rig, step->constraint, out_model);
            break;
        }
    }
}
