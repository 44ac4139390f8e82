// Bones posed by clients and scripts in place of clips, and the skeleton solved from both.
#pragma once

#include "rig/rig.h"
#include "sim/world.h"

typedef enum SimPosedState {
    SIM_POSED_NOT,
    SIM_POSED_HELD,
    SIM_POSED_RELEASED, // on its way back to what plays
} SimPosedState;

// Rotation and position keep the space in which they were given.
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

// Returns false when memory runs out; finish it in any case.
bool sim_pose_init(SimPose *pose, int bone_count);
void sim_pose_finish(SimPose *pose);

// Returns true when the pose differs from the one before; the sequence and the owner do not count.
bool sim_pose_set(SimPose *pose, const SimPoseDef *def);
// Releases one bone, or all that an owner posed. Returns true when that changes anything.
bool sim_pose_release(SimPose *pose, int bone);
bool sim_pose_release_owner(SimPose *pose, uint64_t owner);

// True when time changes nothing about it.
bool sim_pose_is_still(const SimPose *pose);

// Ends a tick of dt.
void sim_pose_advance(SimPose *pose, float dt);

// How bones turn in a tick that teleports: before and after their matrices [posed_bone_count] change.
void sim_pose_begin_turn(SimPose *pose, const mat4 *model);
void sim_pose_end_turn(SimPose *pose, const mat4 *model);

// Solves the skeleton: lays the pose over local [posed_bone_count], the pose of the clips dt after the last
// tick, solves the constraints of the driven layer and writes the first posed_bone_count matrices of
// out_model.
void sim_skeleton_solve(const SimRig *rig, const SimPose *pose, float dt, SimTransform *local,
                        mat4 *out_model);
