// A character of tests/scripts/motion or scripts in a world of its own, and a judge of one of its garments:
// after every tick, from outside, in model space, in double precision, by other means than the simulation's.
#pragma once

#include "script/character.h"
#include "script/fabrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOTION_PARTICLES 1024
#define MOTION_SAMPLES   5 // along each side of a quad, corners included

// What was worst since motion_judge_reset.
typedef struct MotionJudge {
    double stretch;     // share of the rest length, of vertical links
    double penetration; // m, of particles
    double beyond;      // m past the max distance
    double between;     // m, of points of the cloth between particles
    double in_legs;     // m, of these in thighs and shins
    long samples, deep; // points between particles, and those deeper than 1 mm
    int tick;           // ticks judged
} MotionJudge;

typedef struct Motion {
    SimWorld *world;
    ScriptHost *host;
    SimRigId rig_id;
    const SimRigInfo *rig;
    const SimGarmentInfo *garment; // that is looked at: the first, unless motion_look_at says otherwise
    int garment_index;
    SimCharacterId character;
    int rate; // Hz
    MotionJudge judge;
    float x[MOTION_PARTICLES][3], references[MOTION_PARTICLES][3], limits[MOTION_PARTICLES];
    float before[2][MOTION_PARTICLES][3]; // x at the last two calls of motion_acceleration
} Motion;

// False, with the findings on stderr, if there is no such character. script: "athlete".
bool motion_start(Motion *motion, const char *script, int rate, const float gravity[3]);
// Without `rests` cloth is never slowed because nothing acts on it, and no character falls asleep.
bool motion_start_with(Motion *motion, const char *script, int rate, const float gravity[3], bool rests);
// False if the garment has too many particles.
bool motion_look_at(Motion *motion, int garment);
// One more of them in the same world, where nobody touches anybody: much cheaper than a world of its own. It
// ends with the first.
void motion_another(const Motion *first, Motion *another);
void motion_finish(Motion *motion);
bool motion_fabric(Motion *motion, const char *name);
bool motion_play(Motion *motion, const char *clip, float fade);
void motion_judge(Motion *motion);
// Steps and judges, every tick.
void motion_record(Motion *motion, int ticks);
// The largest acceleration of a particle over the last three ticks, m/s^2; to be called after each.
double motion_acceleration(Motion *motion);
// The point in the axes of an ellipsoid on its bone.
void motion_in_axes(const SimColliderDef *collider, const mat4 bone, const double point[3], double out[3]);
double motion_distance(const float a[3], const float b[3]);
// In all colliders of the body, whether the garment lists them or not; m, 0 outside.
double motion_deepest(const Motion *motion, const double point[3]);
void motion_read(Motion *motion);
// Whether the quad below a row and right of a column is in a slit, where there is no cloth.
bool motion_in_slit(const SimGarmentInfo *garment, int row, int column);
void motion_judge_particles(Motion *motion);
// Points of each quad as a bilinear patch, the right and lower edge left to the neighbours.
void motion_judge_between(Motion *motion);
