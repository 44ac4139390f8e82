// Keeps what was posed, bone by bone, and lays it over the local pose.
#include "motion/pose.h"

#include "core/rotation.h"

#include <stdlib.h>

#define ENDED 1e-6f // s; sums of ticks differ from the whole by rounding

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

static void forget(SimPose *pose, int bone) {
    if (pose->bones[bone].state != SIM_POSED_NOT) pose->posed_count--;
    pose->bones[bone] = (SimPosedBone){0};
    if (pose->posed_count == 0) pose->has_sequence = false;
}

void sim_pose_clear(SimPose *pose) {
    for (int bone = 0; bone < pose->bone_count; bone++) forget(pose, bone);
    pose->teleports = false;
}

static void set_bone(SimPose *pose, const SimPoseDef *def, const SimPoseBone *given) {
    SimPosedBone *bone = &pose->bones[given->bone];
    if (bone->state == SIM_POSED_RELEASED) forget(pose, given->bone); // what it had is given back
    if (bone->state == SIM_POSED_NOT) pose->posed_count++;
    bone->state = SIM_POSED_HELD;
    bone->driver = def->driver;
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
}

void sim_pose_set(SimPose *pose, const SimPoseDef *def) {
    for (int i = 0; i < def->bone_count; i++) set_bone(pose, def, &def->bones[i]);
    if (def->teleport) pose->teleports = true;
    if (!def->has_sequence || pose->posed_count == 0) return;
    pose->has_sequence = true;
    pose->sequence = def->sequence;
}

bool sim_pose_release(SimPose *pose, int bone) {
    if (pose->bones[bone].state != SIM_POSED_HELD) return false;
    pose->bones[bone].state = SIM_POSED_RELEASED;
    pose->bones[bone].left = SIM_RAMP_SECONDS;
    return true;
}

bool sim_pose_release_driver(SimPose *pose, uint64_t driver) {
    bool released = false;
    for (int bone = 0; bone < pose->bone_count && pose->posed_count > 0; bone++)
        if (pose->bones[bone].driver == driver) released |= sim_pose_release(pose, bone);
    return released;
}

bool sim_pose_is_still(const SimPose *pose) {
    if (pose->teleports) return false;
    for (int bone = 0; bone < pose->bone_count && pose->posed_count > 0; bone++)
        if (pose->bones[bone].state == SIM_POSED_RELEASED) return false;
    return true;
}

// From model space into the parent's.
static void into_parent(const SimPosedBone *bone, vec4 *parent, SimTransform *out_local) {
    SimTransform above = SIM_TRANSFORM_IDENTITY;
    versor back;
    if (parent) sim_matrix_to_transform((const vec4 *)parent, &above);
    sim_quat_inverse(above.rotation, back);
    if (bone->has_rotation && bone->rotation_space == SIM_POSE_MODEL)
        glm_quat_mul(back, (float *)bone->rotation, out_local->rotation);
    if (bone->has_position && bone->position_space == SIM_POSE_MODEL) {
        vec3 way;
        glm_vec3_sub((float *)bone->position, above.position, way);
        sim_quat_rotate(back, way, out_local->position);
    }
}

// A released bone goes back as (3 - 2 t) t^2 does: it sets out from rest and comes to rest.
void sim_pose_apply(const SimPose *pose, int index, vec4 *parent, float dt, SimTransform *local) {
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

void sim_pose_advance(SimPose *pose, float dt) {
    pose->teleports = false;
    for (int bone = 0; bone < pose->bone_count && pose->posed_count > 0; bone++) {
        if (pose->bones[bone].state != SIM_POSED_RELEASED) continue;
        pose->bones[bone].left -= dt;
        if (pose->bones[bone].left <= ENDED) forget(pose, bone);
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
