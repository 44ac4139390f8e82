// The definition of a kind of character: bones, the driven layer over them, colliders, garments and clips.
//
// A definition is plain data in the caller's memory; creation validates and copies all of it. Names are
// unique within their list and 1 to 64 bytes. Indices refer to the lists of the same definition.
#pragma once

#include "sim/fabric.h"
#include "sim/render_mesh.h"
#include "sim/types.h"

#define SIM_MOST_SURFACE_PARTICLES 16384 // of cloth that is no grid
#define SIM_INFLUENCES             4     // bones that move one skinned particle
#define SIM_GARMENT_BONE_NAME_SIZE 80    // bytes, with the terminating zero

typedef enum SimBoneKind {
    SIM_BONE_SKELETON,
    SIM_BONE_DRIVEN,
    SIM_BONE_CLOTH,
    SIM_BONE_PENDULUM,
    SIM_BONE_CHAIN,
} SimBoneKind;

// A bone of the skeleton or of the driven layer; parents come before their children. The bones of garments
// are not listed: creation appends them.
typedef struct SimBoneDef {
    const char *name;
    int parent;            // index, -1 for a root
    SimBoneKind kind;      // SIM_BONE_SKELETON or SIM_BONE_DRIVEN
    vec3 position;         // m, in the parent's space, at rest
    versor rotation;       // in the parent's space, at rest
    bool has_inverse_bind; // otherwise the inverse of the rest matrix
    mat4 inverse_bind;     // mesh space to bone space, as a file gives it: for its meshes, not for garments
} SimBoneDef;

// What turns and moves the driven bones, after clips and poses. Solved in the order of dependency.
typedef enum SimConstraintKind {
    SIM_CONSTRAINT_TWIST,    // turn bone about its axis by a share of the twist of another
    SIM_CONSTRAINT_AIM,      // turn bone by the smallest rotation so that its axis looks at a spot or along a
                             // direction
    SIM_CONSTRAINT_POSITION, // move two bones, half each, so that they keep their distance at rest
    SIM_CONSTRAINT_SLIDE,    // move bone along its axis by a share of the movement of another
} SimConstraintKind;

typedef struct SimConstraintDef {
    SimConstraintKind kind;
    int bone;  // the bone that is turned or moved
    int other; // TWIST: the followed bone. AIM: the bone that carries the spot, -1 for a direction. POSITION:
               // the second bone of the pair. SLIDE: the followed bone
    int base;  // SLIDE: the bone in whose space the followed one moves
    vec3 offset;    // AIM at a bone: the spot in the other bone's space, m
    vec3 direction; // AIM without a bone: direction in model space, need not be of unit length
    vec3 axis;      // AIM, TWIST, SLIDE: axis of the bone, in its own space, need not be of unit length
    float weight;   // 0..1, default 1: share of the correction that is applied (TWIST: share of the twist;
                    // SLIDE: of the movement)
} SimConstraintDef;

typedef enum SimColliderShape {
    SIM_COLLIDER_ELLIPSOID,
    SIM_COLLIDER_SPHERE,
    SIM_COLLIDER_CAPSULE, // hull of two spheres
    SIM_COLLIDER_PLANE,   // of the world; cloth stays where normal . x >= offset
} SimColliderShape;

// In the space of its bone; a plane in world space.
typedef struct SimColliderDef {
    const char *name;
    SimColliderShape shape;
    int bone;         // all but PLANE; a garment's bone too, see sim_garment_bone_index
    vec3 center;      // ELLIPSOID, SPHERE: m
    versor rotation;  // ELLIPSOID
    vec3 radii;       // ELLIPSOID: m, along its own axes
    vec3 from, to;    // CAPSULE: centres of the two spheres, m
    float radius;     // SPHERE, CAPSULE (at from): m
    float radius_end; // CAPSULE (at to): m
    vec3 normal;      // PLANE: unit
    float offset;     // PLANE: m
} SimColliderDef;

typedef enum SimGarmentKind {
    SIM_GARMENT_CLOTH,    // a grid
    SIM_GARMENT_PENDULUM, // 2 rows, 1 column: its bone aims at the bob
    SIM_GARMENT_CHAIN,    // N rows, 1 column
} SimGarmentKind;

