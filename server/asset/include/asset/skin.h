// Binds a mesh to bones: geodesic voxel binding (O. Dionne and M. de Lasa, "Geodesic Voxel Binding for
// Production Character Meshes", SCA 2013).
//
// The distance from a bone to a point of the skin is that of the shortest way inside the body, through the
// voxels that the mesh fills. A hand beside a thigh is far from the thigh's bone.
#pragma once

#include "asset/surface.h"
#include "sim/rig.h"

#include <stdint.h>

// A part of a bone inside the body. A bone may have several, and one may be a point.
typedef struct AssetBoneSegment {
    int bone; // below bone_count
    float from[3], to[3];
} AssetBoneSegment;

typedef struct AssetBindDef {
    const float (*positions)[3];      // [vertex_count], m, model space, in the pose that is bound
    int vertex_count;                 // 3 to ASSET_MOST_VERTICES; those at one place (a seam of uvs) are one
    const uint32_t (*triangles)[3];   // [triangle_count]
    int triangle_count;               // 1 to ASSET_MOST_TRIANGLES
    const AssetBoneSegment *segments; // [segment_count]; a bone without any moves nothing
    int segment_count;
    const char *const *bone_names; // [bone_count], for errors
    int bone_count;                // 1 to ASSET_MOST_BINDING_BONES
    int resolution;                // voxels along the longest side of the mesh, ASSET_LEAST_RESOLUTION to
                                   // ASSET_MOST_RESOLUTION
    float sharpness; // exponent of the distance, 1..16: a bone twice as far has 1 / 2^sharpness of the weight
} AssetBindDef;

#define ASSET_MOST_VERTICES      200000
#define ASSET_MOST_TRIANGLES     400000
#define ASSET_MOST_BINDING_BONES 1024
#define ASSET_MOST_WEIGHTS       16000000 // vertices times bones
#define ASSET_LEAST_RESOLUTION   16
#define ASSET_MOST_RESOLUTION    256
#define ASSET_MOST_VOXELS        12000000
#define ASSET_DEFAULT_RESOLUTION 144
#define ASSET_DEFAULT_SHARPNESS  4.0f

// Fills in up to four bones a vertex, the heaviest first; weights sum to 1, unused ones are 0 with bone 0.
// Fails with a reason where a value is out of range, where the mesh is open and not filled, or where a bone
// with segments lies outside of it. cache: see asset/surface.h.
bool asset_bind(const AssetBindDef *def, const char *cache, uint16_t (*out_joints)[SIM_INFLUENCES],
                float (*out_weights)[SIM_INFLUENCES], AssetError *out_error);

// Moves a bound mesh: each vertex by the mean of its bones' matrices, by weight. matrices: [bone_count], from
// the mesh's own pose.
void asset_skin_move(const AssetBindDef *mesh, const uint16_t (*joints)[SIM_INFLUENCES],
                     const float (*weights)[SIM_INFLUENCES], const mat4 *matrices, float (*out_positions)[3]);

typedef struct AssetTuckDef {
    const AssetShape *shapes; // [shape_count], 1 at least
    int shape_count;
    float blend;         // m, > 0: how far the hollows between shapes are filled, see asset_shapes_distance
    float margin;        // m, how far the skin may stand out
    const float *shares; // [vertex_count] 0..1: how much of the way each vertex goes
} AssetTuckDef;

// Pulls the skin that stands out of the shapes to their surface, and takes what is round it along. Only the
// mesh's triangles matter, its positions are those given. Returns false when memory runs out.
bool asset_skin_tuck(const AssetBindDef *mesh, const AssetTuckDef *def, const char *cache,
                     float (*positions)[3], AssetError *out_error);
