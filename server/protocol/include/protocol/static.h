// Static data: the result of character.describe, which stream.static carries as well. Input is in canonical
// axes and metres. Output is in the requested axes and their unit, with the shortest decimals that give back
// the same float32.
#pragma once

#include "protocol/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <text/buffer.h>

typedef struct ProtocolBone {
    const char *name;
    int parent; // index into bones, below this one's; -1 = a root
    ProtocolBoneKind kind;
    const float *rest;         // [16] column-major, model space
    const float *inverse_bind; // [16] column-major, model space to bone
} ProtocolBone;

typedef struct ProtocolGarment {
    const char *name;
    const char *solver; // "verlet", "mass_spring", "pendulum", "chain"
    const char *fabric; // name
    float stable_step;  // s; with springs (substeps > 0) only
    int substeps;       // a tick; 0: it has no springs
    float spring_share; // simulated, 0..1
    int rows, columns;  // particle index = row * columns + column, row 0 on top; 0 and 0 for a general mesh
    bool closed;
    const float (*rest)[3]; // [particle_count], model space
    size_t particle_count;
    const float *max_distance; // [particle_count] metres, edge factor included; NULL: it has none, left out
    const int *pinned;         // [pinned_count] particle indices
    size_t pinned_count;
    const int (*bones)[2]; // [bone_count] particle, index into the character's bones
    size_t bone_count;
    const int *colliders; // [collider_count] indices into the character's colliders
    size_t collider_count;
    const int (*triangles)[3]; // [triangle_count] particle indices, counter-clockwise seen from outside
    size_t triangle_count;
} ProtocolGarment;

typedef enum ProtocolShape {
    PROTOCOL_SHAPE_ELLIPSOID, // center, rotation, radii
    PROTOCOL_SHAPE_SPHERE,    // center, radius
    PROTOCOL_SHAPE_CAPSULE,   // from, to, radius (at from), radius_end (at to)
    PROTOCOL_SHAPE_PLANE,     // normal, offset: points with normal . p = offset, world space, no bone
} ProtocolShape;

// "ellipsoid", "sphere", "capsule", "plane", NULL.
extern const char *const protocol_shape_names[];

// In its bone's space. Members that the shape does not have are ignored.
typedef struct ProtocolCollider {
    const char *name;
    ProtocolShape shape;
    const char *bone; // name
    float center[3];
    float rotation[4]; // [x,y,z,w]
    float radii[3];
    float from[3], to[3];
    float radius, radius_end;
    float normal[3];
    float offset;
} ProtocolCollider;

typedef struct ProtocolClip {
    const char *name;
    double duration; // seconds, written as a float32
} ProtocolClip;

typedef struct ProtocolCommand {
    const char *name;
    const char *help; // NULL is written as ""
} ProtocolCommand;

typedef struct ProtocolCharacter {
    const char *name;
    const char *script;
    uint32_t revision;
    const char *params;        // it was spawned with these, as JSON; NULL: none
    const ProtocolBone *bones; // parents first
    size_t bone_count;
    const ProtocolGarment *garments;
    size_t garment_count;
    const ProtocolCollider *colliders;
    size_t collider_count;
    const ProtocolClip *clips;
    size_t clip_count;
    const ProtocolCommand *commands;
    size_t command_count;
} ProtocolCharacter;

typedef struct ProtocolMaterial {
    float color[3], roughness; // 0..1
    const char *pattern;
} ProtocolMaterial;

// A render mesh, model space at the bind pose.
typedef struct ProtocolMesh {
    const char *name;
    const char *garment; // name, NULL: left out
    size_t vertex_count, triangle_count;
    const float (*positions)[3];    // [vertex_count] metres
    const float (*normals)[3];      // [vertex_count]
    const float (*uvs)[2];          // [vertex_count]
    const uint32_t (*triangles)[3]; // [triangle_count] counter-clockwise seen from outside
    const uint16_t (*joints)[4];    // [vertex_count] indices into the character's bones
    const float (*weights)[4];      // [vertex_count]
} ProtocolMesh;

// A mesh that is written already, and its material.
typedef struct ProtocolMeshText {
    const TextBuffer *text; // by protocol_write_mesh
    ProtocolMaterial material;
} ProtocolMeshText;

// Appends the result of character.describe without meshes, without "\n".
void protocol_write_description(TextBuffer *text, const ProtocolCharacter *character, ProtocolAxes axes);

// Appends a mesh as an object without its end, where the material follows. Triangles are counter-clockwise
// seen from outside in left-handed axes, too.
void protocol_write_mesh(TextBuffer *text, const ProtocolMesh *mesh, ProtocolAxes axes);

// Appends a description by protocol_write_description with the list of meshes.
void protocol_write_meshed_description(TextBuffer *text, const TextBuffer *description,
                                       const ProtocolMeshText *meshes, size_t mesh_count);

// Appends the whole stream.static line with its "\n". `selection` are the indices of the bones that frames of
// this view carry (NULL = the first `selection_count`); `description` the text of it, with meshes or without,
// in the view's axes, NULL with static:false.
void protocol_write_static(TextBuffer *text, int view, const ProtocolCharacter *character,
                           const size_t *selection, size_t selection_count, const TextBuffer *description);
