// Finds a scene's bones and their rest pose.
//
// Bones are the nodes that skinned meshes name, with all that moves below them; in a file without skin, all
// nodes that move; and every node above a bone but a scene's bare root, which is folded into what it carries.
#define _POSIX_C_SOURCE 200809L // strdup, strcasecmp
#include "importer/scene.h"

#include <cglm/mat4.h>
#include <cglm/quat.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CMU_UNIT 0.056444f // m: CMU's inches divided by 0.45

typedef struct BoneReader {
    const struct aiScene *scene;
    AssetFile *file;
    SceneNode *nodes;
    SimTransform *rest_model; // in the file's units
    int capacity;
} BoneReader;

static bool is_skinned(const struct aiScene *scene);
static int count_nodes(const struct aiNode *node);
static bool reserve(BoneReader *reader);
static bool add_bones(BoneReader *reader, const struct aiNode *node, int parent, mat4 base,
                      mat4 parent_matrix);
static void add_end(BoneReader *reader, int bone, const struct aiNode *node);
static void set_inverse_bind(BoneReader *reader, int bone, mat4 bone_matrix);
static void set_bind_place(BoneReader *reader);
static float guess_scale(const struct aiScene *scene, const char *path, float height_in_units);
static void set_scale(AssetFile *file, float scale);
static void set_down(AssetFile *file);
static bool is_whole(const AssetFile *file, int bone);

bool scene_read_bones(const struct aiScene *scene, float scale, AssetFile *file, SceneNode **out_nodes,
                      AssetError *out_error) {
    BoneReader reader = {.scene = scene, .file = file, .capacity = count_nodes(scene->mRootNode)};
    file->is_skinned = is_skinned(scene);
    mat4 identity = GLM_MAT4_IDENTITY_INIT;
    bool done = reserve(&reader) && add_bones(&reader, scene->mRootNode, -1, identity, identity);
    *out_nodes = reader.nodes;
    if (!done) {
        free(reader.rest_model);
        return asset_fail(out_error, "%s: out of memory", file->path);
    }
    if (file->bone_count > 0) {
        asset_rest_model(file, reader.rest_model);
        set_bind_place(&reader);
        float height =
            asset_pose_highest(file, reader.rest_model) - asset_pose_lowest(file, reader.rest_model);
        set_scale(file, scale > 0.0f ? scale : guess_scale(scene, file->path, height));
        file->height = height * file->scale;
        if (!file->is_skinned) set_down(file);
    }
    free(reader.rest_model);
    if (file->bone_count == 0) return asset_fail(out_error, "%s: has no bones", file->path);
    for (int b = 0; b < file->bone_count; b++)
        if (!is_whole(file, b))
            return asset_fail(out_error, "%s: the pose or the end of its bone %s is not finite or too large",
                              file->path, file->bones[b].name);
    if (!isfinite(file->height)) return asset_fail(out_error, "%s: its rest pose is broken", file->path);
    return true;
}

const struct aiNode *scene_mesh_node(const struct aiNode *node, unsigned mesh) {
    for (unsigned i = 0; i < node->mNumMeshes; i++)
        if (node->mMeshes[i] == mesh) return node;
    for (unsigned i = 0; i < node->mNumChildren; i++) {
        const struct aiNode *found = scene_mesh_node(node->mChildren[i], mesh);
        if (found) return found;
    }
    return NULL;
}

void scene_global_matrix(const struct aiNode *node, mat4 out_matrix) {
    mat4 local, above = GLM_MAT4_IDENTITY_INIT;
    if (node->mParent) scene_global_matrix(node->mParent, above);
    scene_matrix(&node->mTransformation, local);
    glm_mat4_mul(above, local, out_matrix);
}

bool scene_is_gltf(const char *path) {
    const char *ending = strrchr(path, '.');
    return ending && (strcasecmp(ending, ".gltf") == 0 || strcasecmp(ending, ".glb") == 0 ||
                      strcasecmp(ending, ".vrm") == 0);
}

float scene_unit(const struct aiScene *scene) {
    for (unsigned i = 0; scene->mMetaData && i < scene->mMetaData->mNumProperties; i++) {
        const struct aiMetadataEntry *entry = &scene->mMetaData->mValues[i];
        if (strcmp(scene->mMetaData->mKeys[i].data, "UnitScaleFactor") != 0) continue; // centimetres
        if (entry->mType == AI_FLOAT) return 0.01f * *(const float *)entry->mData;
        if (entry->mType == AI_DOUBLE) return 0.01f * (float)*(const double *)entry->mData;
    }
    return 0.0f;
}