typedef enum SimReferences {
    SIM_REFERENCES_BLEND,  // a smooth blend of the attached bones and those of near colliders
    SIM_REFERENCES_ATTACH, // the bones that the column's top is attached to
} SimReferences;

typedef enum SimSolver {
    SIM_SOLVER_VERLET,      // links of exact or limited length, bending as curvature
    SIM_SOLVER_MASS_SPRING, // structural, shear and flexion springs: the fabric's group `spring`
} SimSolver;

// Whether a step uses the exact method, or the Alan Wake article's for comparison.
typedef enum SimCollision { SIM_COLLISION_EXACT, SIM_COLLISION_ALAN_WAKE } SimCollision;
typedef enum SimHard { SIM_HARD_EXACT, SIM_HARD_ALAN_WAKE } SimHard;
typedef enum SimBend { SIM_BEND_CURVATURE, SIM_BEND_ALAN_WAKE } SimBend;

// The bones of the last row, which has no link below it.
typedef enum SimLastRow {
    SIM_LAST_ROW_NONE,   // there are none: the row above moves all that hangs down from it
    SIM_LAST_ROW_FOLLOW, // there are, and they point on the way of the link above
} SimLastRow;

// Bones that move a point, weights summing to 1 (normalised at creation); unused ones have weight 0.
typedef struct SimSkin {
    int bones[SIM_INFLUENCES];
    float weights[SIM_INFLUENCES];
} SimSkin;

// The side of a slit that lies over the other one, seen from outside: columns run to the right.
typedef enum SimSide { SIM_SIDE_LEFT, SIM_SIDE_RIGHT } SimSide;

// The cloth is cut open between a column and the next, from a row down.
typedef struct SimSlit {
    int column;   // the cut is between it and the next one
    int row;      // 1 at least: the first row in which the two are not joined
    SimSide over; // default SIM_SIDE_LEFT
} SimSlit;

