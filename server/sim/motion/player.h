// Plays clips: sampling, fading, looping, adding, and the motion of the root.
#pragma once

#include "rig/rig.h"
#include "sim/world.h"

#define SIM_PLAYER_LAYERS 6
#define SIM_PLAYER_ADDED  4

// One clip that plays, over those below it. clip -1: the rest pose.
typedef struct SimPlayerLayer {
    int clip;
    bool loop;
    float speed;
    double time; // s since the clip's beginning; grows past its end if it loops
    float fade;  // s
    float age;   // s
    bool in_place;
    float from, weight; // of what is added: its share as the fade begins, and in the end
} SimPlayerLayer;

typedef struct SimPlayer {
    SimPlayerLayer layers[SIM_PLAYER_LAYERS]; // the last is on top
    int count;
    SimPlayerLayer added[SIM_PLAYER_ADDED]; // oldest first
    int added_count;
    bool held; // time stands for all of them
} SimPlayer;

void sim_player_play(SimPlayer *player, int clip, const SimPlay *play);
// True when the clip (-1: any) is on top or added.
bool sim_player_plays(const SimPlayer *player, int clip);
void sim_player_stop(SimPlayer *player, int clip, float fade);

// True when time changes nothing about the pose.
bool sim_player_is_still(const SimPlayer *player, const SimRig *rig);

// Advances time by dt; out_root is the root's motion by the clips, in the root's own frame.
void sim_player_advance(SimPlayer *player, const SimRig *rig, float dt, SimTransform *out_root);

// The present local pose: [posed_bone_count].
void sim_player_sample(const SimPlayer *player, const SimRig *rig, SimTransform *out_local);
