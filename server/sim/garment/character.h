// The mutable state of one character, except its cloth, which its group holds.
#pragma once

#include "garment/fabric_ramp.h"
#include "motion/player.h"
#include "motion/pose.h"
#include "rig/rig.h"
#include "sim/world.h"

typedef struct SimSeamState {
    bool closed;
    float left; // s until the sides meet, SIM_RAMP_SECONDS when closing begins
} SimSeamState;

typedef struct SimCharacter {
    SimCharacterId id;
    SimRigId rig_id;
    SimRig *rig;
    struct SimGroup *group;
    int lane;
    SimTransform root_created; // world
    SimTransform root_start;   // world, at the end of the last tick
    SimTransform root;         // world
    bool unplaced;             // new: its cloth has no state yet
    bool asleep;               // not stepped; alone in a group of one lane
    uint64_t asleep_since;     // the world's tick after which it fell asleep
    float unmoved;             // s for which nothing that acts on it has changed
    int still_ticks;           // ticks for which it and all that acts on it have been still
    SimTransform root_back;    // the last tick's motion undone, in the root's space
    SimTeleport teleport;      // of the root in this tick
    SimPlayer player;
    SimPose pose;      // lies over what plays
    bool has_sequence; // whether the pose of the last tick has a sequence
    int64_t sequence;
    SimTransform *local;          // [posed_bone_count] scratch
    mat4 *model;                  // [bone_count]
    int overflowed;               // bone that this tick's pose put out of all bounds; -1: none
    SimTransform *collider_start; // [collider_count + 1] model space; the last is the ground's
    SimTransform *collider_end;
    SimFabricRamp *fabrics;      // [garment_count]
    SimRootMotion *root_motions; // [garment_count]
    float *unpushed;             // [garment_count] s for which no collider that other cloth carries moved
    SimSeamState *seams;         // [seam_count]
    float until_skinned;         // s until cloth that is not simulated any more is at its references
    float until_simulated;       // s until cloth that is simulated again is shown where it is
    bool was_reduced;            // before this tick, without collisions of cloth with itself
    float tangled;               // s for which cloth has lately crossed itself; negative: it is let be
    float until_untangled;       // s until cloth that crossed itself for long is at its references
    bool crosses_itself;         // cloth does at the end of this tick
    float body_speed;            // m/s, of what its cloth hangs from and touches in this tick
} SimCharacter;

// Cloth that has crossed itself for SIM_TANGLED_MOST goes to its references. From there on it is let be:
// until it is free or the body moves, and for SIM_LET_BE then.
#define SIM_TANGLED_MOST 1.0f    // s
#define SIM_LET_BE       10.0f   // s
#define SIM_WHILE_HELD   (-1e6f) // `tangled` of cloth that has been at its references

// The share of a way that a tick of dt leaves, which is to be over in `left` s.
static inline float sim_way_left(float left, float dt) {
    return left > 1.5f * dt ? (left - dt) / left : 0.0f;
}

#define SIM_POSE_FARTHEST 1e9f // m; products of larger values overflow

// Returns NULL when memory runs out.
SimCharacter *sim_character_allocate(SimRigId rig_id, SimRig *rig, const SimTransform *root_world);
void sim_character_free(SimCharacter *character);

// Predicts the skeleton after a tick of dt from clips and pose: out_model [posed_bone_count].
void sim_character_predict(SimCharacter *character, const SimPlayer *player, float dt, mat4 *out_model,
                           SimTransform *out_root);

// Computes clips, pose, skeleton and colliders of this tick; with dt 0 at the present time.
void sim_character_pose(SimCharacter *character, const SimEnvironment *environment, float dt);

// Makes the root's motion in this tick a teleport; the strongest kind counts.
void sim_character_teleport(SimCharacter *character, SimTeleport teleport);

// Ends a tick of dt.
void sim_character_end_tick(SimCharacter *character, float dt);

// Moves the colliders on a garment's bones, once these are computed; with dt 0 without motion.
void sim_character_pose_garment_colliders(SimCharacter *character, int garment, float dt);