typedef struct SimGarmentDef {
    const char *name;
    SimGarmentKind kind;
    int rows;                    // 2..128, row 0 on top
    int columns;                 // 1..128; a closed one has 3 at least
    bool closed;                 // the last column is the first one's neighbour
    const float (*positions)[3]; // [rows * columns], model space at the rest pose, row by row
    const float (*pattern)[3];   // [rows * columns] or NULL, positions: the shape that the cloth is cut to,
                                 // in any place: lengths, areas and curvatures at rest
    const int (*faces)[4];       // [face_count] or NULL, a grid. Else the particles are 1 row of `columns`
                                 // and form these faces, counter-clockwise seen from outside; the fourth
                                 // corner of a triangle is -1. They are one piece
    int face_count;              // default 0
    const SimSlit *slits;        // [slit_count]
    int slit_count;              // default 0
    const bool *pinned;          // [rows * columns] or NULL: row 0
    const SimSkin *attach;       // [columns]: what the top row follows
    SimReferences references;    // what the other rows' references follow
    const int *reference_colliders; // [reference_collider_count] indices of those that they blend into
    int reference_collider_count;   // -1: those that the garment meets
    const SimSkin *skins;           // [rows * columns] or NULL; given, it stands above attach and references
    float max_distance_top;         // m, default 0
    float max_distance_bottom;      // m; negative: the fabric's max_distance
    float max_distance_curve;       // exponent over the share of the way down, 0.1..1, default 1 (linear)
    const float *max_distances; // [rows * columns], m, or NULL: top, bottom and curve. The fabric's factor
                                // for edges multiplies the latter alone
    // m, 0..10, or negative, the default: any. How far each particle may be behind its reference, along the
    // outward normal of the references. Of the top row and the lowest. Of grids alone; it yields to
    // colliders.
    float backstop[2];
    float backstop_curve;      // exponent over the share of the way down, 0.1..1, default 1
    const float *backstops;    // [rows * columns] m, or NULL: backstop and backstop_curve
    const int *colliders;      // [collider_count] indices
    int collider_count;        // -1: all of the rig's but those on the garment's own bones
    float self_collision;      // m, 0..0.5, default 0 (off): how far its layers keep apart, and those of two
                               // such garments by the mean; what is nearer at rest may stay so
    const char *bone_prefix;   // bones are named <prefix><row>_<column>; a pendulum's is the prefix itself
    int bone_first_column;     // 0
    int bone_column_step;      // 1: every column
    const int *bone_particles; // [bone_particle_count] of faces, in place of rows and columns: the particles
                               // that have bones, named <prefix><particle>
    int bone_particle_count;
    SimLastRow bone_last_row; // none; a pendulum has one bone only
    // Hz, 0..30, default 0: none. Cloth: each particle is drawn to its reference; weightless, it swings about
    // it at this frequency. Of the top row and the lowest. One column: each link is drawn to the direction
    // that it has in the references, and a straight chain swings about that. Of the first link and the last,
    // evenly between them.
    float pose_stiffness[2];
    float pose_curve;              // exponent over the share of the way down, 0.1..1, default 1; of cloth
    const float *pose_stiffnesses; // [rows * columns] Hz, or NULL: pose_stiffness and pose_curve; of cloth
    float pose_damping; // 0..10, default 0: ratio to critical damping of the swings of pose_stiffness
    // One column only: of the first link and of the last, evenly between them.
    float angle_limit[2]; // degrees, 0..180, default 180: none. How far a link may turn from its direction in
                          // the references, seen from the link above it (the first: from the references
                          // themselves)
    SimSolver solver;     // default SIM_SOLVER_VERLET
    int limit_sweeps; // 1..1000, default 100: with SIM_SOLVER_MASS_SPRING, sweeps a substep at most that draw
                      // structural and shear springs beyond the fabric's limit together
    SimCollision collision;
    SimHard hard;
    int iterations; // 1..100, default 4: sweeps over all links a substep, with SIM_HARD_ALAN_WAKE only
    SimBend bend;
    SimFabric fabric;
    const SimFabric *region_fabrics; // [region_fabric_count] of cloth that is of several fabrics
    int region_fabric_count;         // default 0
    const int *regions; // [rows * columns] or NULL: the fabric at each particle, -1 the garment's. Its
                        // density, stretch, shear, drape, damping, thickness, wind and springs count, as
                        // factors on the garment's values
    const float *thicknesses; // [rows * columns] m, 0..0.1, or NULL: how far each particle keeps off
                              // colliders; below 0: as its fabric says
} SimGarmentDef;

// A column of a garment sewn to a column of the same or of another one, row by row. A pair of particles that
// are both pinned is left out.
typedef struct SimSeamDef {
    const char *name;
    int garments[2];
    int columns[2];
    int first_rows[2]; // the rows that are sewn first
    int row_count;     // and how many follow on from them; 1 at least
    bool closed;       // how it is at the beginning, default true
} SimSeamDef;

// Motion on a regular time base; between frames it is interpolated.
typedef struct SimClipDef {
    const char *name;
    float rate;              // frames per second, > 0
    int frame_count;         // 1 at least; the clip lasts (frame_count - 1) / rate seconds
    const versor *rotations; // [frame_count][bone_count] in the parent's space; bone_count is that of the rig
    const float (*positions)[3]; // [frame_count][bone_count] in the parent's space, m, or NULL: as at rest
    const float (
        *root)[3];    // [frame_count] x, z (m) and heading (radians about +Y) of the root, or NULL: it stays
    float loop_blend; // s, default 0.3: looped, the end fades into the beginning for so long
} SimClipDef;

typedef struct SimRigDef {
    const char *name;
    const SimBoneDef *bones;
    int bone_count;
    const SimConstraintDef *constraints;
    int constraint_count;
    const SimColliderDef *colliders;
    int collider_count;
    const SimGarmentDef *garments;
    int garment_count;
    const SimSeamDef *seams;
    int seam_count;
    const SimClipDef *clips;
    int clip_count;
    const SimRenderMesh *meshes;
    int mesh_count;
} SimRigDef;

// Definitions with every field at its default.
SimBoneDef sim_default_bone_def(void);
SimConstraintDef sim_default_constraint_def(void);
SimColliderDef sim_default_collider_def(void);
SimGarmentDef sim_default_garment_def(void);
SimSeamDef sim_default_seam_def(void);
SimClipDef sim_default_clip_def(void);