static const struct aiBone *find_skin(const struct aiScene *scene, const struct aiNode *node,
                                      const struct aiNode **out_mesh_node) {
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        for (unsigned b = 0; b < scene->mMeshes[m]->mNumBones; b++) {
            const struct aiBone *bone = scene->mMeshes[m]->mBones[b];
            if (strcmp(bone->mName.data, node->mName.data) != 0) continue;
            *out_mesh_node = scene_mesh_node(scene->mRootNode, m);
            return bone;
        }
    }
    return NULL;
}

static bool is_skinned(const struct aiScene *scene) {
    for (unsigned m = 0; m < scene->mNumMeshes; m++)
        if (scene->mMeshes[m]->mNumBones > 0) return true;
    return false;
}

static bool is_animated(const struct aiScene *scene, const struct aiNode *node) {
    for (unsigned a = 0; a < scene->mNumAnimations; a++)
        for (unsigned c = 0; c < scene->mAnimations[a]->mNumChannels; c++)
            if (strcmp(scene->mAnimations[a]->mChannels[c]->mNodeName.data, node->mName.data) == 0)
                return true;
    return false;
}

static bool is_bone(const BoneReader *reader, const struct aiNode *node, bool below_bone) {
    const struct aiNode *mesh_node;
    bool moves = (below_bone || !reader->file->is_skinned) && is_animated(reader->scene, node);
    if (moves || find_skin(reader->scene, node, &mesh_node)) return true;
    if (!node->mParent) return false;
    for (unsigned i = 0; i < node->mNumChildren; i++)
        if (is_bone(reader, node->mChildren[i], below_bone)) return true;
    return false;
}

static int count_nodes(const struct aiNode *node) {
    int count = 1;
    for (unsigned i = 0; i < node->mNumChildren; i++) count += count_nodes(node->mChildren[i]);
    return count;
}

static bool reserve(BoneReader *reader) {
    size_t count = (size_t)reader->capacity;
    AssetFile *file = reader->file;
    reader->nodes = calloc(count, sizeof *reader->nodes);
    reader->rest_model = calloc(count, sizeof *reader->rest_model);
    file->bones = calloc(count, sizeof *file->bones);
    file->ends = calloc(count, sizeof *file->ends);
    file->has_end = calloc(count, sizeof *file->has_end);
    return reader->nodes && reader->rest_model && file->bones && file->ends && file->has_end;
}

// Nodes of glTF need no names: assimp then makes "nodes[1]" of them, which as a pattern would name something
// else.
static char *bone_name(const struct aiNode *node) {
    char *name = strdup(node->mName.data);
    for (char *letter = name; letter && *letter; letter++)
        if (strchr("*?[]", *letter)) *letter = '_';
    return name;
}

// base: what lies above the next root bone; parent_matrix: the node's parent in the scene, scaling included.
static bool add_bones(BoneReader *reader, const struct aiNode *node, int parent, mat4 base,
                      mat4 parent_matrix) {
    AssetFile *file = reader->file;
    mat4 local, matrix, below;
    scene_matrix(&node->mTransformation, local);
    glm_mat4_mul(parent_matrix, local, matrix);
    glm_mat4_mul(base, local, below);
    int above = parent;
    if (is_bone(reader, node, parent >= 0)) {
        int bone = file->bone_count++;
        SimTransform origin = SIM_TRANSFORM_IDENTITY, placed = asset_rigid(matrix);
        SimTransform rest = asset_relative(parent < 0 ? &origin : &reader->rest_model[parent], &placed);
        reader->rest_model[bone] = placed;
        reader->nodes[bone].node = node;
        glm_mat4_copy(base, reader->nodes[bone].base);
        file->bones[bone] = sim_default_bone_def();
        file->bones[bone].name = bone_name(node);
        if (!file->bones[bone].name) return false;
        file->bones[bone].parent = parent;
        glm_vec3_copy(rest.position, file->bones[bone].position);
        glm_vec4_copy(rest.rotation, file->bones[bone].rotation);
        set_inverse_bind(reader, bone, matrix);
        glm_mat4_identity(below);
        above = bone;
    }
    int bones_before = file->bone_count;
    for (unsigned i = 0; i < node->mNumChildren; i++)
        if (!add_bones(reader, node->mChildren[i], above, below, matrix)) return false;
    if (above != parent && file->bone_count == bones_before) add_end(reader, above, node);
    return true;
}

