// What is read from assimp's scene.
#pragma once

#include "data.h"

#include <assimp/scene.h>
#include <cglm/types.h>

// A bone's node, and how it lies under the parent bone's.
typedef struct SceneNode {
    const struct aiNode *node;
    mat4 base; // of what is above a root bone; identity for others
} SceneNode;

// scene_bones.c: fills in the file's bones, in metres, set down on the ground where nothing is skinned; its
// scale and height. out_nodes: [file->bone_count], the caller's to free, also after a failure.
bool scene_read_bones(const struct aiScene *scene, float scale, AssetFile *file, SceneNode **out_nodes,
                      AssetError *out_error);

// scene_motions.c: fills in the file's motions and settles them.
bool scene_read_motions(const struct aiScene *scene, const SceneNode *nodes, AssetFile *file,
                        AssetError *out_error);

// scene_units.c: metres per unit of a file whose rest pose is so high in its units.
float scene_guess_scale(const struct aiScene *scene, const char *path, float height_in_units);

// scene_matrix.c: assimp's matrices are row-major.
void scene_matrix(const struct aiMatrix4x4 *matrix, mat4 out_matrix);
// Rotation and place of a matrix without its scaling (a mirrored one is unmirrored along x).
SimTransform scene_rigid(mat4 matrix);
// A child in its parent's space.
SimTransform scene_relative(const SimTransform *parent, const SimTransform *child);
