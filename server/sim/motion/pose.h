// Bones that are posed from outside, in place of what clips make of them.
#pragma once

#include "rig/rig.h"
#include "sim/world.h"

typedef enum SimPosedState {
    SIM_POSED_NOT,
    SIM_POSED_HELD,
    SIM_POSED_RELEASED, // on its way back to what plays
} SimPosedState;

// Rotation and position are each in the space that they were given in.
typedef struct SimPosedBone {
    SimPosedState state;
    float left; // s until a released bone is back
    uint64_t owner;
    bool has_rotation, has_position;
    SimPoseSpace rotation_space, position_space;
    versor rotation;
    vec3 position;
} SimPosedBone;

typedef struct SimPose {
    SimPosedBone *bones; // [posed_bone_count]
    int bone_count;
    int posed_count; // that are held or released
    bool teleports;  // in this tick, or the next one
    versor *turned;  // [posed_bone_count] then: by how the bone turned in model space
    bool has_sequence;
    int64_t sequence;
} SimPose;

// False for want of memory; finish it in any case.
bool sim_pose_init(SimPose *pose, int bone_count);
void sim_pose_finish(SimPose *pose);
void sim_pose_clear(SimPose *pose);

void sim_pose_set(SimPose *pose, const SimPoseDef *def);
// They go back to what plays, all that driver poses or, by index, one; true if that changes anything.
bool sim_pose_release(SimPose *pose, int bone);
bool sim_pose_release_owner(SimPose *pose, uint64_t owner);

// Nothing about it changes with time.
bool sim_pose_is_still(const SimPose *pose);

// A bone's local pose, dt after the end of the last tick; parent: its matrix, NULL for a root.
void sim_pose_apply(const SimPose *pose, int bone, vec4 *parent, float dt, SimTransform *local);
// A tick of dt is over.
void sim_pose_advance(SimPose *pose, float dt);

// How bones turn in a tick that teleports: before and after their matrices [posed_bone_count] change.
void sim_pose_begin_turn(SimPose *pose, const mat4 *model);
void sim_pose_end_turn(SimPose *pose, const mat4 *model);

// From a local pose to model matrices, with the driven layer solved in between.

// local: [posed_bone_count], what clips make of it; the pose is laid over it, dt after the last tick.
// out_model: the first posed_bone_count matrices are written.
void sim_skeleton_solve(const SimRig *rig, const SimPose *pose, float dt, SimTransform *local,
                        mat4 *out_model);