// Returns the index, among all of the rig's bones, of the garment's bone at a particle; -1 when the particle
// has none. A collider that is attached to the garment uses it.
int sim_garment_bone_index(const SimRigDef *def, int garment, int row, int column);
// Gives the name of that bone.
void sim_garment_bone_name(const SimGarmentDef *garment, int row, int column,
                           char out_name[SIM_GARMENT_BONE_NAME_SIZE]);

// Whether the garment, if its grid had so many columns, would be large enough and have columns enough to be
// computed in 16 strips at once, several times as fast where the character is alone. A seam prevents it.
bool sim_garment_is_divisible(const SimGarmentDef *garment, int columns);

// Chooses particles of a valid definition with faces that lie evenly spread: the first one is pinned, and
// each next one is the farthest along edges from those before. They are listed from the top down. Returns
// their number, count or that of all particles; 0: out of memory.
int sim_garment_spread(const SimGarmentDef *garment, int count, int *out_particles);

// Fills in which of the definition's bones move a mesh's vertices at each particle, as indices into
// bone_particles: the nearest ones along edges. Weights add up to 1. Returns false when memory runs out.
bool sim_garment_faces_skin(const SimGarmentDef *garment, SimSkin *out_skins); // [columns]

// Returns true when the definition is valid; else issue has the first mistake: "garments[0].positions[12]".
bool sim_validate_rig_def(const SimRigDef *def, SimIssue *out_issue);

// Description of a compiled rig. All pointers live as long as the rig.
typedef struct SimBoneInfo {
    const char *name;
    int parent;
    SimBoneKind kind;
    mat4 rest_model;   // bone space to model space at rest
    mat4 inverse_bind; // model space to bone space
} SimBoneInfo;

typedef struct SimGarmentBone {
    int particle; // its pivot
    int bone;     // index into the rig's bones
} SimGarmentBone;

#define SIM_SPRING_STEPS 16 // most steps into which springs divide a substep: 64 in 1/60 s

// How the springs of mass-spring cloth take part in a substep.
typedef struct SimSpringPlan {
    int steps;         // 1..SIM_SPRING_STEPS
    float share;       // 0..1, of the fabric's stiffness and damping: below 1 where it needs more steps
    float stable_step; // s, 0..1: the longest step with which the fabric's own values are stable
} SimSpringPlan;

#define SIM_SPRING_WARNING_SIZE 320
// Tells from what to what the fabric's springs are softened; returns false where they are not.
bool sim_spring_warning(const SimFabric *fabric, const SimSpringPlan *plan,
                        char out_text[SIM_SPRING_WARNING_SIZE]);

typedef struct SimGarmentInfo {
    const char *name;
    SimGarmentKind kind;
    SimSolver solver;
    SimSpringPlan springs; // SIM_SOLVER_MASS_SPRING: in substeps of 1/240 s, with the definition's fabric
    int rows, columns;     // 0 and 0 of faces that are no grid
    bool closed;
    int particle_count;
    const float (*rest_model)[3]; // [particle_count]
    const int *pinned;            // [pinned_count] particle indices, ascending
    int pinned_count;
    const SimGarmentBone *bones; // [bone_count]
    int bone_count;
    const int *colliders; // [collider_count] indices into the rig's colliders
    int collider_count;
    const int (*triangles)[3]; // [triangle_count], none for chains and across slits
    int triangle_count;
    const SimSlit *slits; // [slit_count]
    int slit_count;
    bool has_max_distance;
} SimGarmentInfo;

typedef struct SimRigInfo {
    const char *name;
    const SimBoneInfo *bones; // skeleton and driven as defined, then each garment's
    int bone_count;
    const SimColliderDef *colliders;
    int collider_count;
    const SimGarmentInfo *garments;
    int garment_count;
    const SimSeamDef *seams;
    int seam_count;
    const char *const *clip_names;
    const float *clip_durations; // s
    int clip_count;
    const SimRenderMesh *meshes;
    int mesh_count;
} SimRigInfo;

// The clip of that name, -1 if there is none.
int sim_rig_clip_named(const SimRigInfo *rig, const char *name);
