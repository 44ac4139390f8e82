// Keeps posed bones, lays them over the local pose and solves the skeleton.
#include "motion/pose.h"

#include "core/rotation.h"

#include <stdlib.h>
#include <string.h>

#define ENDED 1e-6f // s; sums of ticks differ from the whole by rounding

static void remove_bone(SimPose *pose, int bone);
static bool set_bone(SimPose *pose, const SimPoseDef *def, const SimPoseBone *given);
static void into_parent(const SimPosedBone *bone, vec4 *parent, SimTransform *out_local);
static void pose_bone(const SimRig *rig, int bone, const SimPose *pose, float dt, SimTransform *local,
                      mat4 *model);
static void solve_aim(const SimRig *rig, int index, mat4 *model);
static void turn(mat4 matrix, const versor rotation);
static void solve_twist(const SimRig *rig, int index, const SimTransform *local, mat4 *model);
static void solve_position(const SimRig *rig, int index, mat4 *model);
static void solve_slide(const SimRig *rig, int index, mat4 *model);

bool sim_pose_init(SimPose *pose, int bone_count) {
    *pose = (SimPose){.bone_count = bone_count};
    pose->bones = calloc((size_t)bone_count, sizeof *pose->bones);
    pose->turned = calloc((size_t)bone_count, sizeof *pose->turned);
    return pose->bones && pose->turned;
}

void sim_pose_finish(SimPose *pose) {
    free(pose->bones);
    free(pose->turned);
    *pose = (SimPose){0};
}

bool sim_pose_set(SimPose *pose, const SimPoseDef *def) {
    bool changed = def->teleport;
    for (int i = 0; i < def->bone_count; i++) changed |= set_bone(pose, def, &def->bones[i]);
    if (def->teleport) pose->teleports = true;
    if (def->has_sequence && pose->posed_count > 0) {
        pose->has_sequence = true;
        pose->sequence = def->sequence;
    }
    return changed;
}

bool sim_pose_release(SimPose *pose, int bone) {
    if (pose->bones[bone].state != SIM_POSED_HELD) return false;
    pose->bones[bone].state = SIM_POSED_RELEASED;
    pose->bones[bone].left = SIM_RAMP_SECONDS;
    return true;
}

bool sim_pose_release_owner(SimPose *pose, uint64_t owner) {
    bool released = false;
    for (int bone = 0; bone < pose->bone_count && pose->posed_count > 0; bone++)
        if (pose->bones[bone].owner == owner) released |= sim_pose_release(pose, bone);
    return released;
}

bool sim_pose_is_still(const SimPose *pose) {
    if (pose->teleports) return false;
    for (int bone = 0; bone < pose->bone_count && pose->posed_count > 0; bone++)
        if (pose->bones[bone].state == SIM_POSED_RELEASED) return false;
    return true;
}

void sim_pose_advance(SimPose *pose, float dt) {
    pose->teleports = false;
    for (int bone = 0; bone < pose->bone_count && pose->posed_count > 0; bone++) {
        if (pose->bones[bone].state != SIM_POSED_RELEASED) continue;
        pose->bones[bone].left -= dt;
        if (pose->bones[bone].left <= ENDED) remove_bone(pose, bone);
    }
}

void sim_pose_begin_turn(SimPose *pose, const mat4 *model) {
    for (int bone = 0; bone < pose->bone_count; bone++) {
        SimTransform before;
        sim_matrix_to_transform(model[bone], &before);
        glm_vec4_copy(before.rotation, pose->turned[bone]);
    }
}

void sim_pose_end_turn(SimPose *pose, const mat4 *model) {
    for (int bone = 0; bone < pose->bone_count; bone++) {
        SimTransform after;
        versor back;
        sim_matrix_to_transform(model[bone], &after);
        sim_quat_inverse(pose->turned[bone], back);
        glm_quat_mul(after.rotation, back, pose->turned[bone]);
    }
}

// Not in lanes: bones are few beside particles; less than 1 % of a jacket's tick (`./dev bench parts`).
void sim_skeleton_solve(const SimRig *rig, const SimPose *pose, float dt, SimTransform *local,
                        mat4 *out_model) {
    for (int i = 0; i < rig->step_count; i++) {
        const SimRigStep *step = &rig->steps[i];
        if (step->bone >= 0) {
            pose_bone(rig, step->bone, pose, dt, local, out_model);
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
        case SIM_CONSTRAINT_SLIDE:
            solve_slide(rig, step->constraint, out_model);
            break;
        }
    }
}

// A released bone returns by (3 - 2 t) t^2: it starts and ends at rest.
static void apply(const SimPose *pose, int index, vec4 *parent, float dt, SimTransform *local) {
    const SimPosedBone *bone = &pose->bones[index];
    if (bone->state == SIM_POSED_NOT) return;
    SimTransform posed = *local;
    if (bone->has_rotation) glm_vec4_copy((float *)bone->rotation, posed.rotation);
    if (bone->has_position) glm_vec3_copy((float *)bone->position, posed.position);
    into_parent(bone, parent, &posed);
    if (bone->state == SIM_POSED_HELD)
        *local = posed;
    else
        sim_transform_mix(local, &posed, glm_smoothstep(0.0f, SIM_RAMP_SECONDS, bone->left - dt), local);
}

