// Lists what is in a file.
#define _POSIX_C_SOURCE 200809L // strdup
#include "importer/format.h"
#include "importer/importer.h"
#include "importer/scene.h"
#include "vertex_weld.h"

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char up_axis(const struct aiScene *scene);
static bool read_mesh(const struct aiScene *scene, unsigned index, AssetMeshContents *out_mesh);
static int count_places(const struct aiMesh *mesh);
static void read_box(const struct aiMesh *mesh, const struct aiNode *node, AssetMeshContents *out_mesh);

bool importer_load_contents(AssetContents *contents, const char *path, AssetError *out_error) {
    *contents = (AssetContents){0};
    const ImporterFormat *format = importer_format_of(path, out_error);
    if (!format) return false;
    const struct aiScene *scene = scene_open(path, aiProcess_Triangulate | aiProcess_SortByPType, out_error);
    if (!scene) return false;
    contents->format = strdup(format->name);
    contents->unit = format->unit > 0.0f ? format->unit : scene_unit(scene);
    contents->up = format->up ? format->up : up_axis(scene);
    contents->meshes = calloc(scene->mNumMeshes + 1u, sizeof *contents->meshes);
    bool done = contents->format && contents->meshes;
    for (unsigned i = 0; done && i < scene->mNumMeshes; i++)
        if (scene->mMeshes[i]->mPrimitiveTypes & aiPrimitiveType_TRIANGLE)
            done = read_mesh(scene, i, &contents->meshes[contents->mesh_count++]);
    aiReleaseImport(scene);
    return done || asset_fail(out_error, "%s: out of memory", path);
}

// FBX says it; 0: another format.
static char up_axis(const struct aiScene *scene) {
    for (unsigned i = 0; scene->mMetaData && i < scene->mMetaData->mNumProperties; i++) {
        const struct aiMetadataEntry *entry = &scene->mMetaData->mValues[i];
        if (strcmp(scene->mMetaData->mKeys[i].data, "UpAxis") != 0 || entry->mType != AI_INT32) continue;
        const int32_t axis = *(const int32_t *)entry->mData;
        return axis >= 0 && axis < 3 ? "xyz"[axis] : '\0';
    }
    return '\0';
}

// Returns false when memory runs out.
static bool read_mesh(const struct aiScene *scene, unsigned index, AssetMeshContents *out_mesh) {
    const struct aiMesh *mesh = scene->mMeshes[index];
    struct aiString material = {0};
    if (mesh->mMaterialIndex < scene->mNumMaterials)
        aiGetMaterialString(scene->mMaterials[mesh->mMaterialIndex], AI_MATKEY_NAME, &material);
    *out_mesh = (AssetMeshContents){
        .name = strdup(mesh->mName.data),
        .material = strdup(material.data),
        .vertex_count = (int)mesh->mNumVertices,
        .place_count = count_places(mesh),
        .triangle_count = (int)mesh->mNumFaces,
        .bone_count = (int)mesh->mNumBones,
        .has_uvs = mesh->mTextureCoords[0] != NULL,
        .has_colors = mesh->mColors[0] != NULL,
    };
    const struct aiNode *node = scene_mesh_node(scene->mRootNode, index);
    if (node) read_box(mesh, node, out_mesh);
    return out_mesh->name && out_mesh->material && out_mesh->place_count >= 0;
}

// Returns -1 when memory runs out.
static int count_places(const struct aiMesh *mesh) {
    const size_t count = mesh->mNumVertices;
    int *place_of = malloc(count * sizeof *place_of), *vertices = malloc(count * sizeof *vertices);
    const float(*positions)[3] = (const float(*)[3])(const void *)mesh->mVertices;
    const int places =
        place_of && vertices ? asset_weld(positions, (int)count, 0.0f, place_of, vertices) : -1;
    free(place_of);
    free(vertices);
    return places;
}

static void read_box(const struct aiMesh *mesh, const struct aiNode *node, AssetMeshContents *out_mesh) {
    mat4 place;
    scene_global_matrix(node, place);
    for (int k = 0; k < 3; k++) {
        out_mesh->least[k] = INFINITY;
        out_mesh->most[k] = -INFINITY;
    }
    for (unsigned v = 0; v < mesh->mNumVertices; v++) {
        const struct aiVector3D *vertex = &mesh->mVertices[v];
        vec3 position;
        glm_mat4_mulv3(place, (vec3){vertex->x, vertex->y, vertex->z}, 1.0f, position);
        for (int k = 0; k < 3; k++) {
            out_mesh->least[k] = fminf(out_mesh->least[k], position[k]);
            out_mesh->most[k] = fmaxf(out_mesh->most[k], position[k]);
        }
    }
}