// A bone without bones below ends where a bare node hangs on it.
static void add_end(BoneReader *reader, int bone, const struct aiNode *node) {
    for (unsigned i = 0; i < node->mNumChildren && !reader->file->has_end[bone]; i++) {
        const struct aiNode *child = node->mChildren[i];
        vec3 end = {child->mTransformation.a4, child->mTransformation.b4, child->mTransformation.c4};
        if (child->mNumMeshes > 0 || glm_vec3_norm2(end) <= 0.0f) continue;
        glm_vec3_copy(end, reader->file->ends[bone]);
        reader->file->has_end[bone] = true;
    }
}

// assimp's offset takes the mesh's own space to the bone's, scaling included; ours starts from model space
// and ends in the bone's space without scaling.
static void set_inverse_bind(BoneReader *reader, int bone, mat4 bone_matrix) {
    SimBoneDef *def = &reader->file->bones[bone];
    const struct aiNode *mesh_node = NULL;
    const struct aiBone *skin = find_skin(reader->scene, reader->nodes[bone].node, &mesh_node);
    if (!skin || !mesh_node) return;
    mat4 scaling = GLM_MAT4_IDENTITY_INIT, offset, mesh_to_model, model_to_mesh;
    for (int i = 0; i < 3; i++) scaling[i][i] = glm_vec3_norm(bone_matrix[i]);
    scene_matrix(&skin->mOffsetMatrix, offset);
    scene_global_matrix(mesh_node, mesh_to_model);
    glm_mat4_inv(mesh_to_model, model_to_mesh);
    glm_mat4_mul(offset, model_to_mesh, offset);
    glm_mat4_mul(scaling, offset, def->inverse_bind);
    def->has_inverse_bind = true;
}

// Formats place skinned meshes in ways of their own, above the skeleton or beside it. All are moved so that
// the first skinned bone has its rest pose when they are bound.
static void set_bind_place(BoneReader *reader) {
    AssetFile *file = reader->file;
    int first = 0;
    mat4 rest, back;
    glm_mat4_identity(file->bind_place);
    while (first < file->bone_count && !file->bones[first].has_inverse_bind) first++;
    if (first == file->bone_count) return;
    glm_quat_mat4(reader->rest_model[first].rotation, rest);
    glm_vec3_copy(reader->rest_model[first].position, rest[3]);
    glm_mat4_mul(rest, file->bones[first].inverse_bind, file->bind_place);
    glm_mat4_inv(file->bind_place, back);
    for (int b = 0; b < file->bone_count; b++)
        if (file->bones[b].has_inverse_bind)
            glm_mat4_mul(file->bones[b].inverse_bind, back, file->bones[b].inverse_bind);
}

// Metres per unit of a file whose rest pose is so high in its units.
static float guess_scale(const struct aiScene *scene, const char *path, float height_in_units) {
    static const float units[] = {1.0f, CMU_UNIT, 0.0254f, 0.01f, 0.001f};
    const float said = scene_is_gltf(path) ? 1.0f : scene_unit(scene);
    if (said > 0.0f) return said;
    float scale = 1.0f, least = INFINITY;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        float height = units[i] * height_in_units, miss = fabsf(logf(height / 1.75f));
        if (height < 1.0f || height > 2.5f || miss >= least) continue;
        scale = units[i];
        least = miss;
    }
    return scale;
}

static void set_scale(AssetFile *file, float scale) {
    file->scale = scale;
    for (int b = 0; b < file->bone_count; b++) {
        glm_vec3_scale(file->bones[b].position, scale, file->bones[b].position);
        glm_vec3_scale(file->bones[b].inverse_bind[3], scale, file->bones[b].inverse_bind[3]);
        glm_vec3_scale(file->ends[b], scale, file->ends[b]);
    }
}

static void set_down(AssetFile *file) {
    SimTransform *rest_model = malloc((size_t)file->bone_count * sizeof *rest_model);
    if (!rest_model) return;
    asset_rest_model(file, rest_model);
    float lowest = asset_pose_lowest(file, rest_model) - ASSET_SOLE_SHARE * file->height;
    for (int b = 0; b < file->bone_count; b++)
        if (file->bones[b].parent < 0) file->bones[b].position[1] -= lowest;
    free(rest_model);
}

static bool is_whole(const AssetFile *file, int bone) {
    const float *q = file->bones[bone].rotation;
    return isfinite(q[0] + q[1] + q[2] + q[3]) && asset_is_in_range(file->bones[bone].position) &&
           (!file->has_end[bone] || asset_is_in_range(file->ends[bone]));
}
