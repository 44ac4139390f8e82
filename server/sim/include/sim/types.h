// Ids, transforms and the report of a user's mistake: what all of sim's headers share.
//
// Everywhere in sim: right-handed, +Y up, +Z the way a character faces; metres, seconds, kilograms, radians.
// Suffix _world: world space. Suffix _model: model space, the frame of a character's root. A bone's own space
// has its pivot at the origin. Matrices are column-major 4x4 for column vectors, quaternions are x, y, z, w.
#pragma once

#include <cglm/types.h>
#include <stdbool.h>
#include <stdint.h>

// A rigid placement: first rotate, then move.
typedef struct SimTransform {
    vec3 position;   // metres
    versor rotation; // unit quaternion
} SimTransform;

#define SIM_TRANSFORM_IDENTITY ((SimTransform){{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}})

// Ids are values. All zero is null; an id of something destroyed is stale and is never mistaken for its
// successor.
typedef struct SimRigId {
    uint32_t index;      // 1 + place in the world's table
    uint32_t generation; // counts the place's users
} SimRigId;

typedef struct SimCharacterId {
    uint32_t index;
    uint32_t generation;
} SimCharacterId;

// What is wrong with a definition and where: "garments[1].max_distance.bottom" and "expected 0 to 10 m, found
// -1".
typedef struct SimIssue {
    char path[160];
    char message[240];
} SimIssue;