static void remove_bone(SimPose *pose, int bone) {
    if (pose->bones[bone].state != SIM_POSED_NOT) pose->posed_count--;
    pose->bones[bone] = (SimPosedBone){0};
    if (pose->posed_count == 0) pose->has_sequence = false;
}

// Returns true when the bone is posed otherwise than before.
static bool set_bone(SimPose *pose, const SimPoseDef *def, const SimPoseBone *given) {
    SimPosedBone *bone = &pose->bones[given->bone];
    // A new pose replaces the released one.
    if (bone->state == SIM_POSED_RELEASED) remove_bone(pose, given->bone);
    const SimPosedBone before = *bone;
    if (bone->state == SIM_POSED_NOT) pose->posed_count++;
    bone->state = SIM_POSED_HELD;
    bone->owner = def->owner;
    if (given->has_rotation) {
        bone->has_rotation = true;
        bone->rotation_space = def->space;
        glm_quat_normalize_to((float *)given->rotation, bone->rotation);
    }
    if (given->has_position) {
        bone->has_position = true;
        bone->position_space = def->space;
        glm_vec3_copy((float *)given->position, bone->position);
    }
    return before.state != bone->state || before.has_rotation != bone->has_rotation ||
           before.has_position != bone->has_position || before.rotation_space != bone->rotation_space ||
           before.position_space != bone->position_space ||
           memcmp(before.rotation, bone->rotation, sizeof before.rotation) != 0 ||
           memcmp(before.position, bone->position, sizeof before.position) != 0;
}

// From model space into the parent's.
static void into_parent(const SimPosedBone *bone, vec4 *parent, SimTransform *out_local) {
    SimTransform parent_model = SIM_TRANSFORM_IDENTITY;
    versor inverse;
    if (parent) sim_matrix_to_transform((const vec4 *)parent, &parent_model);
    sim_quat_inverse(parent_model.rotation, inverse);
    if (bone->has_rotation && bone->rotation_space == SIM_POSE_MODEL)
        glm_quat_mul(inverse, (float *)bone->rotation, out_local->rotation);
    if (bone->has_position && bone->position_space == SIM_POSE_MODEL) {
        vec3 offset;
        glm_vec3_sub((float *)bone->position, parent_model.position, offset);
        sim_quat_rotate(inverse, offset, out_local->position);
    }
}

// The pose is applied here, where the parent's matrix is known.
static void pose_bone(const SimRig *rig, int bone, const SimPose *pose, float dt, SimTransform *local,
                      mat4 *model) {
    mat4 matrix;
    int parent = rig->info.bones[bone].parent;
    if (pose->posed_count > 0) apply(pose, bone, parent < 0 ? NULL : model[parent], dt, &local[bone]);
    sim_transform_to_matrix(&local[bone], matrix);
    if (parent < 0)
        glm_mat4_copy(matrix, model[bone]);
    else
        sim_matrix_multiply((const vec4 *)model[parent], (const vec4 *)matrix, model[bone]);
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

// Turns a placed bone about its pivot by a rotation in model space.
static void turn(mat4 matrix, const versor rotation) {
    for (int axis = 0; axis < 3; axis++) sim_quat_rotate(rotation, matrix[axis], matrix[axis]);
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

// Each bone takes half of the difference from the distance at rest.
static void solve_position(const SimRig *rig, int index, mat4 *model) {
    const SimConstraintDef *pair = &rig->constraints[index];
    float *a = model[pair->bone][3], *b = model[pair->other][3];
    vec3 offset;
    glm_vec3_sub(b, a, offset);
    float distance = glm_vec3_norm(offset);
    if (distance < 1e-6f) return;
    float share = 0.5f * pair->weight * (distance - rig->constraint_distance[index]) / distance;
    glm_vec3_muladds(offset, share, a);
    glm_vec3_muladds(offset, -share, b);
}

// How far the followed bone is, along the axis, from where the base would carry it.
static void solve_slide(const SimRig *rig, int index, mat4 *model) {
    const SimConstraintDef *slide = &rig->constraints[index];
    vec3 moved, axis;
    glm_mat4_mulv3(model[slide->base], (float *)slide->offset, 1.0f, moved);
    glm_vec3_sub(model[slide->other][3], moved, moved);
    glm_mat4_mulv3(model[slide->base], rig->constraint_axis[index], 0.0f, axis);
    float along = slide->weight * glm_vec3_dot(moved, axis);
    glm_mat4_mulv3(model[slide->bone], (float *)slide->axis, 0.0f, axis);
    glm_vec3_muladds(axis, along, model[slide->bone][3]);
}
