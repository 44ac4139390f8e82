// The full-quality jacket: 17 x 9 particles, 8 ellipsoids on a body whose thighs swing, a light gusty wind;
// exact columns and collisions, points between the particles, bones. On request a hood.
#pragma once

#include "sim/world.h"

enum { JACKET_ROWS = 9, JACKET_COLUMNS = 17, JACKET_PARTICLES = JACKET_ROWS * JACKET_COLUMNS };
enum { JACKET_STRIDE = 30 }; // ticks, at 60 Hz
enum { JACKET_BONES = 8 };

// The body: a bone and the ellipsoid that hangs on it.
typedef struct JacketBone {
    const char *name;
    int parent;
    vec3 position;      // m, in the parent's space
    vec3 center, radii; // m, of the ellipsoid, along the bone's own axes
    float swing;        // radians forwards, at most
} JacketBone;

extern const JacketBone jacket_bones[JACKET_BONES];

typedef struct JacketSetting {
    const char *instruction_set; // NULL: as the world chooses
    int characters;
    bool bare; // no body to collide with
    bool hood;
    bool still;           // no wind
    bool storm;           // 20 m/s
    float self_collision; // m; 0: none
    bool article;         // lengths, collisions and bending as the article has them
    SimLevel level;       // of all characters
} JacketSetting;

// A world of so many, each at another time of its stride, warm. NULL where the processor lacks the
// instruction set. Entries of a table: a step is a tick, whose cost changes along the stride.
void *jacket_create(const void *setting);
void jacket_ticks(void *world, int count);
void jacket_destroy(void *world);

// How deep the deepest of the points, in model space, is in the body of a character with the jacket's bones,
// m; in double precision.
double jacket_depth(const SimWorld *world, SimCharacterId character, float (*points)[3], int count);
