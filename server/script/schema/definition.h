// The definitions of characters and scenes: structures that the schemas fill in.
#pragma once

#include "schema/bones.h"
#include "schema/schema.h"

#include <stdbool.h>

typedef struct ScriptCharacterDef {
    const struct ScriptSkeleton *skeleton;
    ScriptList clips;     // map of const ScriptClip *
    ScriptList colliders; // of ScriptItem: ScriptColliderDef
    ScriptList driven;    // of ScriptItem: ScriptBone, ScriptAim, ScriptPosition, ScriptTwist, ScriptSlide
    ScriptList meshes;    // of const ScriptMesh *; items NULL: those of the skeleton's file
    ScriptList garments;  // of ScriptItem: ScriptGarmentDef
    ScriptList seams;     // of ScriptSeamDef
    int on_spawn, on_tick, on_save, on_restore;
    ScriptList commands; // map of ScriptCommandDef
} ScriptCharacterDef;

typedef struct ScriptCommandDef {
    const char *help;
    int run;
} ScriptCommandDef;

// Any shape; each schema fills in its part.
typedef struct ScriptColliderDef {
    const char *name, *bone;
    float center[3], rotation[4], radii[3];
    bool split;
    float from[3], to[3], radius, radius_end; // radius_end: negative, as radius
    float normal[3], offset;
} ScriptColliderDef;

typedef struct ScriptAt {
    const char *bone; // NULL: direction
    float offset[3];
} ScriptAt;

typedef struct ScriptAim {
    const char *bone;
    ScriptAt at;
    float direction[3]; // all zero: at
    float axis[3], weight;
} ScriptAim;

typedef struct ScriptPosition {
    ScriptList between; // of const char *
    int keep;           // "distance"
    float weight;
} ScriptPosition;

typedef struct ScriptTwist {
    const char *bone, *follows;
    float axis[3], share;
} ScriptTwist;

typedef struct ScriptSlide {
    const char *bone, *follows, *relative_to;
    float axis[3], share;
} ScriptSlide;

// A number of each particle of cloth: max distance and backstop in m, pose stiffness in Hz.
typedef struct ScriptLimits {
    float top, bottom, curve; // bottom: negative, the fabric's
    ScriptList each;          // of float; items NULL: top, bottom, curve
} ScriptLimits;

typedef struct ScriptAttach {
    const char *bone;
    ScriptList columns; // of maps of float; items NULL: bone
} ScriptAttach;

typedef struct ScriptReferences {
    int kind;             // a SimReferences
    ScriptList colliders; // of const char *; items NULL: those that the garment meets
} ScriptReferences;

typedef struct ScriptBoneNames {
    const char *prefix; // NULL: the name and "_"
    int first_column, every, last_row;
    int count; // of a general mesh; 0: the default
} ScriptBoneNames;

typedef struct ScriptLinks {
    float base, tip; // of the first link and the last
} ScriptLinks;

typedef struct ScriptSlit {
    int column, row;
    int over; // a SimSide
} ScriptSlit;

// A part of a grid.
typedef struct ScriptRegion {
    const char *fabric;       // NULL: the garment's
    float thickness;          // m; negative: the fabric's
    ScriptList rows, columns; // of int, the first and the last; items NULL: all
} ScriptRegion;

// Whether cloth takes a mesh as it is: where the mesh is no grid, always, or never.
typedef enum ScriptGeneral { SCRIPT_GENERAL_AUTOMATIC, SCRIPT_GENERAL_YES, SCRIPT_GENERAL_NO } ScriptGeneral;

