// Reading assimp's scene.
#pragma once

#include "data.h"

#include <assimp/scene.h>
#include <cglm/mat4.h>

// A bone's node, and how it lies under the parent bone's.
typedef struct SceneNode {
    const struct aiNode *node;
    mat4 base; // of what is above a root bone; identity for others
} SceneNode;

// import.c: reads a file and does assimp's steps (aiProcess_…); to be released. No meshes are made up for
// display, FBX joints are one node each, and aiProcess_RemoveComponent removes normals and tangents.
const struct aiScene *scene_open(const char *path, unsigned steps, AssetError *out_error);

// bones.c: fills in the file's bones, in metres, set down on the ground where nothing is skinned; its
// scale and height. out_nodes: [file->bone_count], the caller's to free, also after a failure.
bool scene_read_bones(const struct aiScene *scene, float scale, AssetFile *file, SceneNode **out_nodes,
                      AssetError *out_error);

// motions.c: fills in the file's motions and normalizes them.
bool scene_read_motions(const struct aiScene *scene, const SceneNode *nodes, AssetFile *file,
                        AssetError *out_error);

// meshes.c: fills in the file's skinned meshes. After the bones.
bool scene_read_meshes(const struct aiScene *scene, const SceneNode *nodes, AssetFile *file,
                       AssetError *out_error);

// bones.c: the first node that shows a mesh, NULL: none; a node's place in the scene; whether a file is glTF,
// whose units are metres.
const struct aiNode *scene_mesh_node(const struct aiNode *node, unsigned mesh);
void scene_global_matrix(const struct aiNode *node, mat4 out_matrix);
bool scene_is_gltf(const char *path);

// bones.c: metres per unit of the file, as it says (FBX); 0: it does not.
float scene_unit(const struct aiScene *scene);

// assimp's matrices are row-major.
static inline void scene_matrix(const struct aiMatrix4x4 *matrix, mat4 out_matrix) {
    mat4 columns = {{matrix->a1, matrix->b1, matrix->c1, matrix->d1},
                    {matrix->a2, matrix->b2, matrix->c2, matrix->d2},
                    {matrix->a3, matrix->b3, matrix->c3, matrix->d3},
                    {matrix->a4, matrix->b4, matrix->c4, matrix->d4}};
    glm_mat4_copy(columns, out_matrix);
}