// Any kind of garment; each schema fills in its part.
typedef struct ScriptGarmentDef {
    const char *name, *fabric;
    int solver, limit_sweeps;
    ScriptList colliders; // of const char *; items NULL: all of the character's
    ScriptReferences references;
    int collision, hard, bend;
    float self_collision;
    ScriptLimits max_distance;
    ScriptList meshes; // of const ScriptMesh *
    // cloth
    int rows, columns;
    bool closed;
    ScriptList positions;          // of float[3]
    ScriptList pattern;            // of float[3]; items NULL: positions
    ScriptList slits;              // of ScriptSlit
    const struct ScriptMesh *mesh; // in place of rows, columns, closed and positions; NULL: those are given
    float weld;                    // m
    int general_choice;            // a ScriptGeneral
    bool general;                  // the mesh is taken as it is: 1 row of `columns` particles
    const char *no_grid;           // why the mesh is no grid, where it was tried; NULL: not so
    ScriptList faces;              // of int[4], of a general mesh: see SimGarmentDef
    const int *particle_of;        // [vertices of a general mesh]; -1: none
    ScriptList bone_particles;     // of int, of a general mesh
    const bool *pinned;            // [rows * columns] as the mesh is painted, or hangs; NULL: row 0
    const int *painted_fabrics;    // [rows * columns] index into the mesh's fabrics, or -1; NULL: none
    float *painted_thicknesses;    // [rows * columns] m, or below 0; NULL: none
    ScriptList regions;            // of ScriptRegion, above what is painted
    bool mesh_is_taken;            // rows, columns, closed, positions and faces are the mesh's
    ScriptAttach attach;
    ScriptLimits pose;     // Hz, of cloth
    ScriptLimits backstop; // m, of cloth; top and bottom negative: none
    ScriptBoneNames bones;
    // pendulum and chain
    const char *bone;
    float rest[3];
    ScriptList points;  // of float[3]
    ScriptList follows; // of const char *; items NULL: by references
    ScriptLinks pose_stiffness, angle_limit;
    float pose_damping;
} ScriptGarmentDef;

typedef struct ScriptSeamTo {
    const char *garment;
    int column, row; // row: -1, as the first of the seam's
} ScriptSeamTo;

typedef struct ScriptSeamDef {
    const char *garment, *name; // name: NULL, the garment's
    int column;
    ScriptSeamTo to;
    ScriptList rows; // of int; items NULL: all that both columns have
    bool closed;
} ScriptSeamDef;

typedef struct ScriptGround {
    bool given;
    float height;
} ScriptGround;

typedef struct ScriptWind {
    float velocity[3], turbulence, gust;
} ScriptWind;

typedef struct ScriptTornadoDef {
    const char *name;
    float position[3], radius, strength, lift, velocity[3];
} ScriptTornadoDef;

typedef struct ScriptCameraDef {
    const char *target; // "": none
    float distance, height;
} ScriptCameraDef;

typedef struct ScriptLevelsDef {
    float reduced, skinned; // m; 0: never
} ScriptLevelsDef;

typedef struct ScriptSceneDef {
    ScriptGround ground;
    float gravity[3];
    ScriptWind wind;
    ScriptList spawn; // of ScriptSpawnDef
    ScriptCameraDef camera;
    ScriptLevelsDef levels;
    int on_start;
} ScriptSceneDef;

typedef struct ScriptSpawnDef {
    const char *script, *name; // name: "" for none
    float position[3], rotation[4];
    const ScriptNode *params; // NULL: none
} ScriptSpawnDef;

extern const ScriptSchema script_character_schema;
extern const ScriptSchema script_ellipsoid_schema, script_sphere_schema, script_capsule_schema,
    script_plane_schema;
extern const ScriptSchema script_aim_schema, script_position_schema, script_twist_schema, script_slide_schema;
extern const ScriptSchema script_garment_schema; // the common fields of the three
extern const ScriptSchema script_cloth_schema, script_pendulum_schema, script_chain_schema;
extern const ScriptSchema script_seam_schema;
extern const ScriptSchema script_scene_schema, script_spawn_schema, script_wind_schema, script_tornado_schema;

// The names of the solvers, then NULL.
extern const char *const script_solvers[];
